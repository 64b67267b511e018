import type { Layer } from "./lifecycle";

/** The running calls that change something: `create`, `update` and `delete`. */
export class Underway {
  private running = 0;
  private readonly ends: (() => void)[] = [];

  readonly counted: Layer = (inner) => ({
    ...inner,
    create: (...args) => this.run(() => inner.create(...args)),
    update: (...args) => this.run(() => inner.update(...args)),
    delete: (...args) => this.run(() => inner.delete(...args)),
  });

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.running++;
    try {
      return await work();
    } finally {
      this.running--;
      if (this.running === 0) for (const resolve of this.ends.splice(0)) resolve();
    }
  }

  /** Resolves once no such call is under way. */
  ended(): Promise<void> {
    return new Promise((resolve) => (this.running === 0 ? resolve() : this.ends.push(resolve)));
  }
}
