import type { Clock } from "./clock";

export interface LimiterOptions {
  /** How much work runs at once. Default: any number. */
  maxConcurrent?: number | undefined;
  /** The least time between two starts. Default: none. */
  interval?: { ms: number; clock: Pick<Clock, "now" | "sleep"> } | undefined;
}

/** Runs work in the order in which it comes, only so much at once, and with a pause between two starts. */
export class Limiter {
  private free: number;
  private readonly waiting: (() => void)[] = [];
  private nextStartMs = -Infinity;

  constructor(private readonly options: LimiterOptions) {
    this.free = options.maxConcurrent ?? Infinity;
  }

  async run<T>(work: () => Promise<T> | T): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      await this.interval();
      return await work();
    } finally {
      const next = this.waiting.shift();
      // The next one takes over the place, so that nobody who comes meanwhile overtakes it.
      if (next) next();
      else this.free++;
    }
  }

  private async interval(): Promise<void> {
    const { interval } = this.options;
    if (interval === undefined) return;
    const now = interval.clock.now();
    const startMs = Math.max(now, this.nextStartMs);
    this.nextStartMs = startMs + interval.ms;
    if (startMs > now) await interval.clock.sleep(startMs - now);
  }
}
