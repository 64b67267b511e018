import { lazily } from "../lazily";
import { providerProcess } from "./provider-process";

/** Keeps submissions to the account's rate, and tasks in flight to their number. */
export interface ImageLane {
  /** Runs the work when a place is free; the work calls `mayStart` before it submits. */
  submitted<T>(work: (mayStart: () => Promise<void>) => Promise<T>): Promise<T>;
}

/** One for the process: its limits hold for all resources together. */
export const imageLane = lazily(async (): Promise<ImageLane> => {
  const { default: PQueue } = await import("p-queue");
  const { imageSubmitsPerSecond, maxRunningImages } = providerProcess().settings;
  const places = new PQueue({ concurrency: maxRunningImages ?? Infinity });
  const starts = new PQueue({ interval: 1000 / imageSubmitsPerSecond, intervalCap: 1 });
  return { submitted: (work) => places.add(() => work(() => starts.add(() => undefined))) };
});
