/** Runs the steps of an operation: so many at a time, and no new ones after a failure. */
export class Steps {
  readonly errors: string[] = [];
  private readonly running = new Set<Promise<void>>();
  private readonly waiting: (() => void)[] = [];

  constructor(private slots: number) {}

  get failed(): boolean {
    return this.errors.length > 0;
  }

  /** Runs the step when a slot is free, unless another step has failed by then. */
  start(step: () => Promise<void>): void {
    const run = async () => {
      while (this.slots === 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
      this.slots--;
      if (!this.failed) await step().catch((error: unknown) => this.fail(error));
      this.slots++;
      this.waiting.shift()?.();
    };
    const running: Promise<void> = run().finally(() => this.running.delete(running));
    this.running.add(running);
  }

  async done(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  fail(error: unknown): void {
    this.errors.push(error instanceof Error ? error.message : String(error));
  }
}
