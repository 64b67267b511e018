import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../../provider/emulator/draw";

/**
 * Time and chance of one simulated run. Nothing in a run uses the real clock: every sleep, every request and every
 * write is an event at a virtual time, so a run of hours takes milliseconds and is the same each time.
 */
export class World {
  /** Milliseconds since 1970. */
  now = Date.parse("2026-06-01T08:00:00Z");
  /** The next one first. */
  private readonly events: Event[] = [];

  /** Calls `work` after this much virtual time. Events of the same moment run in the order of their scheduling. */
  after(ms: number, work: () => void): void {
    const at = this.now + Math.max(0, ms);
    this.events.splice(this.events.findLastIndex((event) => event.at <= at) + 1, 0, { at, work });
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
      const event = this.events.shift() ?? (await this.loaded(outcome));
      if (outcome.settled) return promise;
      if (event === undefined) throw new Error("The simulation waits for something that never happens.");
      if (events > 200_000) throw new Error("The simulation does not end.");
      this.now = event.at;
      event.work();
    }
  }

  /** The same, without an error: how the run failed, if it did. */
  async violationsUntil(work: Promise<void>): Promise<string[]> {
    const failed = (error: unknown) => [
      `the simulation failed: ${error instanceof Error ? error.stack : String(error)}`,
    ];
    return this.runUntil(work).then(() => [], failed);
  }

  /** A module that is loaded on demand comes from the disk, which is no event. Without it, this ends a run that hangs. */
  private async loaded(outcome: { settled: boolean }): Promise<Event | undefined> {
    for (let tries = 0; tries < 6_000 && this.events.length === 0 && !outcome.settled; tries++) await sleep(10);
    return this.events.shift();
  }
}

interface Event {
  at: number;
  work: () => void;
}

/** Node.js runs immediates after all promise reactions and `process.nextTick` callbacks. */
function everythingThatCanRun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Numbers that look random and are the same for the same seed. */
export class Random {
  /** In [0, 1). */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seededRandom(seed);
  }

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
