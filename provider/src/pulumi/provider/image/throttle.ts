import type { Settings } from "../../../rules/settings";
import type { Clock } from "../../../service/clock";
import { Limiter } from "../../../service/limiter";

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
  const running = new Limiter({ maxConcurrent: maxRunningImages });
  const submissions = new Limiter({ interval: { ms: 1000 / imageSubmitsPerSecond, clock } });
  return {
    run: (work) => running.run(() => work(() => submissions.run(() => undefined))),
  };
}
