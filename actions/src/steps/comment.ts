import { join } from "node:path";
import { getInput, notice } from "@actions/core";
import { hostEnvironment } from "../environment";
import { readReview } from "../files";
import { execute, ofRunner, projectFolder } from "../job";
import { namesOf } from "../project";
import { targetCli } from "../target";

/** Posts the review of the previous job, with the target branch's release of this package. */
export async function comment(): Promise<void> {
  const folder = getInput("folder", { required: true });
  if (readReview(join(folder, "review.md")) === undefined) {
    notice("The previous job has published no review, so there is nothing to post.");
    return;
  }
  const cli = await targetCli(projectFolder());
  if (cli === undefined) {
    notice("The target branch does not have pulumi-cloudvoice yet, so the review is not posted. The summary has it.");
    return;
  }
  const { project, stack } = namesOf(projectFolder(), getInput("stack", { required: true }));
  const args = [cli, "comment", "--review", folder, "--project", project, "--stack", stack];
  await execute("node", args, ofRunner("RUNNER_TEMP"), hostEnvironment(process.env, getInput("token")));
}
