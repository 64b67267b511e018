/** Returns a function that calls `make` at its first use, and returns that result from then on. */
export function once<Args extends unknown[], T>(make: (...args: Args) => T): (...args: Args) => T {
  let cached: { result: T } | undefined;
  return (...args) => (cached ??= { result: make(...args) }).result;
}

/** Like {@link once}, for each key. With a `WeakMap`, keys can be freed. */
export function oncePer<Key, T>(
  make: (key: Key) => T,
  cache: Pick<Map<Key, T>, "has" | "get"> & { set(key: Key, value: T): unknown } = new Map<Key, T>(),
): (key: Key) => T {
  return (key) => {
    if (!cache.has(key)) cache.set(key, make(key));
    return cache.get(key) as T;
  };
}

/** Like {@link once} for a promise, but calls `load` again after a failure. */
export function onceSuccessful<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
}

/** Returns a function that resolves with a value loaded after the call. Calls during a load share the next load. */
export function loadedAfterCall<T>(load: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () =>
    (next ??= current.then(() => {
      next = undefined;
      const loading = load();
      current = loading.catch(() => undefined);
      return loading;
    }));
}
