import { CloudVoiceError, RateLimitError } from "../errors";
import type { Clock } from "./clock";

export interface ThrottleOptions {
  /** The interface whose calls wait here, for log lines and errors: `voices`. */
  name: string;
  clock: Pick<Clock, "now" | "sleep">;
  /** The largest number of concurrent calls. A call that gets its turn must not wait for a connection then. */
  maxConcurrency: number;
  /** How long one call waits because the service answers 429. With 0 the first 429 ends the call. */
  maxWaitMs: number;
  log: (line: string) => void;
}

/** After a 429 without `Retry-After`, no call is sent for this long. It doubles with every further 429 in a row. */
const firstPauseMs = 1000;
const longestPauseMs = 30_000;
/** The successes of this period before the first 429 show the rate that the service allows. */
const observedMs = 1000;
/** How long the rate takes to grow back to where the last 429 occurred. */
const recoveryMs = 5000;
/** Below this share of the ceiling, for this long without a 429, the rate counts as safe. */
const safeShare = 0.95;
const provenMs = 1000;
const firstWindow = 8;
/** Calls a second to start from, if the first 429 comes before any success. */
const firstGuess = 4;
/** A rate so far above the last ceiling is no limit any more. The next 429 starts again from what was observed. */
const forgottenFactor = 8;
const logIntervalMs = 30_000;

interface Waiting {
  since: number;
  /** The last 429 to this call, if it was sent before. */
  refusal: RateLimitError | undefined;
  start: () => void;
  fail: (error: unknown) => void;
}

interface Limit {
  /** The calls a second at which the last 429 occurred. */
  ceiling: number;
  since: number;
  pauseMs: number;
  /** The first success after the last 429. Until then the rate does not grow. */
  growsSince: number | undefined;
  /** Successes just before the very first 429, which the ceiling follows. Their responses may come after it. */
  observed: number | undefined;
}

/**
 * Keeps the calls of one interface to the rate that the service allows. The service does not publish its rate, so it
 * is found: nothing is limited until the first 429. A 429 pauses all calls and halves the rate, and successes let it
 * grow again. A 429 means that nothing was done, so a refused call waits for another turn and does not use up a retry.
 */
export class Throttle {
  private readonly waiting: Waiting[] = [];
  private readonly succeededAt: number[] = [];
  private limit: Limit | undefined;
  /** Since when calls are limited. The time that a call waited before for a free connection does not count. */
  private limitedSince = 0;
  private pausedUntil = 0;
  private lastTurn = -Infinity;
  private inFlight = 0;
  /** How many calls may be in flight. It begins low, so that the first 429 hits few calls, and grows with successes. */
  private window = firstWindow;
  private done = 0;
  private isServing = false;
  private loggedAt = -Infinity;

  constructor(private readonly options: ThrottleOptions) {}

  /**
   * Sends a call when it is its turn, and again after each 429. Rejects if it has waited for too long, or as
   * `onRefusal` does, which is called with each 429.
   */
  async run<T>(send: () => Promise<T>, onRefusal?: (refusal: RateLimitError) => Promise<void> | undefined): Promise<T> {
    const since = this.options.clock.now();
    let refusal: RateLimitError | undefined;
    for (;;) {
      await this.turn(since, refusal);
      const sentAt = this.options.clock.now();
      try {
        const result = await send();
        this.onSuccess(sentAt);
        return result;
      } catch (error) {
        if (!(error instanceof RateLimitError)) {
          // Any other answer of the service shows that it accepts calls at this rate.
          if (CloudVoiceError.is(error) && (error.status ?? 500) < 500) this.onSuccess(sentAt);
          throw error;
        }
        this.onRefusal(sentAt, error.retryAfterMs);
        refusal = error;
      } finally {
        this.inFlight--;
        void this.serve();
      }
      await onRefusal?.(refusal);
      if (this.options.maxWaitMs === 0) throw refusal;
    }
  }

  private turn(since: number, refusal: RateLimitError | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ since, refusal, start: resolve, fail: reject });
      void this.serve();
    });
  }

  /** Gives turns to the waiting calls until none waits or no more may be in flight. */
  private async serve(): Promise<void> {
    if (this.isServing) return;
    this.isServing = true;
    while (this.inFlight < Math.min(this.window, this.options.maxConcurrency)) {
      this.failOverdue();
      const [first] = this.waiting;
      if (first === undefined) break;
      const now = this.options.clock.now();
      const waitMs = this.nextTurn() - now;
      if (waitMs > 0) {
        this.logProgress(now);
        const overdueMs = Math.max(first.since, this.limitedSince) + this.options.maxWaitMs - now + 1;
        await this.pause(Math.min(waitMs, logIntervalMs, Math.max(1, overdueMs)));
        continue;
      }
      const chosen = this.chooseNext(first);
      this.waiting.splice(this.waiting.indexOf(chosen), 1);
      this.inFlight++;
      this.lastTurn = now;
      chosen.start();
    }
    this.isServing = false;
  }

  /** Waits. If the operation is cancelled meanwhile, no call gets its turn: a 429 shows that nothing was done. */
  private async pause(ms: number): Promise<void> {
    try {
      await this.options.clock.sleep(ms);
    } catch (error) {
      for (const { refusal, fail } of this.waiting.splice(0)) fail(refusal ?? error);
    }
  }

  /**
   * A call that was refused goes first, but not while the rate is uncertain: then a call that was never sent shows
   * whether the service accepts it. So hardly any call is refused twice.
   */
  private chooseNext(first: Waiting): Waiting {
    const refused = this.waiting.find(({ refusal }) => refusal !== undefined);
    const fresh = this.waiting.find(({ refusal }) => refusal === undefined);
    return (this.isRateSafe() ? (refused ?? fresh) : (fresh ?? refused)) ?? first;
  }

  private isRateSafe(): boolean {
    const { limit } = this;
    if (limit?.growsSince === undefined) return limit === undefined;
    const isProven = this.options.clock.now() - limit.growsSince > provenMs;
    return isProven && this.rate(limit) < safeShare * limit.ceiling;
  }

  private nextTurn(): number {
    if (this.limit === undefined) return 0;
    return Math.max(this.pausedUntil, this.lastTurn + 1000 / this.rate(this.limit));
  }

  /**
   * Calls a second. A cubic curve, as TCP has it: half of the ceiling after a 429, quickly close to the ceiling, long
   * around it, and faster beyond it if no 429 comes.
   */
  private rate({ ceiling, growsSince }: Limit): number {
    const grownMs = growsSince === undefined ? 0 : this.options.clock.now() - growsSince;
    return ceiling * (1 + 0.5 * ((grownMs - recoveryMs) / recoveryMs) ** 3);
  }

  private onSuccess(sentAt: number): void {
    const now = this.options.clock.now();
    this.done++;
    this.window++;
    this.succeededAt.push(sentAt);
    while ((this.succeededAt[0] ?? now) < now - 2 * observedMs) this.succeededAt.shift();
    const { limit } = this;
    if (limit === undefined) return;
    if (sentAt > limit.since) limit.growsSince ??= now;
    else if (limit.observed !== undefined && sentAt >= limit.since - observedMs) limit.ceiling = ++limit.observed;
  }

  private onRefusal(sentAt: number, retryAfterMs: number | undefined): void {
    const now = this.options.clock.now();
    const { limit } = this;
    if (limit === undefined || this.rate(limit) > forgottenFactor * limit.ceiling) {
      const observed = this.succeededAt.filter((at) => at >= now - observedMs).length;
      const ceiling = observed || firstGuess;
      this.limitedSince = now;
      this.limit = { ceiling, since: now, pauseMs: firstPauseMs, growsSince: undefined, observed };
    } else if (sentAt > limit.since) {
      // Without a success since the last 429 the rate is not the reason: only the pause becomes longer.
      const ceiling = limit.growsSince === undefined ? limit.ceiling : this.rate(limit);
      const pauseMs = limit.growsSince === undefined ? Math.min(2 * limit.pauseMs, longestPauseMs) : firstPauseMs;
      this.limit = { ceiling, since: now, pauseMs, growsSince: undefined, observed: undefined };
    } else if (retryAfterMs === undefined) {
      // The call was sent before the last 429, which has slowed the others down already.
      return;
    }
    const pauseMs = retryAfterMs ?? this.limit?.pauseMs ?? firstPauseMs;
    this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
  }

  /** Rejects calls that have waited too long, or that would after the pause that the service asks for. */
  private failOverdue(): void {
    if (this.limit === undefined) return;
    const { maxWaitMs, clock, name } = this.options;
    const earliest = Math.max(clock.now(), this.pausedUntil);
    const overdue = this.waiting.filter(({ since }) => earliest - Math.max(since, this.limitedSince) > maxWaitMs);
    if (overdue.length === 0) return;
    this.waiting.splice(0, Infinity, ...this.waiting.filter((call) => !overdue.includes(call)));
    const pauseMs = this.pausedUntil - clock.now();
    const found = `the rate found for ${name} is ${this.describedRate(this.limit)}`;
    const late =
      pauseMs > longestPauseMs
        ? `the service asks to wait ${seconds(pauseMs)}`
        : `its turn did not come within ${seconds(maxWaitMs)}`;
    for (const { refusal, fail } of overdue) {
      const { status, code, requestId, reason = "too many calls" } = refusal ?? {};
      fail(new RateLimitError(`${late} (${reason.replace(/\.$/, "")}); ${found}`, { status, code, requestId, advice }));
    }
  }

  private logProgress(now: number): void {
    if (this.limit === undefined) return;
    const { waiting, done, options } = this;
    const longestMs = now - Math.min(...waiting.map(({ since }) => since));
    if (now - this.loggedAt < logIntervalMs || longestMs < Math.min(logIntervalMs, 5000)) return;
    this.loggedAt = now;
    const counts = `${done} calls done, ${waiting.length} waiting for up to ${seconds(longestMs)}`;
    options.log(`the service limits the rate of ${options.name} (429): ${counts}, ${this.describedRate(this.limit)}`);
  }

  private describedRate(limit: Limit): string {
    return `${Number(this.rate(limit).toPrecision(2))} a second`;
  }
}

const advice =
  "Nothing was done and nothing was billed. Run the command again later, or raise cloudvoice:maxThrottleSeconds.";

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
