/** Returns the result of `work`, or undefined if it throws, e.g. in `JSON.parse`. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
