import type { Clock } from "./clock";
import { CloudVoiceError, UnreachableError } from "../errors";

export interface RetryOptions {
  /** How often a call is sent again after its first failure. */
  maxRetries: number;
  clock: Clock;
  log?: (line: string) => void;
}

const firstBackoffMs = 500;
const longestBackoffMs = 20_000;
/** If the service asks for a longer wait, the call fails at once, because otherwise a pipeline would seem to hang. */
const longestRetryAfterMs = 120_000;
/** The longest total wait for a program on this machine to start listening. */
const longestLocalWaitMs = 2000;

/** Repeats `attempt` after retryable errors, except a 429, after which the throttle has already waited. */
export async function withRetries<T>(
  { maxRetries, clock, log }: RetryOptions,
  attempt: () => Promise<T>,
  isRetryable: (error: CloudVoiceError) => boolean = mayRepeat,
): Promise<T> {
  let waitedMs = 0;
  for (let retry = 0; ; retry++) {
    try {
      return await attempt();
    } catch (error) {
      if (!CloudVoiceError.is(error)) throw error;
      const waitMs = backoffMs(retry, error, clock);
      waitedMs += waitMs;
      const { mostAttempts = Infinity } = error;
      const isLast = retry >= Math.min(maxRetries, mostAttempts - 1) || waitMs > longestRetryAfterMs;
      const isAway = error instanceof UnreachableError && error.nothingListens && waitedMs > longestLocalWaitMs;
      if (isLast || isAway || !isRetryable(error)) throw error;
      if (error.mostAttempts !== undefined) log?.(`${error.message} A retry follows`);
      await clock.sleep(waitMs).catch((cancelled: unknown) => {
        // If the operation is cancelled during the wait, still report that the last call may have been billed.
        throw error.billed === "unknown" ? error : cancelled;
      });
    }
  }
}

/**
 * Whether the error may be temporary, and this call was certainly not billed. So {@link withRetries} sends again what was
 * not billed, and `Throttle.run` what got a 429. What may have been billed is sent again only by `pay` for a voice, if
 * lists lack it, and by `withResends` for a decision.
 */
export function mayRepeat(error: CloudVoiceError): boolean {
  return error.isTransient && error.billed === "no";
}

/**
 * The wait before the next attempt. It starts at half a second and doubles, and is at least the wait that the service
 * asks for. Up to half of it is random, so that concurrent calls do not retry at the same moment.
 */
function backoffMs(retry: number, { retryAfterMs = 0 }: CloudVoiceError, clock: Pick<Clock, "random">): number {
  const ceiling = Math.min(longestBackoffMs, firstBackoffMs * 2 ** retry);
  return Math.max(retryAfterMs, ceiling * (0.5 + clock.random() / 2));
}

/** A number this large or larger is a time since 1970, not a delay in seconds. */
const earliestEpoch = 1_000_000_000;

/**
 * The delay in milliseconds that a `Retry-After` header states, as a number of seconds or a date. Some services send a
 * time in seconds or milliseconds since 1970 instead. Undefined for any other value.
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
