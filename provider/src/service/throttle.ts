import pLimit from "p-limit";
import { RateLimitError } from "../errors";
import { type Clock, secondsOf } from "./clock";

export interface ThrottleOptions {
  /** The name of the interface for log lines, e.g. `voices`. */
  name: string;
  clock: Clock;
  /** The most calls in flight. At most the number of connections, so that a started call does not wait for one. */
  maxConcurrency: number;
  /** How long a call may wait because of 429s. With 0, the first 429 is an error. */
  maxWaitMs: number;
  log: (line: string) => void;
}

const [firstPauseMs, longestPauseMs, leastLoggedMs] = [1000, 30_000, 5000];
const [firstSpacingMs, longestSpacingMs, leastSpacingMs, growth] = [200, 2000, 5, 1.5];
/** A success shortens the spacing by the first share; after a 429 to a spaced call (a real limit), by the later one. */
const [firstShare, laterShare] = [0.04, 0.005];
/** `row`: the number of 429s since the last success. With one or more, the next call is a trial. */
const unlimited = { since: Infinity, row: 0, opensAt: 0, spacingMs: 0, share: firstShare };
const advice = "Nothing was done and nothing was billed. Run the command again later.";

/**
 * Sends the calls of one interface. Sends a call again after a 429 (no retry: nothing was done). After a 429 all calls
 * pause. Then one call is sent as a trial. After its success, the others follow with a spacing between them.
 */
export class Throttle {
  private readonly slots: ReturnType<typeof pLimit>;
  private readonly turns = pLimit(1);
  /** Each pause replaces this object, so of the calls sent since the last pause, only the first 429 counts. */
  private limit = { ...unlimited };

  constructor(private readonly options: ThrottleOptions) {
    this.slots = pLimit(options.maxConcurrency);
  }

  /** Sends a call when it is its turn, and again after each 429. Rejects if `onRefusal` does, or after too long. */
  async run<T>(send: () => Promise<T>, onRefusal?: (refusal: RateLimitError) => Promise<void> | undefined): Promise<T> {
    const queuedAt = this.options.clock.now();
    for (let refusal: RateLimitError | undefined; ; await onRefusal?.(refusal)) {
      const result = await this.slots(async () => {
        const { response } = await this.turns(async () => {
          await this.untilOpen(queuedAt, refusal);
          const response = this.observe(send);
          // The next call's turn comes at once, or after the response to a trial.
          if (this.limit.row > 0) await response.catch(() => undefined);
          return { response };
        });
        return response;
      });
      if (!(result instanceof RateLimitError)) return result;
      refusal = result;
    }
  }

  private async untilOpen(queuedAt: number, refusal?: RateLimitError): Promise<void> {
    const { clock, maxWaitMs } = this.options;
    for (let now = clock.now(); now < this.limit.opensAt; now = clock.now()) {
      const waitMs = Math.ceil(this.limit.opensAt - now);
      const waitedMs = now - Math.max(queuedAt, this.limit.since);
      const error = refusal ?? new RateLimitError("too many calls");
      const facts = `the call waited ${secondsOf(waitedMs)}, and the next may be sent in ${secondsOf(waitMs)}`;
      if (waitedMs + waitMs > maxWaitMs) throw error.amend({ reason: `${facts}: ${error.reason}`, advice });
      // If the operation is cancelled, fail with the 429: unlike the cancellation, it shows that nothing was done.
      await clock.sleep(waitMs).catch((cancelled: unknown) => {
        throw refusal ?? cancelled;
      });
    }
  }

  /** Sends a call once, and learns from its response. Returns a 429, and throws any other error. */
  private async observe<T>(send: () => Promise<T>): Promise<T | RateLimitError> {
    const { limit, options } = this;
    limit.opensAt = options.clock.now() + limit.spacingMs;
    const result = await send().catch((error: unknown) => {
      if (error instanceof RateLimitError) return error;
      throw error;
    });
    if (result instanceof RateLimitError) this.onRefusal(result, limit === this.limit);
    else Object.assign(limit, { row: 0, spacingMs: limit.spacingMs * (1 - limit.share) });
    if (limit.spacingMs < leastSpacingMs) Object.assign(limit, unlimited);
    return result;
  }

  private onRefusal({ retryAfterMs = 0 }: RateLimitError, counts: boolean): void {
    const { limit, options } = this;
    const now = options.clock.now();
    const pauseMs = Math.max(retryAfterMs, counts ? Math.min(firstPauseMs * 2 ** limit.row, longestPauseMs) : 0);
    const opensAt = Math.max(limit.opensAt, now + pauseMs);
    if (!counts) return void (limit.opensAt = opensAt);
    if (pauseMs >= leastLoggedMs)
      options.log(`${options.name}: too many calls (429), a pause of ${secondsOf(pauseMs)}`);
    this.limit = { ...limit, since: Math.min(limit.since, now), row: limit.row + 1, opensAt };
    // The 429 of a trial shows that the pause was too short. Any other 429 shows that the spacing was.
    if (limit.row > 0) return;
    this.limit.share = limit.spacingMs === 0 ? firstShare : laterShare;
    this.limit.spacingMs = Math.min(growth * limit.spacingMs || firstSpacingMs, longestSpacingMs);
  }
}
