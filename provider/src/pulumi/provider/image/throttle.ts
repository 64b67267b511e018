import { once } from "../../../once";
import { providerProcess } from "../operation";

/** Keeps submissions to the account's rate, and tasks in flight to their number. */
export interface ImageThrottle {
  /** Runs the work when a place is free; the work calls `mayStart` before it submits. */
  run<T>(work: (mayStart: () => Promise<void>) => Promise<T>): Promise<T>;
}

/** One for the process: its limits hold for all resources together. */
export const imageThrottle = once(async (): Promise<ImageThrottle> => {
  const { default: PQueue } = await import("p-queue");
  const { imageSubmitsPerSecond, maxRunningImages } = providerProcess().settings;
  const places = new PQueue({ concurrency: maxRunningImages ?? Infinity });
  const starts = new PQueue({ interval: 1000 / imageSubmitsPerSecond, intervalCap: 1 });
  return { run: (work) => places.add(() => work(() => starts.add(() => undefined))) };
});
