import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { getInput, notice } from "@actions/core";
import { hostEnvironment } from "../environment";
import { execute, ofRunner, projectFolder } from "../job";
import { releaseCli } from "../release";

/** Fetches the recordings that the change overwrites, with the `pulumi-cloudvoice` that the default branch installs. */
export async function recordings(): Promise<void> {
  const cli = await releaseCli(projectFolder(movedAway(join(ofRunner("GITHUB_WORKSPACE"), getInput("release")))));
  if (cli === undefined) {
    notice("The default branch does not have pulumi-cloudvoice yet, so the page lacks old recordings.");
    return;
  }
  const publish = ["--publish", getInput("recordings") || "auto", "--folder", getInput("working-directory") || "."];
  const command = [cli, "recordings", "--to", getInput("recordings-folder", { required: true }), ...publish];
  await execute("node", command, ofRunner("RUNNER_TEMP"), hostEnvironment(process.env, getInput("token")));
}

/**
 * Moves the checkout of the default branch out of the checkout of the change, because npm and Node.js also look for
 * packages in parent folders: e.g. in a `node_modules` that the change has committed.
 */
function movedAway(checkout: string): string {
  const folder = mkdtempSync(join(ofRunner("RUNNER_TEMP"), "cloudvoice-release-"));
  cpSync(checkout, folder, { recursive: true, verbatimSymlinks: true, filter: (path) => basename(path) !== ".git" });
  rmSync(checkout, { recursive: true });
  return folder;
}
