/** This many 429s in a row show a limit. Such a row is rare even if a third of all calls is refused at random. */
const rowOfLimit = 8;
/** If `refusalsOfLimit` of the last `recentCalls` calls were refused, that counts as a rate limit too. */
const recentCalls = 32;
const refusalsOfLimit = 20;
/**
 * If this many of the last `recentCalls` calls were refused at a lowered rate, the refusals do not depend on the rate.
 */
const refusalsByChance = 14;
/** The length of the first pause, in which no call is sent. It doubles with each 429 until a call succeeds. */
const firstPauseMs = 1000;
export const longestPauseMs = 30_000;
/** A pause gets a random extension of up to this length, so that processes do not resume at the same moment. */
const jitterMs = 250;
/** The time in which a lowered rate grows back to `Limit.ceiling`. */
const recoveryMs = 6000;
/** The share by which the rate is lowered. `smallCut`: after a single 429. `largeCut`: after a row of 429s. */
const smallCut = 0.3;
const largeCut = 0.4;
/** A single 429 does not lower the rate below this share of `Limit.acceptedRate`. */
const lowestShare = 0.4;
const firstWindow = 8;
const observedSeconds = 3;

interface Limit {
  limitedSince: number;
  /** The number of calls per second that the service accepted before the limit was found. */
  acceptedRate: number;
  /** The rate, in calls per second, at which the last 429 occurred. */
  ceiling: number;
  cut: number;
  /** The time of the last 429 that lowered the rate. The 429 of a call that was sent before does not lower it again. */
  loweredAt: number;
  /** The time at which the rate began to grow. Undefined after a row of 429s, until a call succeeds. */
  growsSince: number | undefined;
  pausedUntil: number;
}

/**
 * Finds the rate that the service allows, from its responses. All times are milliseconds of one clock.
 *
 * A single 429 may be random, so it changes nothing. A row of 429s, or many 429s among the recent calls, shows a limit.
 * Then all calls pause, and one call is sent as a trial. After its success the other calls follow, below the rate that
 * the service accepted before. The rate grows along a cubic curve, as in TCP, and each further 429 lowers it. If many
 * calls are refused even at a lowered rate, the refusals are random, and calls are no longer limited.
 */
export class FoundRate {
  private limit: Limit | undefined;
  /** When the calls of the last `observedSeconds` were sent. Without calls that were refused. */
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
   * The number of calls that may be in flight. It starts low, so that a rate limit refuses few calls, and grows with
   * each success. Each 429 in a row lowers it by one.
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

  /** The highest allowed rate, in calls per second. Undefined if the rate is not limited. */
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
      // The lowered rate counted this call as accepted, but it was refused: compute the rate without it.
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

  /** Pauses all calls. After the pause, calls are sent one after the other until one succeeds. */
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

  /** The most calls that were accepted within one second, of the last `observedSeconds` seconds before `until`. */
  private accepted(until: number): number {
    const ages = this.acceptedAt.map((at) => Math.floor((until - at) / 1000));
    const counts = Array.from({ length: observedSeconds }, (_, age) => ages.filter((each) => each === age).length);
    return Math.max(1, ...counts);
  }
}

/** The allowed rate in calls per second. It grows fast below `ceiling`, slowly around it, and fast above it. */
function rateOf({ ceiling, cut, growsSince }: Limit, now: number): number {
  const grownMs = growsSince === undefined ? 0 : now - growsSince;
  return ceiling * (1 + cut * ((grownMs - recoveryMs) / recoveryMs) ** 3);
}
