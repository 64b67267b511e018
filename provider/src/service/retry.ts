import type { Clock } from "./clock";
import { LostAnswerError, RateLimitError, ServiceError, UnreachableError } from "../errors";

export interface RetryOptions {
  /** How often a call is sent again after its first failure. */
  maxRetries: number;
  clock: Clock;
}

const firstBackoffMs = 500;
const longestBackoffMs = 20_000;
/** A server that asks for more than this is down, and a pipeline should say so rather than hang. */
const longestRetryAfterMs = 120_000;

/** Calls `attempt` until it succeeds, fails in a way that `mayRepeat` does not accept, or the retries are used up. */
export async function retrying<T>(
  { maxRetries, clock }: RetryOptions,
  mayRepeat: (error: unknown) => boolean,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      return await attempt();
    } catch (error) {
      const waitMs = backoffMs(retry, error, clock);
      if (retry >= maxRetries || waitMs > longestRetryAfterMs || !mayRepeat(error)) throw error;
      await clock.sleep(waitMs);
    }
  }
}

/** Reads, deletes and decisions change nothing when they run twice: anything that may pass by itself is worth another try. */
export function passesByItself(error: unknown): boolean {
  return certainlyNotDone(error) || error instanceof ServiceError || error instanceof LostAnswerError;
}

/** A paid call is sent again only when the service cannot have done it; before each sending `mayPay` is asked, and rejects when it may not. */
export function paying<T>(
  options: RetryOptions,
  mayPay: (() => Promise<void>) | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  return retrying(options, certainlyNotDone, async () => {
    await mayPay?.();
    return attempt();
  });
}

function certainlyNotDone(error: unknown): boolean {
  return error instanceof RateLimitError || error instanceof UnreachableError;
}

/** Doubles from half a second, with jitter over its upper half so that a thousand callers do not come back together. */
function backoffMs(retry: number, error: unknown, clock: Pick<Clock, "random">): number {
  const ceiling = Math.min(longestBackoffMs, firstBackoffMs * 2 ** retry);
  const jittered = ceiling * (0.5 + clock.random() / 2);
  const asked = error instanceof RateLimitError || error instanceof ServiceError ? error.retryAfterMs : undefined;
  return Math.max(jittered, asked ?? 0);
}

/** The header's delay: seconds or a date; undefined when it says neither. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
