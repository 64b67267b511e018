import type { Clock } from "./clock";
import { LostAnswerError, RateLimitError, ServiceError, UnreachableError } from "../errors";

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

/** Whether the error may not occur again. Only for calls that may run twice: reads, deletes and decisions. */
export function isTransient(error: unknown): boolean {
  return certainlyNotDone(error) || error instanceof ServiceError || error instanceof LostAnswerError;
}

/**
 * Repeats a billed call only when the service certainly did not do it. `beforeSend` runs before each attempt, and
 * rejects when the call must not be sent.
 */
export function retryBilledCall<T>(
  options: RetryOptions,
  beforeSend: (() => Promise<void>) | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  return withRetries(options, certainlyNotDone, async () => {
    await beforeSend?.();
    return attempt();
  });
}

function certainlyNotDone(error: unknown): boolean {
  return error instanceof RateLimitError || error instanceof UnreachableError;
}

/** Doubles from half a second. Jitter over the upper half spreads the retries of many concurrent calls. */
function backoffMs(retry: number, error: unknown, clock: Pick<Clock, "random">): number {
  const ceiling = Math.min(longestBackoffMs, firstBackoffMs * 2 ** retry);
  const jittered = ceiling * (0.5 + clock.random() / 2);
  const requested = error instanceof RateLimitError || error instanceof ServiceError ? error.retryAfterMs : undefined;
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
