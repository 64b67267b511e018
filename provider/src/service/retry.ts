import type { Clock } from "./clock";
import { CloudVoiceError, ServiceError, UnreachableError } from "../errors";

export interface RetryOptions {
  /** How often a call is sent again after its first failure. */
  maxRetries: number;
  clock: Clock;
  outage?: Outage;
}

/**
 * Remembers that nothing listens at an address of this machine. For some time, each call to the address then fails at
 * once, with the same error: a thousand resources report one cause, and do not wait one after the other.
 */
export class Outage {
  private error: UnreachableError | undefined;
  private untilMs = -Infinity;

  assertOver(nowMs: number): void {
    if (this.error !== undefined && nowMs < this.untilMs) throw this.error;
  }

  /** Records the error of a call whose retries are used up. Returns the error that all calls share. */
  record(error: UnreachableError, nowMs: number): UnreachableError {
    if (nowMs >= this.untilMs) {
      this.error = error;
      this.untilMs = nowMs + outageMs;
    }
    return this.error ?? error;
  }
}

const firstBackoffMs = 500;
const longestBackoffMs = 20_000;
/** If the service asks for a longer wait, the call fails at once. Otherwise a pipeline would seem to hang. */
const longestRetryAfterMs = 120_000;
/** The longest wait for a program that starts on this machine. */
const longestLocalWaitMs = 2000;
const outageMs = 10_000;

/**
 * Repeats `attempt` until it succeeds, fails with an error that is not retryable, or the retries are used up. A 429 is
 * never retried here, because the throttle has waited for it already.
 */
export async function withRetries<T>(
  { maxRetries, clock, outage }: RetryOptions,
  attempt: () => Promise<T>,
  isRetryable: (error: CloudVoiceError) => boolean = mayRepeat,
): Promise<T> {
  outage?.assertOver(clock.now());
  let waitedMs = 0;
  for (let retry = 0; ; retry++) {
    try {
      return await attempt();
    } catch (error) {
      if (!CloudVoiceError.is(error)) throw error;
      const waitMs = backoffMs(retry, error, clock);
      waitedMs += waitMs;
      const isLast = retry >= maxRetries || waitMs > longestRetryAfterMs;
      if (error instanceof UnreachableError && error.nothingListens && (isLast || waitedMs > longestLocalWaitMs))
        throw outage?.record(error, clock.now()) ?? error;
      if (isLast || !isRetryable(error)) throw error;
      await clock.sleep(waitMs).catch((cancelled: unknown) => {
        // If cancelled while waiting, still report that the call may have been billed.
        throw error.billed === "unknown" ? error : cancelled;
      });
    }
  }
}

/**
 * Whether to send the call again: the next attempt may succeed, and this one certainly was not billed, e.g. because
 * calls of this kind are free.
 */
export function mayRepeat(error: CloudVoiceError): boolean {
  return error.isTransient && error.billed === "no";
}

/** Doubles from half a second. Jitter over the upper half spreads the retries of many concurrent calls. */
function backoffMs(retry: number, error: unknown, clock: Pick<Clock, "random">): number {
  const ceiling = Math.min(longestBackoffMs, firstBackoffMs * 2 ** retry);
  const jittered = ceiling * (0.5 + clock.random() / 2);
  const requested = error instanceof ServiceError ? error.retryAfterMs : undefined;
  return Math.max(jittered, requested ?? 0);
}

/** A number from here on is a time in seconds since 1970, and not a delay. */
const earliestEpoch = 1_000_000_000;

/**
 * The delay of a `Retry-After` header: a number of seconds or a date. Some services send a time instead, in seconds or
 * milliseconds since 1970. Undefined for anything else.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) {
    const value = Number(text);
    if (value < earliestEpoch) return value * 1000;
    return Math.max(0, (value < earliestEpoch * 1000 ? value * 1000 : value) - nowMs);
  }
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
