import { mkdtempSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { getInput, info, notice, setOutput } from "@actions/core";
import { ofRunner, projectFolder } from "../job";
import { modeOf } from "../mode";
import { artifactName, namesOf } from "../project";
import { assertNewest } from "../tip";

/** The fields of GitHub's events that determine the mode. */
interface Payload {
  repository?: { default_branch?: string };
  schedule?: string;
  inputs?: { mode?: string } | null;
  client_payload?: { mode?: string } | null;
}

/** Sets the outputs that control the later steps, before any code of the change runs. */
export async function plan(): Promise<void> {
  const payload = JSON.parse(readFileSync(ofRunner("GITHUB_EVENT_PATH"), "utf8")) as Payload;
  const event = ofRunner("GITHUB_EVENT_NAME");
  const mode = modeOf({
    event,
    ref: ofRunner("GITHUB_REF"),
    defaultBranch: payload.repository?.default_branch,
    isProtected: process.env.GITHUB_REF_PROTECTED === "true",
    cron: payload.schedule,
    stated: getInput("mode") || payload.inputs?.mode || payload.client_payload?.mode,
  });
  info(`The event ${event} leads to: ${mode}.`);
  if (mode === "up" && getInput("older") !== "true")
    await assertNewest({
      api: ofRunner("GITHUB_API_URL"),
      repository: ofRunner("GITHUB_REPOSITORY"),
      ref: ofRunner("GITHUB_REF"),
      sha: ofRunner("GITHUB_SHA"),
      token: getInput("token", { required: true }),
    });
  const publishes = mode === "review" && offersArtifacts(ofRunner("GITHUB_SERVER_URL"));
  if (mode === "review" && !publishes)
    notice(
      "This server does not support actions/upload-artifact v4 and newer, so neither the page nor the comment is " +
        "published. See the summary of the job.",
    );
  setOutput("mode", mode);
  setOutput("artifact", artifactName(namesOf(projectFolder(), getInput("stack", { required: true }))));
  // The folder is outside of the checkout, so that a file of the change can't replace what this run writes.
  setOutput("folder", mkdtempSync(join(ofRunner("RUNNER_TEMP"), "cloudvoice-")));
  setOutput("publishes", publishes);
  const fetches = mode === "review" && Boolean(process.env.GITHUB_BASE_REF) && getInput("recordings") !== "no";
  setOutput("release", fetches ? releaseFolder() : "");
}

/**
 * Creates the folder for the checkout of the default branch, inside of the checkout of the change. The folder's name is
 * random. If a change knew the name, it could commit a link of this name to `.`, and the default branch would be
 * reviewed in place of the change.
 */
function releaseFolder(): string {
  return basename(mkdtempSync(join(ofRunner("GITHUB_WORKSPACE"), ".cloudvoice-release-")));
}

/** Whether actions/upload-artifact works with the server: the same rule as in that action. */
export function offersArtifacts(server: string): boolean {
  return /^(github\.com|.+\.ghe\.com|.+\.localhost)$/i.test(new URL(server).hostname);
}
