import { isUnread } from "../../service/billed-requests";
import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError, InputError, LostAnswerError } from "../../errors";
import type { CheckedVoice, ListedVoice } from "../../rules/voice";
import type { VoiceNote } from "../../service/journal/note";
import type { Resource } from "../lifecycle";
import type { Operation, Reading } from "../operation";
import { CancelledError } from "../cancel";
import type { VoiceList } from "../../service/voices/account";
import type { VoiceRequest } from "../../service/voices/client";
import { assertMayPayAgain } from "./ask";
import { candidates, lookLate } from "./candidates";
import { resolve } from "node:path";
import { audioPlace } from "../../rules/audio";

/**
 * The most times that a create is sent again after lost responses. If the list shows voices late, each create may have
 * been billed. A setting can't raise this limit.
 */
const mostResends = 5;

/**
 * Sends the create, with a note before each send. Resends a lost create if two lists show that it made no voice, or a
 * person agrees to pay again.
 */
export async function pay(
  operation: Operation,
  request: VoiceRequest,
  inputs: CheckedVoice,
  resource: Resource,
): Promise<ListedVoice> {
  const { service, billed, notes, given, quota, log } = operation;
  const { account, clock } = service;
  const name = inputs.preferredName;
  await account.atStart();
  const sentBefore = (await notes.of(inputs)) !== undefined;
  // Read once: a voice listed after the first request may come from any of the requests.
  const before = [...account.seen.named(name), ...account.seen.perhapsNamed(name)].map(({ voice }) => voice);
  const paid = await billed.send(
    "voices",
    notes.key(inputs),
    async (sending): Promise<ListedVoice> => {
      // If this run's request is refused, a note stays: the earlier request may have been done.
      if (sentBefore) sending.keepNote();
      // One yes of a person is one payment. The first request of this run may have needed it.
      let isYesUsed = sentBefore;
      for (let sent = 1; ; sent++) {
        try {
          const created = await service.voices.create(request, sending);
          if (created.targetModel !== inputs.targetModel) log.warn(boundToAnother(created.voice, created.targetModel));
          if (sent > 1) log.line(`created ${created.voice}. ${billLine(sent, sentBefore)}`);
          return created;
        } catch (error) {
          if (!CloudVoiceError.is(error)) throw error;
          const note = { sentAtMs: clock.now(), ...sending.sent, before };
          const look =
            error.billed === "unknown" ? await lookForLost(operation, inputs, resource, note, error) : undefined;
          if (look?.row !== undefined) {
            log.line(
              `the response to creating ${name} was lost, but the voice exists: ${look.row.voice} ` +
                `(it may be degraded). ${billLine(sent, sentBefore)}`,
            );
            return look.row;
          }
          const full = await account.errorIfFull(error);
          const most = Math.min(service.maxRetries, mostResends, (error.mostAttempts ?? Infinity) - 1);
          // A create that was answered with success was billed, although its response was not understood.
          if (full || look === undefined || isUnread(error) || sent > most) throw full ?? error;
          if (look.doubt === undefined) continue;
          assertMayPayAgain(operation, inputs, resource, note, look.doubt, isYesUsed);
          isYesUsed = true;
        }
      }
    },
    ({ voice }) => ({ id: voice }),
    { label: resource.label, before },
  );
  given.add(paid.voice, resource.label);
  account.recordChange(paid.voice);
  if (paid.degraded) log.line(degradedLine(paid));
  // The command `up` always sets the variable, so it does not get this advice.
  if (++quota.paid === manyVoices && process.env.PULUMI_SKIP_CHECKPOINTS === undefined) log.line(howToBeFaster);
  return paid;
}

/** From this number of new voices on, writing the state takes most of an update's time. */
const manyVoices = 200;

const howToBeFaster =
  `this update has created ${manyVoices} voices. With the state in a folder or a bucket, the engine writes the whole state after ` +
  "each of them: `npx --no-install pulumi-cloudvoice up` is about five times faster (docs/performance.md)";

/** How many voices the create of one voice may have cost. A late gateway may do the work of each lost request. */
function billLine(sent: number, sentBefore: boolean): string {
  const times = sent === 1 ? "once" : `${sent} times`;
  if (sent === 1 && !sentBefore) return `This run sent the create ${times}, so one voice is billed`;
  const bill = sentBefore
    ? `and an earlier attempt sent it too, so ${sent + 1} voices or more may be billed`
    : `so up to ${sent} voices may be billed`;
  return `This run sent the create ${times}, ${bill}. \`pulumi refresh\` shows a second voice of this name`;
}

/** Looks for the voice of a lost create. */
async function lookForLost(
  reading: Reading,
  inputs: CheckedVoice,
  resource: Resource,
  note: Pick<VoiceNote, "sentAtMs" | "bytesUnderWay" | "before">,
  error: CloudVoiceError,
) {
  const { given, log } = reading;
  const find = (list: VoiceList) => Promise.resolve(given.claimFirst(candidates(list, inputs, note), resource.label));
  const announce = (seconds: number) =>
    log.once(
      "lost creates",
      `the response to creating ${inputs.preferredName} was lost (${error.reason}). The account's list may show the ` +
        `voice late, so this run checks the list for ${seconds} s before sending the create again`,
    );
  try {
    const mayArrive = error instanceof LostAnswerError && error.timedOut;
    return await lookLate(reading, inputs, resource, note, { find, mayArrive, announce });
  } catch (failure) {
    // The error of the create says that the voice may have been billed.
    if (failure instanceof CancelledError) throw error;
    throw error.amend({ advice: `Its voice could not be looked for: ${describeThrown(failure).message}` });
  }
}

function degradedLine({ voice, degradedReason }: ListedVoice): string {
  const reason = degradedReason === undefined ? "" : ` (${degradedReason})`;
  return (
    `the voice ${voice} is degraded: the service created it, and billed it, in poorer quality${reason}. ` +
    "To improve the voice, use a better recording, which replaces the voice and is billed"
  );
}

export function boundToAnother(voice: string, model: string): string {
  return (
    `the service says that the voice ${voice} is bound to the model ${model}, and not to the declared one. ` +
    "Synthesis calls must name the model to which the voice is bound"
  );
}

/** The request, with the recording that `check` has read. Throws if the recording has changed since. */
export async function checkedRequest(
  operation: Operation,
  inputs: CheckedVoice,
  { secrets }: Resource,
): Promise<VoiceRequest> {
  const { audio, audioSha256 } = inputs;
  // `rights`, `triggers` and `adopt` are not sent, so the service can't quote them in a message.
  const secret = secrets === undefined || [...secrets].some((name) => !/^(rights|triggers|adopt)$/.test(name));
  if (!("path" in audioPlace(audio))) return { ...inputs, secret, audio: { url: audio } };
  const path = resolve(audio);
  const file = await operation.inspectAudio(path);
  if (file.state !== "audio" || file.sha256 !== audioSha256) {
    const name = secrets === undefined || secrets.has("audio") ? "the audio file" : audio;
    throw new InputError(`${name} changed after it was checked and before it was sent. Run the update again`);
  }
  return { ...inputs, secret, audio: { path, kind: file.kind, bytes: file.bytes, sha256: file.sha256 } };
}
