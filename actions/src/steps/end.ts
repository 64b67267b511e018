import { getInput } from "@actions/core";
import { endRun } from "../run-to-end";

/** Ends what the step `run` has left, so that nothing runs while later steps save the journal and publish the review. */
export function end(): Promise<void> {
  return endRun(getInput("folder", { required: true }));
}
