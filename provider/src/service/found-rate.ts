/**
 * This many 429s in a row count as a rate limit: such a row is rare even if a third of all calls is refused at random.
 */
const rowOfLimit = 8;
/** `refusalsOfLimit` refusals among the last `recentCalls` calls count as a rate limit too. */
const recentCalls = 32;
const refusalsOfLimit = 20;
/**
 * This many refusals among the last `recentCalls` calls at a lowered rate show that the refusals do not depend on the
 * rate.
 */
const refusalsByChance = 14;
/** The first pause of all calls. It doubles with each 429 until a call succeeds. */
const firstPauseMs = 1000;
export const longestPauseMs = 30_000;
/** The longest random extension of a pause, so that several processes do not resume at the same moment. */
const jitterMs = 250;
/** The time in which the rate grows back to `Limit.ceiling`. */
const recoveryMs = 6000;
/** The share by which the rate falls: after a single 429, and after a row of them. */
const smallCut = 0.3;
const largeCut = 0.4;
/** Single 429s do not lower the rate below this share of `Limit.acceptedRate`. */
const lowestShare = 0.4;
const firstWindow = 8;
const observedSeconds = 3;

interface Limit {
  limitedSince: number;
  /** The calls a second that the service accepted before calls were limited. */
  acceptedRate: number;
  /** The calls a second at which the last 429 occurred. */
  ceiling: number;
  cut: number;
  /** The time of the last 429 that lowered the rate. A 429 for a call sent before it does not lower the rate again. */
  loweredAt: number;
  /** The time since which the rate grows. Undefined between a row of 429s and the next success. */
  growsSince: number | undefined;
  pausedUntil: number;
}

/**
 * Finds the rate that a service allows, from its responses. All times are milliseconds of one clock.
 *
 * A 429 may be chance, so a single one changes nothing. A row of 429s, or many among the recent calls, shows a limit.
 * Then all calls pause, one call tries, and the others follow below the rate that was accepted before. The rate grows
 * along a cubic curve, as in TCP, and each 429 lowers it. If many calls are refused even at a lowered rate, the limit
 * is dropped: the refusals are random.
 */
export class FoundRate {
  private limit: Limit | undefined;
  /** The send times of the calls of the last `observedSeconds`, without refused calls. */
  private readonly acceptedAt: number[] = [];
  private recent: boolean[] = [];
  private row = 0;
  private pauseMs = firstPauseMs;
  private lastSentAt = -Infinity;
  private window = firstWindow;

  constructor(private readonly random: () => number) {}

  get limitedSince(): number | undefined {
    return this.limit?.limitedSince;
  }

  /**
   * The number of calls that may be in flight. The number begins low, so that a limit refuses few calls, and grows with
   * successes. Each 429 in a row lowers the number by one.
   */
  get mostInFlight(): number {
    return this.limit && this.limit.growsSince === undefined ? 1 : Math.max(1, this.window - this.row);
  }

  get pausedUntil(): number {
    return this.limit?.pausedUntil ?? 0;
  }

  opensAt(now: number): number {
    const { limit, lastSentAt } = this;
    return limit === undefined ? 0 : Math.max(limit.pausedUntil, lastSentAt + 1000 / rateOf(limit, now));
  }

  /** The highest rate, in calls a second. Undefined if calls are not limited. */
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
    if (this.limit && sentAt > this.limit.loweredAt) this.limit.growsSince ??= now;
  }

  onRefusal(sentAt: number, now: number, retryAfterMs = 0): void {
    const { limit } = this;
    const index = this.acceptedAt.indexOf(sentAt);
    if (index >= 0) this.acceptedAt.splice(index, 1);
    if (limit && sentAt <= limit.loweredAt) {
      // This call was sent before the rate was lowered, and counted as accepted then. Correct the rate.
      if (limit.growsSince === undefined)
        limit.acceptedRate = limit.ceiling = Math.min(limit.ceiling, this.accepted(limit.loweredAt));
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
      const ceiling = Math.max(rateOf(limit, now), lowestShare * limit.acceptedRate);
      this.limit = { ...limit, ceiling, cut: smallCut, loweredAt: now, growsSince: now };
    }
  }

  /** Pauses all calls. Then one call at a time shows whether the service accepts calls again. */
  private stop(ceiling: number, now: number, retryAfterMs: number): void {
    const { limitedSince = now, pausedUntil = 0 } = this.limit ?? {};
    const pauseMs = Math.max(retryAfterMs, this.pauseMs) + jitterMs * this.random();
    this.limit = {
      ...{ limitedSince, acceptedRate: ceiling, ceiling, cut: largeCut, loweredAt: now, growsSince: undefined },
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

/** Calls a second, along a cubic curve: growth is fast below `ceiling`, slow around it, and fast again above it. */
function rateOf({ ceiling, cut, growsSince }: Limit, now: number): number {
  const grownMs = growsSince === undefined ? 0 : now - growsSince;
  return ceiling * (1 + cut * ((grownMs - recoveryMs) / recoveryMs) ** 3);
}
