import { CloudVoiceError, RateLimitError } from "../errors";
import type { Clock } from "./clock";
import { FoundRate, longestPauseMs } from "./found-rate";

export interface ThrottleOptions {
  /** The name of the interface for log lines and errors, e.g. `voices`. */
  name: string;
  clock: Clock;
  /**
   * The most calls in flight. At most the number of connections, so that a started call does not wait for a connection.
   */
  maxConcurrency: number;
  /** How long a call may wait because of 429s. With 0, the first 429 is an error. */
  maxWaitMs: number;
  log: (line: string) => void;
}

/** How long a call waits after a 429 without `Retry-After`. The wait doubles with each further 429 to the same call. */
const firstWaitMs = 1000;
const logIntervalMs = 30_000;
/** A shorter wait is not logged. */
const shortWaitMs = 5000;

interface Call {
  queuedAt: number;
  refusal: RateLimitError | undefined;
  refusedAt: number;
  /** The call is not sent again before this time. It is computed from the last 429 to the call. */
  notBefore: number;
}

interface Waiting extends Call {
  start: (sentAt: number) => void;
  fail: (error: unknown) => void;
}

/**
 * Sends the calls of one interface at the rate that the service allows. A refused call waits as long as its 429 asks,
 * and other calls go on. If {@link FoundRate} finds a limit, it applies to all calls. A 429 does not count as a retry,
 * because it means that nothing was done.
 */
export class Throttle {
  private readonly waiting: Waiting[] = [];
  private readonly rate: FoundRate;
  private inFlight = 0;
  private done = 0;
  private wakesAt = Infinity;
  private loggedAt = -Infinity;

  constructor(private readonly options: ThrottleOptions) {
    this.rate = new FoundRate(() => options.clock.random());
  }

  /** Sends a call when it is its turn, and again after each 429. Rejects if `onRefusal` does, or after too long. */
  async run<T>(send: () => Promise<T>, onRefusal?: (refusal: RateLimitError) => Promise<void> | undefined): Promise<T> {
    const { clock, maxWaitMs } = this.options;
    let refusal: RateLimitError;
    let call: Call = { queuedAt: clock.now(), refusal: undefined, refusedAt: Infinity, notBefore: 0 };
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestPauseMs)) {
      const sentAt = await this.turn(call);
      try {
        const result = await send();
        this.onSuccess(sentAt);
        return result;
      } catch (error) {
        if (!(error instanceof RateLimitError)) {
          // Any response with a status below 500, except a 429, shows that the service accepts calls at this rate.
          if (CloudVoiceError.is(error) && (error.status ?? 500) < 500) this.onSuccess(sentAt);
          throw error;
        }
        refusal = error;
        const now = clock.now();
        this.rate.onRefusal(sentAt, now, refusal.retryAfterMs);
        const refusedAt = Math.min(call.refusedAt, now);
        call = { ...call, refusal, refusedAt, notBefore: now + (refusal.retryAfterMs ?? waitMs) };
      } finally {
        this.inFlight--;
        this.serve();
      }
      await onRefusal?.(refusal);
      if (maxWaitMs === 0) throw refusal;
    }
  }

  private onSuccess(sentAt: number): void {
    this.done++;
    this.rate.onSuccess(sentAt, this.options.clock.now());
  }

  /** Resolves with the current time as soon as it is the call's turn. */
  private turn(call: Call): Promise<number> {
    return new Promise((start, fail) => {
      this.waiting.push({ ...call, start, fail });
      this.serve();
    });
  }

  /** Starts waiting calls, until the rate or the number of calls in flight is at its limit. */
  private serve(): void {
    const { clock, maxConcurrency, maxWaitMs } = this.options;
    this.failOverdue();
    for (;;) {
      if (this.waiting.length === 0 || this.inFlight >= Math.min(this.rate.mostInFlight, maxConcurrency)) return;
      const now = clock.now();
      const opensAt = Math.max(now, this.rate.opensAt(now));
      const next = this.waiting.reduce((best, call) => (rank(call, opensAt) < rank(best, opensAt) ? call : best));
      const waitMs = Math.max(opensAt, next.notBefore) - now;
      if (waitMs > 0) {
        this.logProgress(now);
        this.wakeAfter(Math.min(waitMs, logIntervalMs, Math.max(1, this.longestSince() + maxWaitMs - now + 1)));
        return;
      }
      this.waiting.splice(this.waiting.indexOf(next), 1);
      this.inFlight++;
      this.rate.onSend(now);
      next.start(now);
    }
  }

  /** Schedules the next start of waiting calls. If the operation is cancelled before that, all waiting calls fail. */
  private wakeAfter(ms: number): void {
    const { clock } = this.options;
    const at = clock.now() + ms;
    if (at >= this.wakesAt) return;
    this.wakesAt = at;
    void clock
      .sleep(ms)
      .catch((error: unknown) => {
        // If the call got a 429, fail with the 429: unlike the cancellation, a 429 shows that nothing was done.
        for (const { refusal, fail } of this.waiting.splice(0)) fail(refusal ?? error);
      })
      .then(() => {
        if (this.wakesAt === at) this.wakesAt = Infinity;
        this.serve();
      });
  }

  /** The time since which a call waits because of the rate, and not for a free connection. */
  private waitsSince({ queuedAt, refusedAt }: Call): number {
    const { limitedSince } = this.rate;
    return limitedSince === undefined ? refusedAt : Math.min(refusedAt, Math.max(queuedAt, limitedSince));
  }

  private longestSince(): number {
    return Math.min(...this.waiting.map((call) => this.waitsSince(call)));
  }

  /** Rejects calls that have waited too long, or that will have by the end of the pause that the service asks for. */
  private failOverdue(): void {
    const { maxWaitMs, clock } = this.options;
    const now = clock.now();
    const earliest = ({ notBefore }: Call) => Math.max(now, notBefore, this.rate.pausedUntil);
    const overdue = this.waiting.filter((call) => earliest(call) - this.waitsSince(call) > maxWaitMs);
    if (overdue.length === 0) return;
    this.waiting.splice(0, Infinity, ...this.waiting.filter((call) => !overdue.includes(call)));
    for (const call of overdue) call.fail(this.overdueError(call, earliest(call) - now));
  }

  private overdueError({ refusal }: Call, pauseMs: number): RateLimitError {
    const { status, code, requestId, reason = "too many calls" } = refusal ?? {};
    const late =
      pauseMs > longestPauseMs
        ? `the service asks to wait ${seconds(pauseMs)}`
        : `the call could not be sent within ${seconds(this.options.maxWaitMs)}`;
    const rate = this.describedRate();
    const rateText = rate && `; the service seems to accept ${rate}`;
    return new RateLimitError(`${late} (${reason.replace(/\.$/, "")})${rateText}`, { status, code, requestId, advice });
  }

  private logProgress(now: number): void {
    const { waiting, done, options } = this;
    const longestMs = now - this.longestSince();
    if (now - this.loggedAt < logIntervalMs || longestMs < shortWaitMs) return;
    this.loggedAt = now;
    const counts = `${done} calls done, ${waiting.length} waiting for up to ${seconds(longestMs)}`;
    const facts = [counts, this.describedRate()].filter(Boolean).join(", ");
    options.log(`the service limits the rate of ${options.name} (429): ${facts}`);
  }

  private describedRate(): string {
    const perSecond = this.rate.perSecond(this.options.clock.now());
    return perSecond === undefined ? "" : `${Number(perSecond.toPrecision(2))} a second`;
  }
}

/** The call with the lowest rank is sent next: of those that may be sent now, first those that were refused before. */
function rank({ notBefore, refusal }: Call, at: number): number {
  if (notBefore > at) return notBefore;
  return refusal === undefined ? -1 : -2;
}

const advice =
  "Nothing was done and nothing was billed. Run the command again later, or raise cloudvoice:maxThrottleSeconds.";

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
