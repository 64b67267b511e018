import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { type Contexts, fill, runs } from "./expressions";
import { put, root, temporaryFolder } from "./files";

/** A stand-in for a runner of GitHub: it runs the text of the actions, with the files and variables of a real runner. */

export interface Step {
  id?: string;
  name?: string;
  uses?: string;
  if?: string;
  run?: string;
  with?: Record<string, string | boolean | number>;
  env?: Record<string, string>;
  "continue-on-error"?: boolean;
}

export interface Action {
  inputs: Record<string, { default?: string; required?: boolean }>;
  outputs?: Record<string, object>;
  runs: { using: string; steps: Step[] };
}

export interface Event {
  name: string;
  ref: string;
  payload: object;
  /** Of a pull request: the branch that it goes to. */
  baseRef?: string;
  isProtected?: boolean;
  server?: string;
}

export const readYaml = (path: string) => parse(readFileSync(join(root, path), "utf8"), { merge: true }) as unknown;

const repository = { default_branch: "main", full_name: "team/voices", visibility: "private" };

/** The events of a repository, with the parts of their payloads that matter. */
export const events = {
  pullRequest: {
    name: "pull_request",
    ref: "refs/pull/7/merge",
    baseRef: "main",
    payload: { number: 7, pull_request: { number: 7, head: { repo: repository }, user: { login: "dev" } }, repository },
  },
  mergeGroup: {
    name: "merge_group",
    ref: "refs/heads/gh-readonly-queue/main/pr-7-abc",
    isProtected: true,
    payload: { action: "checks_requested", merge_group: { base_ref: "refs/heads/main" }, repository },
  },
  push: { name: "push", ref: "refs/heads/main", payload: { ref: "refs/heads/main", repository } },
  nightly: { name: "schedule", ref: "refs/heads/main", payload: { schedule: "17 3 * * *", repository } },
  monthly: { name: "schedule", ref: "refs/heads/main", payload: { schedule: "17 5 1 * *", repository } },
  manual: { name: "workflow_dispatch", ref: "refs/heads/main", payload: { inputs: { mode: "review" }, repository } },
} satisfies Record<string, Event>;

export interface JobResult {
  /** `success`, `failure` or `cancelled`. */
  result: string;
  /** What the runner shows: the output of all steps. */
  log: string;
  /** The names of the steps that ran. */
  ran: string[];
}

/** Stands in for `docker exec`: a signal ends it, and not the command in the container. */
const dockerExec = `
  const [name, ...args] = process.argv.slice(1);
  const inside = require("child_process").spawn(name, args, { detached: true, stdio: "inherit" });
  inside.on("exit", (code) => process.exit(code ?? 137));`;

/** Resolves when a job is to be cancelled. `log` is what its step has printed by then. */
type Cancel = (log: () => string) => Promise<void>;

export class Runner {
  readonly temp = temporaryFolder();
  /** What the jobs of this run have published, by name. The last one is the newest. */
  readonly artifacts: { name: string; folder: string; attempt: string }[];
  /** The folders in the cache, by key, oldest first. */
  readonly caches: { key: string; folder: string }[];
  readonly summary = join(this.temp, "summary.md");
  /** What the steps of the last job have set for later ones by GITHUB_ENV. */
  variables: Record<string, string> = {};
  /** Whether the steps run in a container: then no signal of the runner reaches them. */
  isContainer = false;
  /** The commit of the run. */
  sha = "c0ffee".padEnd(40, "0");
  /** The attempt of the run, which is higher for a job that is run again. */
  attempt = "1";

  /** `target`: the checkout of the default branch. `same`: a runner of the same run. */
  constructor(
    readonly workspace: string,
    readonly environment: NodeJS.ProcessEnv,
    private readonly target: string,
    same?: Runner,
  ) {
    this.artifacts = same?.artifacts ?? [];
    this.caches = same?.caches ?? [];
  }

  /** Runs a job with one action, as `uses` of a recipe names it. */
  async job(uses: string, event: Event, inputs: Record<string, string>, cancel?: Cancel): Promise<JobResult> {
    const action = readYaml(join(uses, "action.yml")) as Action;
    const defaults = Object.fromEntries(
      Object.entries(action.inputs).map(([name, { default: text = "" }]) => [name, text]),
    );
    const steps: Record<string, { outputs: Record<string, string> }> = {};
    const status = { failed: false, cancelled: false };
    const ran: string[] = [];
    const variables = (this.variables = {});
    let log = "";
    const eventFile = put(this.temp, "_github_workflow/event.json", JSON.stringify(event.payload));
    const github = {
      ...{ event_name: event.name, event: event.payload, ref: event.ref, base_ref: event.baseRef ?? "", sha: this.sha },
      ...{
        run_id: "5",
        run_attempt: this.attempt,
        repository: "team/voices",
        token: "t0ken-of-the-job",
        job: "voices",
      },
      server_url: event.server ?? "https://github.com",
    };
    for (const step of action.runs.steps) {
      const contexts = {
        github,
        inputs: { ...defaults, ...inputs },
        steps,
        runner: { temp: this.temp },
        env: variables,
      };
      if (!runs(step.if, contexts, status)) continue;
      ran.push(step.name ?? step.uses ?? "");
      const given = filled(step.with, contexts);
      const done = await this.step(step, given, { github, event, eventFile, variables, cancel });
      log += done.log;
      if (step.id !== undefined) steps[step.id] = { outputs: done.outputs };
      Object.assign(variables, done.variables);
      if (done.isCancelled) status.cancelled = true;
      else if (done.code !== 0 && step["continue-on-error"] !== true) status.failed = true;
    }
    return { result: status.cancelled ? "cancelled" : status.failed ? "failure" : "success", log, ran };
  }

  private async step({ name, uses = "" }: Step, given: Record<string, string>, job: JobContext): Promise<StepResult> {
    if (uses.startsWith("$/.github/actions/cloudvoice/")) {
      const isRun = name === "Run";
      return this.javascript(
        uses.replace("$/.github/actions/cloudvoice", "actions/review"),
        given,
        isRun ? job : { ...job, cancel: undefined },
      );
    }
    const [official = ""] = uses.split("@");
    const code = this.official(official, given, job.github.run_id) ? 0 : 1;
    return { code, log: "", outputs: {}, variables: {}, isCancelled: false };
  }

  /** Runs a JavaScript action as the runner does. */
  private async javascript(uses: string, given: Record<string, string>, job: JobContext): Promise<StepResult> {
    const files = Object.fromEntries(
      ["ENV", "PATH", "OUTPUT", "STATE"].map((kind) => [
        `GITHUB_${kind}`,
        put(this.temp, `_runner_file_commands/set_${kind.toLowerCase()}_${randomUUID()}`, ""),
      ]),
    );
    const { runs: main } = readYaml(join(uses, "action.yml")) as { runs: { main: string } };
    const script = join(root, uses, main.main);
    const child = spawn("node", this.isContainer ? ["-e", dockerExec, "node", script] : [script], {
      cwd: this.workspace,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...this.environment,
        ...job.variables,
        ...inputVariables(given),
        ...files,
        ...{ CI: "true", GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: this.workspace, RUNNER_TEMP: this.temp },
        ...{ GITHUB_EVENT_NAME: job.event.name, GITHUB_EVENT_PATH: job.eventFile, GITHUB_REF: job.event.ref },
        ...{ GITHUB_BASE_REF: job.event.baseRef ?? "", GITHUB_SHA: job.github.sha, GITHUB_RUN_ID: job.github.run_id },
        ...{ GITHUB_REPOSITORY: job.github.repository, GITHUB_SERVER_URL: job.github.server_url },
        ...{ GITHUB_REF_PROTECTED: String(job.event.isProtected ?? false), GITHUB_STEP_SUMMARY: this.summary },
        ...{ ACTIONS_RUNTIME_TOKEN: "runtime", ACTIONS_ID_TOKEN_REQUEST_TOKEN: "oidc", RUNNER_TRACKING_ID: "github_1" },
      },
    });
    writeFileSync(this.summary, existsSync(this.summary) ? readFileSync(this.summary) : "");
    let log = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (log += data.toString()));
    const ended = new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 137)));
    let isCancelled = false;
    // A runner also sends SIGTERM, 7.5 s later, and SIGKILL after 10 s: test/actions/run-to-end.test.ts.
    void job.cancel?.(() => log).then(() => (isCancelled = child.kill("SIGINT")));
    const code = await ended;
    return {
      ...{ code, log, isCancelled },
      outputs: fileCommand(readFileSync(files.GITHUB_OUTPUT ?? "", "utf8")),
      variables: fileCommand(readFileSync(files.GITHUB_ENV ?? "", "utf8")),
    };
  }

  /** What an official action does for a job. Returns whether it succeeds. */
  private official(uses: string, given: Record<string, string>, run: string): boolean {
    const path = join(this.workspace, given.path ?? "");
    switch (uses) {
      case "actions/setup-node":
      case "pulumi/actions":
        return true;
      case "actions/checkout":
        if (given.ref !== "main") return false;
        // The real one follows a link, too.
        cpSync(this.target, existsSync(path) ? realpathSync(path) : path, { recursive: true });
        return true;
      case "actions/cache/restore": {
        const found = this.caches.filter(({ key }) => key.startsWith(given["restore-keys"] ?? "")).at(-1);
        if (found !== undefined) cpSync(found.folder, path, { recursive: true });
        return true;
      }
      case "actions/cache/save": {
        if (!existsSync(path) || this.caches.some(({ key }) => key === given.key)) return true;
        const folder = join(this.temp, "caches", String(this.caches.length));
        cpSync(path, folder, { recursive: true });
        this.caches.push({ key: given.key ?? run, folder });
        return true;
      }
      case "actions/upload-artifact":
        return this.upload(given);
      case "actions/download-artifact": {
        const isSeen = (attempt: string) => given["github-token"] !== undefined || attempt === this.attempt;
        const found = this.artifacts.filter(({ name, attempt }) => name === given.name && isSeen(attempt)).at(-1);
        if (found !== undefined) cpSync(found.folder, given.path ?? "", { recursive: true });
        return found !== undefined;
      }
      default:
        throw new Error(`The stand-in of a runner does not have the action ${uses}.`);
    }
  }

  private upload({ name, path = "", archive }: Record<string, string>): boolean {
    const files = path.split("\n").filter((file) => file !== "" && existsSync(file));
    const [first] = files;
    if (first === undefined) return true;
    const shown = archive === "false" ? basename(first) : (name ?? "");
    if (/["<>|*?:\\/]/.test(shown)) throw new Error(`An artifact cannot have the name ${shown}.`);
    const folder = join(this.temp, "artifacts", randomUUID());
    mkdirSync(folder, { recursive: true });
    for (const file of files) cpSync(file, join(folder, basename(file)), { verbatimSymlinks: true });
    this.artifacts.push({ name: shown, folder, attempt: this.attempt });
    return true;
  }

  /** The files of the newest artifact of this name. */
  published(name: string): Record<string, string> {
    const folder = this.artifacts.filter((artifact) => artifact.name === name).at(-1)?.folder;
    const files = folder === undefined ? [] : readdirSync(folder);
    return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder ?? "", file), "utf8")]));
  }

  /** The files of the newest artifact of each name. */
  all(): Record<string, Record<string, string>> {
    return Object.fromEntries(this.artifacts.map(({ name }) => [name, this.published(name)]));
  }

  /** The job runs on another machine: only what is in the cache is left. */
  throwAway(): void {
    rmSync(join(this.workspace, ".cloudvoice-journal"), { recursive: true, force: true });
  }
}

interface JobContext {
  github: { run_id: string; sha: string; repository: string; server_url: string };
  event: Event;
  eventFile: string;
  variables: Record<string, string>;
  cancel: Cancel | undefined;
}

interface StepResult {
  code: number;
  log: string;
  outputs: Record<string, string>;
  variables: Record<string, string>;
  isCancelled: boolean;
}

const filled = (given: Step["with"] = {}, contexts: Contexts) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, fill(String(value), contexts)]));

const inputVariables = (given: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [`INPUT_${name.replaceAll(" ", "_").toUpperCase()}`, value]),
  );

/** The content of a file command: `name=value`, or `name<<end`, the value and `end`. */
function fileCommand(text: string): Record<string, string> {
  const found = [...text.matchAll(/^(.+?)<<(.+)\n([^]*?)\n\2$|^([^=\n]+)=(.*)$/gm)];
  return Object.fromEntries(
    found.map(([, name, , value, short, plain]) => [name ?? short ?? "", value ?? plain ?? ""]),
  );
}
