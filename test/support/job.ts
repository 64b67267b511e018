import { chmodSync } from "node:fs";
import { join } from "node:path";
import { emulate } from "./emulate";
import { fill } from "./expressions";
import { linesOf, put, temporaryFolder } from "./files";
import { readPipeline } from "./pipeline";
import { type Action, type Event, events, readYaml, Runner, type Step } from "./runner";
import { serve } from "./serve";
import { Stack } from "./stack";
import type { EmulatorOptions } from "../../provider/emulator";

/** The project of a team, on a runner of GitHub, with the service and the real engine. */
export async function startJob(options?: EmulatorOptions) {
  const emulator = await emulate(options);
  const stack = await Stack.create(emulator);
  stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`);
  const bin = temporaryFolder();
  // What is installed is there already.
  chmodSync(put(bin, "npm", `#!/bin/sh\necho "$*" >> "${join(bin, "npm.log")}"\n[ "$1" = ci ]\n`), 0o755);
  const { PULUMI_BACKEND_URL: backend = "", PULUMI_CONFIG_PASSPHRASE: passphrase = "", ...environment } = stack.env;
  const target = targetBranch();
  const tip = { status: 200, sha: "" };
  const api = await serve(({ url }, response) => {
    const isAsked = url === "/repos/team/voices/git/ref/heads/main";
    response.writeHead(isAsked ? tip.status : 404).end(JSON.stringify({ object: { sha: tip.sha } }));
  });
  const variables = { ...environment, PATH: `${bin}:${stack.env.PATH ?? ""}`, GITHUB_API_URL: api.url };
  const runner = new Runner(stack.folder, variables, target.folder);
  tip.sha = runner.sha;
  const inputs = inputsOfWorkflow({
    secrets: {
      ...{ CLOUDVOICE_API_KEY: emulator.apiKey, PULUMI_BACKEND_URL: backend, PULUMI_CONFIG_PASSPHRASE: passphrase },
    },
    vars: { CLOUDVOICE_BASE_URL: emulator.url },
    ...{ matrix: { stack: "dev" }, env: {} },
  });
  type Cancel = Parameters<Runner["job"]>[3];
  const job = (event: Event, more: Record<string, string> = {}, cancel?: Cancel) =>
    runner.job("actions/review", event, { ...inputs, ...more }, cancel);
  /** The job that comments, on a runner of its own. */
  const comment = (event: Event = events.pullRequest, attempt = "1") => {
    const elsewhere = new Runner(temporaryFolder(), runner.environment, target.folder, runner);
    elsewhere.attempt = attempt;
    return elsewhere.job("actions/review/comment", event, { stack: "dev" });
  };
  /** How npm was called, in order. */
  const installs = () => linesOf(join(bin, "npm.log"));
  return { emulator, stack, runner, job, comment, target, installs, bin, tip, api };
}

/** What the workflow that `init` writes hands to the action. */
function inputsOfWorkflow(contexts: object): Record<string, string> {
  const { jobs } = readPipeline("github", "dev") as { jobs: Record<string, { steps: Step[] }> };
  const given = Object.entries(jobs.review?.steps[1]?.with ?? {});
  return Object.fromEntries(given.map(([name, value]) => [name, fill(String(value), { ...contexts })]));
}

/** The most that one change may pay for, as the action has it by default. */
export const limits = (readYaml("actions/review/action.yml") as Action).inputs.limits?.default ?? "";

interface Call {
  args: string[];
  cwd: string;
  /** The names of its variables. */
  names: string[];
}

/** How the release of the default branch was called, in order. */
export const callsOf = ({ log }: { log: string }) => linesOf(log).map((line) => JSON.parse(line) as Call);

/** A checkout of the default branch. Its release of this package only logs how it is called. */
function targetBranch() {
  const folder = temporaryFolder();
  put(folder, "Pulumi.yaml", "name: program\nruntime: nodejs\n");
  put(folder, "package-lock.json", "{}");
  put(folder, "node_modules/pulumi-cloudvoice/package.json", "{}");
  const log = join(folder, "calls.json");
  put(
    folder,
    "node_modules/pulumi-cloudvoice/dist/cli.js",
    `const call = { args: process.argv.slice(2), cwd: process.cwd(), names: Object.keys(process.env).sort() };
     require("fs").appendFileSync(${JSON.stringify(log)}, JSON.stringify(call) + "\\n");`,
  );
  return { folder, log };
}
