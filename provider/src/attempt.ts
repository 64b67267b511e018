/** The result of `work`, or undefined if it throws: e.g. for a text that is no JSON. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
