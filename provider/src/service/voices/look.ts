import type { Clock } from "../clock";

interface Look {
  clock: Pick<Clock, "sleep">;
  /** How long to go on looking, in milliseconds. With zero or less, looks once without waiting. */
  forMs: number;
  /** Called before each wait. `looks`: how often `look` was called so far. */
  beforeWait?: ((looks: number) => void) | undefined;
}

const firstWaitMs = 500;
const longestWaitMs = 5000;

/**
 * Looks for something that the service may show late. Calls `look` at once, then at growing intervals, and for the last
 * time after exactly `forMs`. Always calls it once, even if no time is left, because an earlier result may be out of
 * date.
 */
export async function lookUntilFound<T>(
  { clock, forMs, beforeWait }: Look,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  let found = await look();
  let waitMs = firstWaitMs;
  for (let looks = 1, remainingMs = forMs; found === undefined && remainingMs > 0; looks++) {
    beforeWait?.(looks);
    await clock.sleep(Math.min(waitMs, remainingMs));
    remainingMs -= waitMs;
    waitMs = Math.min(waitMs * 2, longestWaitMs);
    found = await look();
  }
  return found;
}
