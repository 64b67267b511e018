import type { Clock } from "../clock";

interface Look {
  clock: Pick<Clock, "sleep">;
  /** How long to look. With zero or less, there is one look and no wait. */
  forMs: number;
  /** Called before each wait, with the number of looks so far. */
  beforeWait?: ((looks: number) => void) | undefined;
}

const firstWaitMs = 500;
const longestWaitMs = 5000;

/**
 * Looks for something that the service may show late: at once, at growing intervals, and last after exactly `forMs`. It
 * looks once even if `forMs` is over, because an earlier result may be too old.
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
