const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Near the end of the time that Jest gives a test. */
const limitMs = 840_000;

/** Waits until the condition holds. The limit only says which condition a test waits for that hangs. */
export async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`The condition does not come to hold: ${String(condition)}`);
    await pause(20);
  }
}
