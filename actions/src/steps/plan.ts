import { mkdtempSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { getInput, info, notice, setOutput } from "@actions/core";
import { ofRunner, projectFolder } from "../job";
import { modeOf } from "../mode";
import { artifactName, namesOf } from "../project";
import { assertNewest } from "../tip";

/** The fields of GitHub's events from which the mode follows. */
interface Payload {
  repository?: { default_branch?: string };
  schedule?: string;
  inputs?: { mode?: string } | null;
  client_payload?: { mode?: string } | null;
}

/** Sets the outputs that say what the job does, before anything of the change runs. */
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
      "This server has no artifacts for actions/upload-artifact v4 and newer, so no page and no comment is published. The " +
        "summary of the job has the review. To publish both: docs/teams.md, GitHub Enterprise Server.",
    );
  setOutput("mode", mode);
  setOutput("artifact", artifactName(namesOf(projectFolder(), getInput("stack", { required: true }))));
  // Outside the checkout, so that no file of the change can replace what this run writes.
  setOutput("folder", mkdtempSync(join(ofRunner("RUNNER_TEMP"), "cloudvoice-")));
  setOutput("publishes", publishes);
  const fetches = mode === "review" && Boolean(process.env.GITHUB_BASE_REF) && getInput("recordings") !== "no";
  setOutput("release", fetches ? releaseFolder() : "");
}

/**
 * Makes the folder for the checkout of the default branch, which must be in that of the change. A change can't commit a
 * link of its name, e.g. to `.`: then the default branch would be reviewed in place of the change.
 */
function releaseFolder(): string {
  return basename(mkdtempSync(join(ofRunner("GITHUB_WORKSPACE"), ".cloudvoice-release-")));
}

/** Whether the server has artifacts, by the rule of actions/upload-artifact: github.com, or `ghe.com`. */
export function offersArtifacts(server: string): boolean {
  return /^(github\.com|.+\.ghe\.com|.+\.localhost)$/i.test(new URL(server).hostname);
}
