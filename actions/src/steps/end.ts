import { getInput } from "@actions/core";
import { endRun, pidFileIn } from "../run-to-end";

/** Ends a run that has outlived the step `run`, before later steps save the journal and publish the review. */
export function end(): Promise<void> {
  return endRun(pidFileIn(getInput("folder", { required: true })));
}
