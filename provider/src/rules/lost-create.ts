import { CloudVoiceError } from "../errors";

/**
 * What to do after a create that failed. The interface has no idempotency key, so only the account's list shows
 * whether a create whose outcome is unknown was done. A response of success without a voice was billed, so the create
 * is not sent again. Otherwise it may be, if the list proves that the voice does not exist (`mayResend`). Undefined: the
 * create was refused or certainly not done.
 */
export function afterFailedCreate(error: unknown): { lost: CloudVoiceError; mayResend: boolean } | undefined {
  if (!CloudVoiceError.is(error) || error.billed !== "unknown") return undefined;
  const wasDone = (error.status ?? NaN) < 300;
  return { lost: error, mayResend: !wasDone };
}

const firstWaitMs = 500;
const longestWaitMs = 5000;

/** The waits between looks into the list: short at first, then regular, and the last look after exactly `totalMs`. */
export function lookWaitsMs(totalMs: number): number[] {
  const waits: number[] = [];
  for (let waitMs = firstWaitMs, leftMs = totalMs; leftMs > 0; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    waits.push(Math.min(waitMs, leftMs));
    leftMs -= waitMs;
  }
  return waits;
}
