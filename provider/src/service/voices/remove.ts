import { CloudVoiceError, LostAnswerError, NotFoundError } from "../../errors";
import type { Service } from "../connect";
import type { VoiceList } from "./account";

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
  const lost: unknown[] = [];
  try {
    await voices.remove(voice, () => lost.push(voice));
    return "deleted";
  } catch (error) {
    if (!CloudVoiceError.is(error)) throw error;
    const { status = error instanceof LostAnswerError ? 0 : 401, advice = "" } = error;
    if (status === 401) throw error;
    const isAbsent = error instanceof NotFoundError || status === 404 || status === 410;
    const isIn = (list: VoiceList) => list.get(voice) !== undefined;
    const first = await account.now();
    if (isIn(first) && !(isAbsent || lost.length > 0 || status < 300)) throw error;
    const isClear = error instanceof NotFoundError && !isIn(first);
    const second = isClear ? first : await account.second(first);
    if (isIn(second)) throw error;
    const doubt = first.doubt ?? second.doubt;
    if (doubt !== undefined)
      throw error.amend({ advice: `${advice} The voice list is no proof of a deletion: ${doubt}.`.trim() });
    return lost.length > 0 || status < 300 ? "deleted" : "absent";
  }
}
