import type { Clock } from "../service/clock";
import { InitializationFailed, type Layer } from "./lifecycle";

export class Underway {
  /** The number of running calls that change something: `create`, `update` and `delete`. */
  private running = 0;
  private readonly ends: (() => void)[] = [];
  private calls = 0;
  /** The number of running calls that wait in `othersDone`. */
  private waiting = 0;
  /** The number of all calls so far. */
  private begun = 0;
  private readonly idle: (() => void)[] = [];

  /**
   * `quietMs`: how many milliseconds must pass without a new call before `othersDone` resolves. One second is ample,
   * because the engine passes the calls for independent resources within a few milliseconds.
   */
  constructor(
    private readonly clock: Pick<Clock, "sleep">,
    private readonly quietMs = 1000,
  ) {}

  readonly counted: Layer = (inner) => ({
    ...inner,
    check: (...args) => this.call(() => inner.check(...args)),
    diff: (...args) => this.call(() => inner.diff(...args)),
    create: (...args) => this.run(() => inner.create(...args)),
    update: (...args) => this.run(() => inner.update(...args)),
    delete: (...args) => this.run(() => inner.delete(...args)),
  });

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.running++;
    try {
      return await this.call(work);
    } finally {
      this.running--;
      if (this.running === 0) for (const resolve of this.ends.splice(0)) resolve();
    }
  }

  /** Resolves once no call that changes something is under way. */
  ended(): Promise<void> {
    return new Promise((resolve) => (this.running === 0 ? resolve() : this.ends.push(resolve)));
  }

  /**
   * Resolves once all running calls wait in `othersDone`, and no new call has come for `quietMs`. The engine does not
   * start other calls after the first failure. So a call whose failure concerns only its own resource waits here for the
   * calls of other resources, and fails last.
   */
  async othersDone(): Promise<void> {
    this.waiting++;
    this.release();
    for (let seen = -1; seen !== this.begun; await this.clock.sleep(this.quietMs)) {
      await new Promise<void>((resolve) => (this.calls <= this.waiting ? resolve() : this.idle.push(resolve)));
      seen = this.begun;
    }
    this.waiting--;
  }

  private async call<T>(work: () => Promise<T>): Promise<T> {
    this.calls++;
    this.begun++;
    try {
      return await work();
    } catch (error) {
      if (error instanceof InitializationFailed && error.comesLast) await this.othersDone();
      throw error;
    } finally {
      this.calls--;
      this.release();
    }
  }

  private release(): void {
    if (this.calls <= this.waiting) for (const resolve of this.idle.splice(0)) resolve();
  }
}
