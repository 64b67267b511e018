import type { Settings } from "../../../rules/settings";
import type { Clock } from "../../../service/clock";
import { Limiter } from "../../../service/limiter";

export type ImageThrottle = ReturnType<typeof imageThrottle>;

/** Keeps the submissions of all resources together to the account's rate, and running tasks to their number. */
export function imageThrottle(
  { imageSubmitsPerSecond, maxRunningImages }: Pick<Settings, "imageSubmitsPerSecond" | "maxRunningImages">,
  clock: Pick<Clock, "now" | "sleep">,
) {
  const running = new Limiter({ maxConcurrent: maxRunningImages });
  const submissions = new Limiter({ interval: { ms: 1000 / imageSubmitsPerSecond, clock } });
  return {
    /** Runs the work when a slot for a running task is free. The work calls `acquireSlot` before it submits. */
    run: <T>(work: (acquireSlot: () => Promise<void>) => Promise<T>) =>
      running.run(() => work(() => submissions.run(() => undefined))),
  };
}
