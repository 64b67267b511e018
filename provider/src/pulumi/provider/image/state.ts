import { defaultTimeoutSeconds, type ImageOutputs } from "../../../rules/image";
import type { ImageInputs } from "../../../rules/image-inputs";
import type { Clock } from "../../../service/clock";

export interface ImageProps extends ImageInputs {
  /** The resource's name and digits of a hash of its URN (4 in older states), for log lines and file names. */
  label: string;
}

export type ImageState = ImageProps & ImageOutputs;

/** The resource's name, for log lines. */
export function nameIn(label: unknown): string {
  return String(label).replace(/-[0-9a-f]{4}([0-9a-f]{12})?$/, "");
}

/** How long one run waits for the task and its images. */
export function timeoutMsOf({ timeoutSeconds = defaultTimeoutSeconds }: Pick<ImageInputs, "timeoutSeconds">): number {
  return timeoutSeconds * 1000;
}

/** When a run that begins now stops waiting, in milliseconds since 1970. */
export function deadlineOf(inputs: ImageInputs, clock: Pick<Clock, "now">): number {
  return clock.now() + timeoutMsOf(inputs);
}
