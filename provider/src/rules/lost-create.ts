import { CloudVoiceError, LostAnswerError } from "../errors";

export interface LostCreate {
  lost: CloudVoiceError;
  /** When the account's list is asked for the voice: the waits between the looks, in milliseconds. */
  looksAfterMs: readonly number[];
  /** Whether the create may be sent again when no look found the voice. */
  mayResend: boolean;
}

const soonMs = [500, 1000, 2000];
/** The service may still be at work, or its list be late. */
const patientlyMs = [...soonMs, 4000, 8000, 15_000, 30_000];

/**
 * What to do after a create that may have been done all the same: there is no key of idempotency, so the account's list is asked. An
 * answer of success without a voice in it was paid for, and is never sent again. Undefined: the create was refused, or not done.
 */
export function afterFailedCreate(error: unknown): LostCreate | undefined {
  if (!CloudVoiceError.is(error) || error.billed !== "unknown") return undefined;
  const wasDone = error.status !== undefined && error.status < 300;
  const mayBeAtWork =
    (error instanceof LostAnswerError && error.timedOut) || error.status === 408 || error.status === 504;
  return { lost: error, looksAfterMs: wasDone || mayBeAtWork ? patientlyMs : soonMs, mayResend: !wasDone };
}
