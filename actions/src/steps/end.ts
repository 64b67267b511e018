import { getInput } from "@actions/core";
import { endRun } from "../run-to-end";

/**
 * Ends processes that the step `run` has left. Later steps save the journal and publish the review, and nothing may run
 * meanwhile.
 */
export function end(): Promise<void> {
  return endRun(getInput("folder", { required: true }));
}
