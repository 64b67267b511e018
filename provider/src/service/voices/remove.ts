import { CloudVoiceError, LostAnswerError, NotFoundError } from "../../errors";
import type { Service } from "../connect";
import { doubtOf, haveVoices, type VoiceList } from "./account";

const howToAsk = "If a stack has the voice, `pulumi refresh` asks whether it is gone.";

/**
 * Deletes a voice. `absent`: each request was answered, and the service does not have the voice.
 *
 * The service does not promise how it refuses to delete an absent voice, and a response may be lost, so the list
 * decides after an error. It may still show a deleted voice for `settleSeconds`. After a delete without a clear answer,
 * the voice is gone if two lists lack it. If the service refuses the API key, the error is thrown without a look.
 */
export async function removeVoice(
  { voices, account }: Pick<Service, "voices" | "account">,
  voice: string,
): Promise<"deleted" | "absent"> {
  let wasLost = false as boolean;
  try {
    await voices.remove(voice, () => (wasLost = true));
    return "deleted";
  } catch (error) {
    if (!CloudVoiceError.is(error)) throw error;
    const { status, advice = "" } = error;
    const wasSent = status !== undefined || error instanceof LostAnswerError;
    if (!wasSent || status === 401) throw error;
    // No clear answer: a lost response, a failure of the service, or a success that was not understood.
    const isUndecided = wasLost || status === undefined || status < 300;
    const isAbsent = error instanceof NotFoundError || status === 404 || status === 410;
    const isIn = (list: VoiceList) => list.get(voice) !== undefined;
    const first = await account.now();
    const isRefused = !isAbsent && !isUndecided;
    if (isIn(first) && isRefused) throw error;
    const second = error instanceof NotFoundError && !isIn(first) ? first : await account.second(first);
    if (isIn(second)) throw error;
    // After a refusal, lists without any voice may be of the same fault.
    const isEmpty = isRefused && !haveVoices(first, second);
    const doubt = doubtOf(first, second) ?? (isEmpty ? "it has no voice at all" : undefined);
    if (doubt !== undefined)
      throw error.amend({ advice: `${advice} The voice list is no proof of a deletion: ${doubt}. ${howToAsk}`.trim() });
    return isUndecided ? "deleted" : "absent";
  }
}
