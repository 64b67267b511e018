import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { describeThrown } from "../describe-thrown";
import { isRecordingName } from "../rules/file-formats";
import { InputError } from "../errors";
import { makeFolder, replaceFile, sha256Of } from "../files";
import { overwrittenFiles } from "../git";
import { counted, visible } from "../rules/visible";
import { type Host, type Pipeline, pipelineOf, readEvent, tokenOf, tokens } from "./hosts/pipeline";
import { secretsHidden, secretsIn } from "./known-secrets";
import { printError } from "./print";

interface RecordingsOptions {
  to: string;
  publish: "auto" | "yes" | "no";
  folder?: string;
}

/** The most recordings to fetch: more than a person listens to. */
const mostFiles = 100;

/** The user name that Git sends with a token. `variable`: the environment variable that has the token. */
const users: Record<Host, (variable: string) => string> = {
  github: () => "x-access-token",
  gitlab: (variable) => (variable === "CI_JOB_TOKEN" ? "gitlab-ci-token" : "oauth2"),
};

export function addRecordingsCommand(program: Command): void {
  program
    .command("recordings")
    .description("fetch the old recordings that a change overwrites, moves or removes, for the page of its review")
    .requiredOption("--to <folder>", "the folder to create, with each recording named by its SHA-256")
    .addOption(
      new Option("--publish <when>", "whether the page may contain recordings; auto: if the repository is not public")
        .choices(["auto", "yes", "no"])
        .default("auto"),
    )
    .option("--folder <path>", "the folder of the project in the repository (default: the whole repository)")
    .addHelpText(
      "after",
      "\nIf the page of the review must not contain recordings (see --publish), the folder is not created, and the exit " +
        "code is 0." +
        "\nExit codes: 0, or 1 for an error or a recording that could not be fetched.",
    )
    .action(runRecordings);
}

async function runRecordings(options: RecordingsOptions): Promise<void> {
  const pipeline = pipelineOf(process.env, readEvent(process.env));
  if (!mayPublish(options.publish, pipeline)) {
    printError("No recording is fetched for the page of the review: the repository is public, or --publish is no.");
    return;
  }
  const [base, change] = [refOf("base", pipeline.base), refOf("change", pipeline.change)];
  const to = emptyFolder(options.to);
  const { host } = pipeline;
  // In GitLab, CI_JOB_TOKEN can read the repository, but can't write comments: the command `comment` does not use it.
  const { name, token } = tokenOf(process.env, [...(host === "gitlab" ? ["CI_JOB_TOKEN"] : []), ...tokens[host]]);
  const login = Buffer.from(`${users[host](name)}:${token}`).toString("base64");
  const hide = secretsHidden([...secretsIn(process.env), login]);
  const remote = { url: pipeline.gitUrl, authorization: `Basic ${login}` };
  const selection = { base, change, folder: options.folder, isWanted: isRecordingName, most: mostFiles };
  let fetched = 0;
  try {
    for await (const file of overwrittenFiles(remote, selection)) {
      if ("why" in file) {
        printError(visible(hide(`not fetched: ${file.path}: ${file.why}`)));
        process.exitCode = 1;
        continue;
      }
      replaceFile(join(to, sha256Of(file.content)), file.content, 0o600);
      fetched++;
    }
  } catch (error) {
    throw new InputError(`${hide(describeThrown(error).message)} The page will name the recordings that it lacks.`);
  }
  printError(`${counted(fetched, "old recording")} fetched.`);
}

/** Whether the page may contain people's voices. Everybody who can read the repository can read the page. */
function mayPublish(publish: RecordingsOptions["publish"], { host, isPublic }: Pipeline): boolean {
  if (publish !== "auto") return publish === "yes";
  if (isPublic === undefined)
    throw new InputError(
      `The pipeline's variables do not say whether the repository on ${host} is public. Everybody ` +
        "who can read the repository can read the page. State whether the page may contain people's voices: " +
        "--publish yes or --publish no.",
    );
  return !isPublic;
}

/** Returns the hash of a commit, or the full name of a reference. A short name counts as the name of a branch. */
export function refOf(what: "base" | "change", text: string | undefined): string {
  if (text === undefined)
    throw new InputError(
      `The pipeline's variables do not name the ${what} of a pull request. Run this in the pipeline of one.`,
    );
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text)) return text;
  // Git does not allow these in the name of a reference. With a colon, `git fetch` would also write a local reference.
  if (/[\p{C}\s:^~?*[\\]|\.\.|^[-/]|^$|@\{/u.test(text))
    throw new InputError(`The ${what} of the pull request must be a branch, a reference or the full hash of a commit.`);
  return text.startsWith("refs/") ? text : `refs/heads/${text}`;
}

/** Creates the folder. Throws if the folder exists and is not empty. */
function emptyFolder(path: string): string {
  const folder = resolve(path);
  makeFolder(folder, 0o700);
  if (readdirSync(folder).length > 0)
    throw new InputError(`${visible(path)} is not empty. Give a folder that does not exist yet: --to <folder>.`);
  return folder;
}
