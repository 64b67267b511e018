import type { Clock } from "./clock";
import { type CloudVoiceError, LostAnswerError, ServiceError, UnreachableError } from "../errors";

export interface RetryOptions {
  /** How often a call is sent again after its first failure. */
  maxRetries: number;
  clock: Clock;
}

const firstBackoffMs = 500;
const longestBackoffMs = 20_000;
/** If the service asks for a longer wait, the call fails at once, so that no pipeline seems to hang. */
const longestRetryAfterMs = 120_000;

/** Repeats `attempt` until it succeeds, fails with an error that is not retryable, or the retries are used up. */
export async function withRetries<T>(
  { maxRetries, clock }: RetryOptions,
  isRetryable: (error: unknown) => boolean,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      return await attempt();
    } catch (error) {
      const waitMs = backoffMs(retry, error, clock);
      if (retry >= maxRetries || waitMs > longestRetryAfterMs || !isRetryable(error)) throw error;
      await clock.sleep(waitMs);
    }
  }
}

/**
 * Whether the error may not occur again. Only for calls that may run twice: reads and deletes. A 429 is missing here,
 * because the throttle has waited for it already.
 */
export function isTransient(error: unknown): boolean {
  return certainlyNotDone(error) || isOutcomeUnknown(error);
}

/** Whether the service certainly did nothing, so that even a billed call may be sent again. */
export function certainlyNotDone(error: unknown): boolean {
  return error instanceof UnreachableError;
}

/** Whether the service may have done the work although the call failed. */
export function isOutcomeUnknown(error: unknown): error is CloudVoiceError {
  return error instanceof ServiceError || error instanceof LostAnswerError;
}

/** Doubles from half a second. Jitter over the upper half spreads the retries of many concurrent calls. */
function backoffMs(retry: number, error: unknown, clock: Pick<Clock, "random">): number {
  const ceiling = Math.min(longestBackoffMs, firstBackoffMs * 2 ** retry);
  const jittered = ceiling * (0.5 + clock.random() / 2);
  const requested = error instanceof ServiceError ? error.retryAfterMs : undefined;
  return Math.max(jittered, requested ?? 0);
}

/** The delay of a `Retry-After` header, which is a number of seconds or a date; undefined for anything else. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
