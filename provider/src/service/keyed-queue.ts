/** Runs work with the same key one after the other, and work with different keys concurrently. */
export class KeyedQueue {
  private readonly last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(work);
    this.last.set(key, mine);
    return mine;
  }
}
