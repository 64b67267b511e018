import pLimit from "p-limit";
import type { Settings } from "../../../rules/settings";
import { type Clock, pacer } from "../../../service/clock";

/**
 * Keeps submissions to the account's rate, and running tasks to their number. Its limits hold for all resources
 * together.
 */
export interface ImageThrottle {
  /** Runs the work when a slot for a running task is free. The work calls `acquireSlot` before it submits. */
  run<T>(work: (acquireSlot: () => Promise<void>) => Promise<T>): Promise<T>;
}

export function imageThrottle(
  { imageSubmitsPerSecond, maxRunningImages }: Pick<Settings, "imageSubmitsPerSecond" | "maxRunningImages">,
  clock: Pick<Clock, "now" | "sleep">,
): ImageThrottle {
  const running = pLimit(maxRunningImages ?? Infinity);
  const acquireSlot = pacer(1000 / imageSubmitsPerSecond, clock);
  return { run: (work) => running(work, acquireSlot) };
}
