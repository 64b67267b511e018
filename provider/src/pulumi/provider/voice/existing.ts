import { describeThrown } from "../../../describe-thrown";
import { type ExistingVoiceVerdict, resolveExistingVoice } from "../../../rules/existing-voice";
import { lookWaitsMs } from "../../../rules/lost-create";
import { hashIn } from "../../../rules/naming";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import type { VoiceHolder } from "../../../rules/voice-holder";
import { journalKey } from "../../../service/journal";
import type { ListedVoice } from "../../../service/voices/client";
import type { Operation } from "../operation";

/** The key of the journal's note about the create of this voice. Only a generated name identifies a voice. */
export function voiceKey({ service }: Operation, { preferredName, targetModel }: CheckedVoice): string {
  return journalKey("voice", service.voiceFingerprint(), targetModel, preferredName);
}

/** A note of its own for each deleted voice, because voices with one name may be deleted one after the other. */
function deletedKey(voice: string): string {
  return journalKey("deleted", voice);
}

/** Whether a run of the last two days deleted the voice. The service's list may show it for some time. */
export function wasDeleted({ journal }: Operation, voice: string): Promise<boolean> {
  return journal.has(deletedKey(voice));
}

/** Notes that the voice was deleted: the service's list may show it for some time, and no resource may take it. */
export async function noteDeleted(operation: Operation, state: Partial<CheckedVoice>, voice: string): Promise<void> {
  const { journal, service } = operation;
  await forgetCreate(operation, state, voice);
  await journal.write(deletedKey(voice), { sentAtMs: service.clock.now(), id: voice });
}

/** The journal need not remember the create of this voice any more. With `made`, only the create that made that voice. */
export async function forgetCreate(operation: Operation, voice: Partial<CheckedVoice>, made?: string): Promise<void> {
  if (!hasGeneratedName(voice)) return;
  await operation.journal.forget(() => voiceKey(operation, voice as CheckedVoice), made);
}

/**
 * A voice that was created a moment ago may appear in the list late. So its absence is certain only after
 * `settleSeconds`.
 */
export async function findLate(
  { service, settings, startedAtMs }: Operation,
  voice: string,
  createdAt: unknown,
): Promise<ListedVoice | undefined> {
  const certainFromMs = Date.parse(String(createdAt)) + settings.settleMs;
  if (!(certainFromMs > startedAtMs)) return undefined;
  // The service's clock may differ from ours, so no more than the whole time is waited for.
  const leftMs = Math.min(settings.settleMs, certainFromMs - service.clock.now());
  // Even when the time is over: the list that the operation read first may be older than the voice.
  for (const waitMs of [0, ...lookWaitsMs(leftMs)]) {
    await service.clock.sleep(waitMs);
    const found = (await service.account.voicesNow()).find((row) => row.voice === voice);
    if (found) return found;
  }
  return undefined;
}

/**
 * Every voice that a state holds, of this project or of all projects in the backend; undefined, with one warning, if the
 * states can't be read.
 */
export async function savedHolders(
  { states, log }: Operation,
  where: "in this project" | "everywhere" = "in this project",
): Promise<VoiceHolder[] | undefined> {
  try {
    return await (where === "everywhere" ? states.allHolders() : states.holders());
  } catch (error) {
    log.warnOnce(
      "states",
      `the states of ${where === "everywhere" ? "all stacks" : "this project's stacks"} could not be read ` +
        `(${describeThrown(error).message}), ` +
        "so this operation does not know which voices other resources hold",
    );
    return undefined;
  }
}

/** Whether a saved state or this operation has the voice, or a run deleted it. */
export async function existedBefore(operation: Operation, voice: string): Promise<boolean> {
  const holders = (await savedHolders(operation)) ?? [];
  const isHeld = operation.ownership.isHeld(voice) || holders.some((holder) => holder.voice === voice);
  return isHeld || wasDeleted(operation, voice);
}

/**
 * Which of these voices an interrupted replacement was to replace: the state still has them under this URN. The voice
 * that the interrupted create made is looked for before one of these is reused.
 */
export async function splitReplaced(
  operation: Operation,
  inputs: CheckedVoice,
  urn: string | undefined,
  named: ListedVoice[],
): Promise<{ replaced: ListedVoice[]; others: ListedVoice[] }> {
  const isInterrupted =
    named.length > 0 && hasGeneratedName(inputs) && (await unfinishedSince(operation, inputs, [])) !== undefined;
  const holders = isInterrupted ? ((await savedHolders(operation)) ?? []) : [];
  const own = new Set(holders.filter((holder) => holder.urn === urn).map(({ voice }) => voice));
  return {
    replaced: named.filter(({ voice }) => own.has(voice)),
    others: named.filter(({ voice }) => !own.has(voice)),
  };
}

/** What a create would do with the voices that have its name. */
export async function resolveExisting(
  operation: Operation,
  inputs: CheckedVoice,
  urn: string | undefined,
  found: ListedVoice[],
): Promise<ExistingVoiceVerdict<ListedVoice>> {
  const { ownership, service, settings, states } = operation;
  const generated = hasGeneratedName(inputs);
  const existing: ListedVoice[] = [];
  for (const row of found) if (!(await wasDeleted(operation, row.voice))) existing.push(row);
  const mayTake = generated && existing.length > 0;
  const everywhere = mayTake ? await savedHolders(operation, "everywhere") : [];
  const holders = await states.beside(urn, everywhere ?? (await savedHolders(operation)) ?? []);
  return resolveExistingVoice(inputs.preferredName, existing, {
    generated,
    // The resource itself is not among these holders.
    holderOf: (voice) => ownership.holderBeside(undefined, voice, holders),
    statesKnown: everywhere !== undefined,
    // The voice that the journal names belongs to the unfinished create as well.
    unfinished: mayTake && (await unfinishedSince(operation, inputs, [])) !== undefined,
    takeOver: settings.takeOver,
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
  if (note !== undefined) {
    const hasEnded = seen.some(({ voice }) => voice === note.id);
    const wasSaved = note.id !== undefined && (await states.hasSaved(note.id));
    return hasEnded || wasSaved ? undefined : note.sentAtMs;
  }
  const pending = await states.interruptedCreates();
  const hash = hashIn(inputs.preferredName);
  const isPending = pending.some(({ preferredName }) => preferredName !== undefined && hashIn(preferredName) === hash);
  return isPending ? startedAtMs : undefined;
}
