import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { getInput, notice } from "@actions/core";
import { hostEnvironment } from "../environment";
import { execute, ofRunner, projectFolder } from "../job";
import { targetCli } from "../target";

/** Fetches the recordings that the change overwrites, with the target branch's release of this package. */
export async function recordings(): Promise<void> {
  const cli = await targetCli(projectFolder(movedAway(join(ofRunner("GITHUB_WORKSPACE"), getInput("target")))));
  if (cli === undefined) {
    notice("The target branch does not have pulumi-cloudvoice yet, so the page has no old recordings.");
    return;
  }
  const publish = ["--publish", getInput("recordings") || "auto", "--folder", getInput("working-directory") || "."];
  const command = [cli, "recordings", "--to", getInput("recordings-folder", { required: true }), ...publish];
  await execute("node", command, ofRunner("RUNNER_TEMP"), hostEnvironment(process.env, getInput("token")));
}

/**
 * Moves the checkout of the target branch out of the checkout of the change. npm and Node.js also look for packages in
 * the folders above, e.g. in a `node_modules` that the change has committed.
 */
function movedAway(checkout: string): string {
  const folder = mkdtempSync(join(ofRunner("RUNNER_TEMP"), "cloudvoice-target-"));
  cpSync(checkout, folder, { recursive: true, verbatimSymlinks: true, filter: (path) => basename(path) !== ".git" });
  rmSync(checkout, { recursive: true });
  return folder;
}
