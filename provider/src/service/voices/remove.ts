import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError, LostAnswerError, NotFoundError } from "../../errors";
import type { Service } from "../connect";
import { lookUntilFound } from "./look";

interface Removal {
  settleMs: number;
  beforeSend?: () => Promise<void>;
  /** Whether the service no longer has the voice. Default: whether the service's list, read now, lacks the voice. */
  isGone?: () => Promise<boolean>;
}

/**
 * Deletes a voice. Returns true after a clear success, and false if the list shows after an error that the voice is
 * gone. If the service refuses the API key, the error is thrown without a look at the list.
 *
 * The list decides because the service does not promise how it refuses to delete an absent voice, and because a
 * response may be lost. The list may still show a deleted voice for `settleMs`, so it is read again if the voice may
 * have been deleted (e.g. after an unclear success or a second attempt).
 */
export async function removeVoice(
  { voices, account, clock }: Pick<Service, "voices" | "account" | "clock">,
  voice: string,
  { settleMs, beforeSend, isGone = async () => !(await account.isListedNow(voice)) }: Removal,
): Promise<boolean> {
  let attempts = 0;
  try {
    await voices.remove(voice, async () => {
      attempts++;
      await beforeSend?.();
    });
    return true;
  } catch (error) {
    if (!CloudVoiceError.is(error)) throw error;
    const { status = error instanceof LostAnswerError ? 0 : 401, advice = "" } = error;
    if (status === 401) throw error;
    const isAbsent = error instanceof NotFoundError || status === 404 || status === 410;
    const mayBeDone = (status >= 200 && status < 300) || isAbsent || attempts > 1;
    const gone = await lookUntilFound({ clock, forMs: mayBeDone ? settleMs : 0 }, async () => {
      const seen = await isGone().catch(describeThrown);
      if (typeof seen === "boolean") return seen || undefined;
      throw error.amend({ advice: `${advice} It is not known whether the voice is gone: ${seen.message}`.trim() });
    });
    if (gone) return false;
    throw error;
  }
}
