import { isoTime } from "../../rules/time";
import { type CheckedVoice, hasGeneratedName, type ListedVoice, type VoiceOutputs } from "../../rules/voice";
import type { VoiceNote } from "../../service/journal/note";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";
import type { VoiceList } from "../../service/voices/account";
import { adoptVoice } from "./adopt";
import { assertMayPayAgain, assertMayTake } from "./ask";
import { candidates, lookLate } from "./candidates";
import { checkedRequest, pay } from "./pay";

/** Makes the voice of a resource, or uses the one that was made for it. */
export async function createVoice(
  operation: Operation,
  inputs: CheckedVoice,
  resource: Resource,
): Promise<{ id: string; state: VoiceOutputs }> {
  const { service, given, checks, log } = operation;
  checks.createBegan(resource);
  if (inputs.adopt !== undefined) return adoptVoice(operation, inputs.adopt, inputs, resource);
  const created = await given.inTurn(inputs.preferredName, async (): Promise<ListedVoice> => {
    const request = await checkedRequest(operation, inputs, resource);
    const existing = await existingVoice(operation, inputs, resource);
    if (existing === undefined) return pay(operation, request, inputs, resource);
    log.line(
      `uses the voice ${existing.voice}, which was made for this resource, instead of paying for another ` +
        "(it may be degraded). To create another, change triggers",
    );
    return existing;
  });
  // A refresh must know that the voice is new, because the list may show a new voice late.
  const createdAt = created.createdAt ?? isoTime(service.clock.now());
  // The state keeps the declared model, because each run would replace the voice otherwise.
  const facts = { degraded: false, ...created, targetModel: inputs.targetModel, createdAt, adopted: false };
  return { id: created.voice, state: { ...inputs, ...facts, account: service.voiceFingerprint() } };
}

/**
 * The voice that this create uses instead of paying: claimed for the resource, and noted. Undefined if it has to pay.
 * Throws a question if a person has to decide.
 */
export async function existingVoice(
  operation: Operation,
  inputs: CheckedVoice,
  resource: Resource,
): Promise<ListedVoice | undefined> {
  const { service, notes, given, log } = operation;
  const note = await notes.of(inputs);
  const noted = note && (await voiceOfNote(operation, inputs, resource, note));
  if (noted !== undefined) return noted;
  const list = await service.account.atStart();
  const voices = candidates(list, inputs).filter(({ voice }) => given.isFreeFor(voice, resource.label));
  if (voices.length === 0) return undefined;
  if (!hasGeneratedName(inputs)) {
    log.line(
      `the account already has a voice named ${inputs.preferredName}: ${voices.map(({ voice }) => voice).join(", ")}. A new ` +
        "one is created, because a chosen name does not show who owns a voice. To use an existing voice, set adopt",
    );
    return undefined;
  }
  // A generated name without a note: the state or the journal was lost, or another stack has the voice.
  const row = given.claimFirst(candidates(await service.account.second(list), inputs), resource.label);
  if (row === undefined) return undefined;
  assertMayTake(operation, row, resource);
  await notes.use(inputs, row.voice, resource.label);
  return row;
}

/** The voice of a create that this stack sent before. */
async function voiceOfNote(
  operation: Operation,
  inputs: CheckedVoice,
  resource: Resource,
  note: VoiceNote,
): Promise<ListedVoice | undefined> {
  const { service, settings, notes, checks, given, log } = operation;
  const { account, clock } = service;
  // The list may still show a deleted voice: the note's own, or one of this name deleted before the request.
  const isDoubtful = note.isLeaving ?? (note.id === undefined && clock.now() - note.sentAtMs < settings.settleMs);
  const find = async (list: VoiceList) => {
    let voices = candidates(list, inputs, note);
    if (isDoubtful && voices.length > 0) voices = candidates(await account.second(list), inputs, note);
    return given.claimFirst(voices, resource.label);
  };
  let row = await find(await account.atStart());
  if (row === undefined) {
    const announce = (seconds: number) =>
      log.once(
        "unfinished creates",
        "an earlier run sent creates whose voices may exist, although the account's list lacks them. " +
          `This run first looks for them for up to ${seconds} s (settleSeconds, requestTimeoutSeconds and the upload)`,
      );
    const late = await lookLate(operation, inputs, resource, note, { find, mayArrive: true, announce });
    if (late.row === undefined && (note.isUnread || late.doubt !== undefined))
      assertMayPayAgain(operation, inputs, resource, note, late.doubt);
    row = late.row;
  }
  if (row === undefined) return undefined;
  // `isHeld`: a state had the voice. If this state lacks the resource, the earlier state was lost, or is a renamed
  // stack's. Without an id, anybody may have created a voice with the chosen name.
  const mayBeAnothers = note.isHeld ? !checks.isInState(resource) : note.id === undefined && !hasGeneratedName(inputs);
  if (mayBeAnothers) assertMayTake(operation, row, resource);
  await notes.use(inputs, row.voice, resource.label, note);
  return row;
}
