import type { Clock } from "../clock";

interface Look {
  clock: Pick<Clock, "sleep">;
  /** How long to go on looking, in milliseconds. With zero or less, looks once without waiting. */
  forMs: number;
}

const firstWaitMs = 500;
const longestWaitMs = 5000;

/**
 * Looks for something that the service may show late. Calls `look` at once, then at growing intervals, and for the last
 * time after exactly `forMs`. Always calls it once, even if no time is left, because an earlier result may be out of
 * date.
 */
export async function lookUntilFound<T>(
  { clock, forMs }: Look,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  let result = await look();
  let waitMs = firstWaitMs;
  for (let remainingMs = forMs; result === undefined && remainingMs > 0;) {
    await clock.sleep(Math.min(waitMs, remainingMs));
    remainingMs -= waitMs;
    waitMs = Math.min(waitMs * 2, longestWaitMs);
    result = await look();
  }
  return result;
}
