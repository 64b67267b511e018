import { InitializationFailed, type Layer } from "./lifecycle";

/** The calls that change something and are under way in this process. */
export class Underway {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly ends: (() => void)[] = [];

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.running++;
    try {
      return await work();
    } catch (error) {
      if (error instanceof InitializationFailed && error.comesLast) await this.othersDone();
      throw error;
    } finally {
      this.running--;
      this.release();
      if (this.running === 0) for (const resolve of this.ends.splice(0)) resolve();
    }
  }

  readonly counted: Layer = (inner) => ({
    ...inner,
    create: (...args) => this.run(() => inner.create(...args)),
    update: (...args) => this.run(() => inner.update(...args)),
    delete: (...args) => this.run(() => inner.delete(...args)),
  });

  /** Resolves once none is under way. */
  ended(): Promise<void> {
    return new Promise((resolve) => (this.running === 0 ? resolve() : this.ends.push(resolve)));
  }

  /**
   * Resolves once all remaining calls wait here too. The engine starts nothing more after the first failure, so a
   * failure that does not concern the other resources is reported after them.
   */
  othersDone(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.release();
    });
  }

  private release(): void {
    if (this.running <= this.waiting.length) for (const resolve of this.waiting.splice(0)) resolve();
  }
}
