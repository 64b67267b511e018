import { setTimeout as sleep } from "node:timers/promises";

/**
 * Time and chance of one simulated run. Nothing in a run uses the real clock: every sleep, every request and every
 * write is an event at a virtual time, so a run of hours takes milliseconds and is the same each time.
 */
export class World {
  /** Milliseconds since 1970. */
  now = Date.parse("2026-06-01T08:00:00Z");
  private readonly events: Event[] = [];
  private count = 0;

  /** Calls `work` after this much virtual time. Events of the same moment run in the order of their scheduling. */
  after(ms: number, work: () => void): void {
    const { events } = this;
    const event = { at: this.now + Math.max(0, ms), order: this.count++, work };
    let index = events.length;
    events.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, events[parent]!)) break;
      events[index] = events[parent]!;
      index = parent;
    }
    events[index] = event;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Runs events until the promise has settled. Between two events, all code that can run does run. */
  async runUntil<T>(promise: Promise<T>): Promise<T> {
    const outcome = { settled: false };
    promise.then(
      () => (outcome.settled = true),
      () => (outcome.settled = true),
    );
    for (let events = 0; ; events++) {
      await everythingThatCanRun();
      if (outcome.settled) return promise;
      const event = this.next() ?? (await this.loaded(outcome));
      if (outcome.settled) return promise;
      if (event === undefined) throw new Error("The simulation waits for something that never happens.");
      if (events > 200_000) throw new Error("The simulation does not end.");
      this.now = event.at;
      event.work();
    }
  }

  /** A module that is loaded on demand comes from the disk, which is no event. Without it, this ends a run that hangs. */
  private async loaded(outcome: { settled: boolean }): Promise<Event | undefined> {
    for (let tries = 0; tries < 6_000 && this.events.length === 0 && !outcome.settled; tries++) await sleep(10);
    return this.next();
  }

  private next(): Event | undefined {
    const { events } = this;
    const first = events[0];
    const last = events.pop();
    if (first === undefined || last === undefined || events.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && isBefore(events[child + 1]!, events[child]!)) child++;
      if (!isBefore(events[child]!, last)) break;
      events[index] = events[child]!;
      index = child;
    }
    events[index] = last;
    return first;
  }
}

interface Event {
  at: number;
  order: number;
  work: () => void;
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Node.js runs immediates after all promise reactions and `process.nextTick` callbacks. */
function everythingThatCanRun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Mulberry32: numbers that look random and are the same for the same seed. */
export class Random {
  constructor(private seed: number) {}

  /** In [0, 1). */
  readonly next = (): number => {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `from` to `to`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.next() * values.length)]!;
  }
}
