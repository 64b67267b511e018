import { defaultTimeoutSeconds } from "../../../rules/image";
import type { Clock } from "../../../service/clock";

/** How long one run waits for the task and its images. */
export function timeoutMsOf({ timeoutSeconds = defaultTimeoutSeconds }: { timeoutSeconds?: number }): number {
  return timeoutSeconds * 1000;
}

/** When a run that begins now stops waiting, in milliseconds since 1970. */
export function deadlineOf(inputs: { timeoutSeconds?: number }, clock: Pick<Clock, "now">): number {
  return clock.now() + timeoutMsOf(inputs);
}
