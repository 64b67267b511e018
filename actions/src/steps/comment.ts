import { join } from "node:path";
import { getInput, notice } from "@actions/core";
import { hostEnvironment } from "../environment";
import { readReview } from "../files";
import { execute, ofRunner, projectFolder } from "../job";
import { namesOf } from "../project";
import { releaseCli } from "../release";

/** Posts the review of the previous job, with the version of `pulumi-cloudvoice` that the default branch installs. */
export async function comment(): Promise<void> {
  const folder = getInput("folder", { required: true });
  if (readReview(join(folder, "review.md")) === undefined) {
    notice("The previous job did not publish a review, so there is nothing to post.");
    return;
  }
  const cli = await releaseCli(projectFolder());
  if (cli === undefined) {
    notice("The default branch does not have pulumi-cloudvoice yet, so the review is not posted. See the summary.");
    return;
  }
  const { project, stack } = namesOf(projectFolder(), getInput("stack", { required: true }));
  const args = [cli, "comment", "--review", folder, "--project", project, "--stack", stack];
  await execute("node", args, ofRunner("RUNNER_TEMP"), hostEnvironment(process.env, getInput("token")));
}
