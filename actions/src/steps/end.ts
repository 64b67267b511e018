import { getInput } from "@actions/core";
import { endRun } from "../run-to-end";

/**
 * Ends the processes that the step `run` left behind. No such process may run while later steps save the journal and
 * publish the review.
 */
export function end(): Promise<void> {
  return endRun(getInput("folder", { required: true }));
}
