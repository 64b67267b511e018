import { CloudVoiceError, LostAnswerError } from "../errors";

export interface LostCreate {
  lost: CloudVoiceError;
  /** The waits before each look into the account's list, in milliseconds. */
  looksAfterMs: readonly number[];
  /** Whether the create may be sent again when no look found the voice. */
  mayResend: boolean;
}

const shortWaitsMs = [500, 1000, 2000];
/** The service may still be working, or its list may be late. */
const longWaitsMs = [...shortWaitsMs, 4000, 8000, 15_000, 30_000];

/**
 * What to do after a create whose outcome is unknown. The interface has no idempotency key, so only the account's
 * list shows whether the voice exists. A response of success without a voice was billed, so the create is never sent
 * again. Undefined: the create was refused or certainly not done.
 */
export function afterFailedCreate(error: unknown): LostCreate | undefined {
  if (!CloudVoiceError.is(error) || error.billed !== "unknown") return undefined;
  const wasDone = error.status !== undefined && error.status < 300;
  const timedOut = (error instanceof LostAnswerError && error.timedOut) || error.status === 408 || error.status === 504;
  return { lost: error, looksAfterMs: wasDone || timedOut ? longWaitsMs : shortWaitsMs, mayResend: !wasDone };
}
