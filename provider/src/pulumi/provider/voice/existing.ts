import { describeThrown } from "../../../describe-thrown";
import { type ExistingVoiceVerdict, resolveExistingVoice } from "../../../rules/existing-voice";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import { journalKey } from "../../../service/journal";
import type { ListedVoice } from "../../../service/voices/client";
import type { Operation } from "../operation";
import type { VoiceHolder } from "../states";

/** The key of the journal's note about the create of this voice. Only a generated name identifies a voice. */
export function voiceKey({ service }: Operation, { preferredName, targetModel }: CheckedVoice): string {
  return journalKey("voice", service.voiceFingerprint(), targetModel, preferredName);
}

/** The journal need not remember the create of this voice any more. */
export async function forgetCreate(operation: Operation, voice: Partial<CheckedVoice>): Promise<void> {
  if (hasGeneratedName(voice)) await operation.journal.forget(() => voiceKey(operation, voice as CheckedVoice));
}

/** Every voice that a state of the project holds; undefined, with one warning, if the states can't be read. */
export async function savedHolders({ states, log }: Operation): Promise<VoiceHolder[] | undefined> {
  try {
    return await states.holders();
  } catch (error) {
    log.once(
      "states",
      `warning: the states of this project's stacks could not be read (${describeThrown(error).message}), ` +
        "so this operation does not know which voices other resources hold",
    );
    return undefined;
  }
}

/** What a create would do with the voices that have its name. */
export async function resolveExisting(
  operation: Operation,
  inputs: CheckedVoice,
  urn: string | undefined,
  found: ListedVoice[],
): Promise<ExistingVoiceVerdict<ListedVoice>> {
  const { ownership, service } = operation;
  const generated = hasGeneratedName(inputs);
  const holders = generated && found.length > 0 ? await savedHolders(operation) : [];
  return resolveExistingVoice(inputs.preferredName, found, {
    generated,
    holderOf: (voice) => ownership.holderBeside(urn, voice, holders ?? []),
    statesKnown: holders !== undefined,
    // The voice that the journal names belongs to the unfinished create as well.
    unfinished: generated && found.length > 0 && (await unfinishedSince(operation, inputs, [])) !== undefined,
    nowMs: service.clock.now(),
  });
}

/**
 * When a create of this voice was sent whose end is not known: by the journal of this machine or pipeline, or by the
 * pending operations of the state. The engine saves no time with these, so they count from the start of this
 * operation. `seen` are the voices with this name that are known: if the journal names one of them, that create has
 * ended.
 */
export async function unfinishedSince(
  operation: Operation,
  inputs: CheckedVoice,
  seen: ListedVoice[],
): Promise<number | undefined> {
  const { journal, states, startedAtMs } = operation;
  const note = await journal.find(voiceKey(operation, inputs));
  if (note !== undefined) return seen.some(({ voice }) => voice === note.id) ? undefined : note.sentAtMs;
  // A state that can't be read is reported where it matters: when a voice is found or deleted.
  const pending = await states.own().then(
    ({ pendingCreates }) => pendingCreates,
    () => [],
  );
  return pending.some(({ preferredName }) => preferredName === inputs.preferredName) ? startedAtMs : undefined;
}
