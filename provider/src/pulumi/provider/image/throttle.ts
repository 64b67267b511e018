import { once } from "../../../once";
import type { Settings } from "../../../rules/settings";

/**
 * Keeps submissions to the account's rate, and running tasks to their number. Its limits hold for all resources
 * together.
 */
export interface ImageThrottle {
  /** Runs the work when a slot for a running task is free. The work calls `acquireSlot` before it submits. */
  run<T>(work: (acquireSlot: () => Promise<void>) => Promise<T>): Promise<T>;
}

export function imageThrottle({
  imageSubmitsPerSecond,
  maxRunningImages,
}: Pick<Settings, "imageSubmitsPerSecond" | "maxRunningImages">): ImageThrottle {
  // Loaded late: most operations submit nothing.
  const queues = once(async () => {
    const { default: PQueue } = await import("p-queue");
    return {
      running: new PQueue({ concurrency: maxRunningImages ?? Infinity }),
      submissions: new PQueue({ interval: 1000 / imageSubmitsPerSecond, intervalCap: 1 }),
    };
  });
  return {
    async run(work) {
      const { running, submissions } = await queues();
      return running.add(() => work(() => submissions.add(() => undefined)));
    },
  };
}
