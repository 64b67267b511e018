/** So many 429s in a row are taken as a limit. If calls are refused by chance, one in three, a row of eight is rare. */
const rowOfLimit = 8;
/** So many refusals among so many recent calls are taken as a limit too. */
const recentCalls = 32;
const refusalsOfLimit = 20;
/** If so many of the recent calls are refused even at the lower rate, the rate is not the reason. */
const refusalsByChance = 14;
/** The least pause of all calls. It doubles with every further 429 before a success. */
const firstPauseMs = 1000;
export const longestPauseMs = 30_000;
/** Lengthens pauses at random, so that several processes do not go on at the same moment. */
const jitterMs = 250;
/** How long the rate takes to grow back to where the last 429 occurred. */
const recoveryMs = 6000;
/** How much the rate falls after a single 429, and after a row of them. */
const smallCut = 0.3;
const largeCut = 0.4;
/** Single 429s do not lower the rate below this share of what the service accepted when the limit showed. */
const lowestShare = 0.4;
const firstWindow = 8;
const observedSeconds = 3;

interface Limit {
  /** When calls began to be limited. */
  from: number;
  /** The calls a second that the service accepted then. */
  found: number;
  /** The calls a second at which the last 429 occurred. */
  ceiling: number;
  cut: number;
  /** The last 429 that lowered the rate. A 429 for a call sent before that does not lower it again. */
  since: number;
  /** Undefined after a row of 429s, until a call succeeds. */
  growsSince: number | undefined;
  pausedUntil: number;
}

/**
 * Finds the rate that a service allows, from its responses. All times are milliseconds of one clock.
 *
 * A 429 may be chance, so a single one changes nothing. A row of them, or many among the recent calls, shows a limit:
 * all calls pause, one call tries, and then calls go on a little below the rate that was accepted before. The rate
 * grows along a cubic curve, as in TCP, and each 429 lowers it. If many calls are refused at the lower rate too, there
 * is no limit.
 */
export class FoundRate {
  private limit: Limit | undefined;
  /** When the calls of the last seconds were sent, without those that were refused. */
  private readonly acceptedAt: number[] = [];
  /** Whether each of the recent calls was refused. */
  private recent: boolean[] = [];
  private row = 0;
  private pauseMs = firstPauseMs;
  private lastSentAt = -Infinity;
  private window = firstWindow;

  constructor(private readonly random: () => number) {}

  /** Since when calls are limited, if they are. */
  get limitedSince(): number | undefined {
    return this.limit?.from;
  }

  /**
   * How many calls may be in flight. It begins low, so that a limit refuses few calls, and grows with successes. During
   * a row of 429s no other call takes the place of one that was refused.
   */
  get mostInFlight(): number {
    return this.limit && this.limit.growsSince === undefined ? 1 : Math.max(1, this.window - this.row);
  }

  get pausedUntil(): number {
    return this.limit?.pausedUntil ?? 0;
  }

  /** When the next call may be sent. */
  opensAt(now: number): number {
    const { limit, lastSentAt } = this;
    return limit === undefined ? 0 : Math.max(limit.pausedUntil, lastSentAt + 1000 / rateOf(limit, now));
  }

  /** The calls a second that are sent at most, if calls are limited. */
  perSecond(now: number): number | undefined {
    return this.limit && rateOf(this.limit, now);
  }

  onSend(now: number): void {
    this.lastSentAt = now;
    this.acceptedAt.push(now);
    while ((this.acceptedAt[0] ?? now) < now - 1000 * observedSeconds) this.acceptedAt.shift();
  }

  onSuccess(sentAt: number, now: number): void {
    this.window += 0.5;
    this.pauseMs = firstPauseMs;
    this.remember(false);
    this.row = 0;
    if (this.limit && sentAt > this.limit.since) this.limit.growsSince ??= now;
  }

  onRefusal(sentAt: number, now: number, retryAfterMs = 0): void {
    const { limit } = this;
    const index = this.acceptedAt.indexOf(sentAt);
    if (index >= 0) this.acceptedAt.splice(index, 1);
    if (limit && sentAt <= limit.since) {
      // Correct the rate: this call counted as accepted when the limit showed.
      if (limit.growsSince === undefined)
        limit.found = limit.ceiling = Math.min(limit.ceiling, this.accepted(limit.since));
      return;
    }
    this.remember(true);
    this.row++;
    const refused = this.recent.filter(Boolean).length;
    if (limit === undefined) {
      if (this.row < rowOfLimit && refused < refusalsOfLimit) return;
      this.recent = [];
      this.stop(this.accepted(now), now, retryAfterMs);
    } else if (limit.growsSince === undefined) {
      this.stop(limit.ceiling, now, retryAfterMs);
    } else if (refused >= refusalsByChance) {
      this.forget();
    } else {
      const ceiling = Math.max(rateOf(limit, now), lowestShare * limit.found);
      this.limit = { ...limit, ceiling, cut: smallCut, since: now, growsSince: now };
    }
  }

  /** Pauses all calls. Then one call at a time shows whether the service accepts calls again. */
  private stop(ceiling: number, now: number, retryAfterMs: number): void {
    const { from = now, pausedUntil = 0 } = this.limit ?? {};
    const pauseMs = Math.max(retryAfterMs, this.pauseMs) + jitterMs * this.random();
    this.limit = {
      ...{ from, found: ceiling, ceiling, cut: largeCut, since: now, growsSince: undefined },
      pausedUntil: Math.max(pausedUntil, now + pauseMs),
    };
    this.pauseMs = Math.min(2 * this.pauseMs, longestPauseMs);
    this.row = 0;
  }

  private forget(): void {
    this.limit = undefined;
    this.recent = [];
    this.row = 0;
    this.window = firstWindow;
  }

  private remember(refused: boolean): void {
    this.recent.push(refused);
    if (this.recent.length > recentCalls) this.recent.shift();
  }

  /** The most calls that the service accepted in one of the last seconds. */
  private accepted(until: number): number {
    const ages = this.acceptedAt.map((at) => Math.floor((until - at) / 1000));
    const counts = Array.from({ length: observedSeconds }, (_, age) => ages.filter((each) => each === age).length);
    return Math.max(1, ...counts);
  }
}

/** Calls a second: below the ceiling after a 429, quickly close to it, long around it, and faster beyond it. */
function rateOf({ ceiling, cut, growsSince }: Limit, now: number): number {
  const grownMs = growsSince === undefined ? 0 : now - growsSince;
  return ceiling * (1 + cut * ((grownMs - recoveryMs) / recoveryMs) ** 3);
}
