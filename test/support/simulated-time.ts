import type { Clock } from "../../provider/src/service/clock";

/** A clock whose time jumps to the next sleeper as soon as nothing else is left to do. */
export class SimulatedTime implements Clock {
  private ms = 0;
  private readonly sleepers: { at: number; wake: () => void }[] = [];

  now = () => this.ms;
  random = () => 0.5;
  sleep = (ms: number) =>
    new Promise<void>((wake) => {
      this.sleepers.push({ at: this.ms + Math.max(0, ms), wake });
    });

  /** Lets time pass until the work has ended. */
  async run<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    void work.catch(() => undefined).finally(() => (ended = true));
    for (;;) {
      // All microtasks run before the next immediate.
      await new Promise((resolve) => setImmediate(resolve));
      if (ended) return work;
      this.sleepers.sort((a, b) => a.at - b.at);
      const next = this.sleepers.shift();
      if (next === undefined) throw new Error("the work waits for something that never comes");
      this.ms = Math.max(this.ms, next.at);
      next.wake();
    }
  }
}
