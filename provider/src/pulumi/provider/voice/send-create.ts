import { describeThrown } from "../../../describe-thrown";
import { CloudVoiceError } from "../../../errors";
import { voiceCarriesName } from "../../../rules/naming";
import { type CheckedVoice, hasGeneratedName, type MadeVoice } from "../../../rules/voice";
import type { Sending } from "../../../service/billed-requests";
import type { ListedVoice, VoiceRequest } from "../../../service/voices/client";
import { afterFailedCreate } from "../../../voices/judge/create";
import { CancelledError } from "../cancel";
import type { Operation } from "../operation";
import { lookForVoice } from "./existing";

/**
 * The most times that a create is sent again after lost responses. If the list shows voices late, each create may have
 * been billed. A setting can't raise this limit.
 */
const mostResends = 5;

/**
 * Sends the create of a voice until its outcome is known. After each lost response, looks for the voice in the
 * account's list. `before`: the voices with the same name that were listed before the create was sent. `sentBefore`:
 * whether an earlier attempt to create the voice may have been billed.
 */
export async function sendCreate(
  operation: Operation,
  request: VoiceRequest,
  inputs: CheckedVoice,
  { before, sentBefore }: { before: ListedVoice[]; sentBefore: boolean },
  sending: Sending,
): Promise<MadeVoice> {
  const { service, log } = operation;
  const { preferredName } = inputs;
  const billed = (sent: number) => billedAtMost(sent, sentBefore, hasGeneratedName(inputs));
  for (let attempt = 0; ; attempt++) {
    try {
      const { targetModel: bound, ...made } = await service.voices.create(request, sending);
      if (bound !== inputs.targetModel) log.warn(boundToAnother(made.voice, bound));
      if (attempt > 0) log.line(`created ${made.voice}. ${billed(attempt + 1)}`);
      return made;
    } catch (error) {
      const after = afterFailedCreate(error);
      const { found, doubt } = after ? await lookForLost(operation, inputs, before, after.lost, attempt + 1) : {};
      if (found) {
        log.line(
          `the response to creating ${preferredName} was lost, but the voice exists: ${found.voice} ` +
            `(whether it is degraded is not known). ${billed(attempt + 1)}`,
        );
        return { voice: found.voice, createdAt: found.gmtCreate, degraded: false };
      }
      if (after?.mayResend && doubt !== undefined) throw after.lost.amend({ advice: notProven(doubt) });
      if (after?.mayResend) await sending.forget();
      // Do not resend a create into a full account. The contract does not name an error code for it.
      const full = await service.account.errorIfFull(error);
      const { mostAttempts = Infinity } = after?.lost ?? {};
      const isLast = attempt >= Math.min(service.maxRetries, mostResends, mostAttempts - 1);
      if (full || !after?.mayResend || isLast) throw full ?? error;
    }
  }
}

/** How many voices the create of one voice may have cost. A late gateway may do the work of each lost request. */
function billedAtMost(sent: number, sentBefore: boolean, generated: boolean): string {
  const times = sent === 1 ? "once" : `${sent} times`;
  if (sent === 1 && !sentBefore) return `This run sent the create ${times}, so one voice is billed`;
  const bill = sentBefore
    ? `and an earlier attempt sent it too, so ${sent + 1} voices or more may be billed`
    : `so up to ${sent} voices may be billed`;
  const more = generated ? ". `pulumi refresh` names a second voice of this name" : "";
  return `This run sent the create ${times}, ${bill}${more}`;
}

/** `doubt`: why the voice may exist although it was not found. */
async function lookForLost(
  operation: Operation,
  inputs: CheckedVoice,
  before: ListedVoice[],
  lost: CloudVoiceError,
  sent: number,
): Promise<{ found?: ListedVoice | undefined; doubt?: string | undefined }> {
  const { settings, log } = operation;
  const { preferredName } = inputs;
  const generated = hasGeneratedName(inputs);
  const beforeWait = (looks: number) => {
    if (looks !== looksWithoutLine) return;
    log.line(
      `the response to creating ${preferredName} was lost (attempt ${sent}: ${lost.reason}). Its voice may appear in the account's list late, ` +
        `so it is looked for during ${settings.settleMs / 1000} s before the create is sent again`,
    );
  };
  // The voices of all looks, because the last look may have read an incomplete list.
  const appeared = new Map<string, ListedVoice>();
  const choose = async (rows: ListedVoice[]) => {
    // Skip older voices: the list may show late a voice that a resource already holds, and may still show a deleted
    // voice.
    const made: ListedVoice[] = [];
    for (const row of rows) if (!(await isOlder(operation, row.voice))) made.push(row);
    const named = made.filter(({ voice }) => voiceCarriesName(voice, preferredName, generated));
    if (named.length > 1 && !generated) throw new AmbiguousVoiceError(preferredName, named, lost);
    for (const row of made) appeared.set(row.voice, row);
    return named.sort((a, b) => (b.gmtCreate ?? "").localeCompare(a.gmtCreate ?? ""))[0];
  };
  try {
    const result = await lookForVoice(operation, inputs, { before, forMs: settings.settleMs, beforeWait }, choose);
    if (result.found === undefined && appeared.size > 0)
      throw new AmbiguousVoiceError(preferredName, [...appeared.values()], lost);
    return result;
  } catch (error) {
    // The error of the create says that the voice may have been billed.
    if (error instanceof CancelledError) throw lost;
    if (error instanceof AmbiguousVoiceError) throw error;
    throw lost.amend({ advice: `Its voice could not be looked for: ${describeThrown(error).message}` });
  }
}

const looksWithoutLine = 4;

async function isOlder({ facts, calls, journal }: Operation, voice: string): Promise<boolean> {
  const { holders } = await facts.holders("project");
  const isHeld = calls.isHeld(voice) || holders.some((holder) => holder.voice === voice);
  return isHeld || journal.wasDeleted(voice);
}

const notProven = (doubt: string) =>
  `Its voice was not found, and the list does not prove that there is none (${doubt}), so the create was not sent again. ` +
  "The next update looks for the voice again, and asks before it sends the create again.";

class AmbiguousVoiceError extends CloudVoiceError {
  constructor(preferredName: string, appeared: ListedVoice[], lost: CloudVoiceError) {
    const voices = appeared.map((row) => row.voice).join(", ");
    super(
      `the response to creating ${preferredName} was lost, and each of these new voices may be the one it created: ${voices}`,
      {
        advice: "Set adopt to the voice that belongs to this resource, or remove preferredName.",
        billed: "unknown",
        cause: lost,
      },
    );
  }
}

/** The state keeps the declared model, because each run would replace the voice otherwise. */
export function boundToAnother(voice: string, model: string): string {
  return (
    `the service says that the voice ${voice} is bound to the model ${model}, and not to the declared one. ` +
    "Synthesis calls fail unless they name the model that the voice is bound to"
  );
}
