const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Waits until the condition holds. The limit only ends a test that would wait for ever. */
export async function until(condition: () => boolean, limitMs = 240_000): Promise<void> {
  const end = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > end)
      throw new Error(`The condition did not hold within ${limitMs / 1000} s: ${String(condition)}`);
    await pause(20);
  }
}
