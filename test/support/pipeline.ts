import { spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { emulate } from "./emulate";
import { put, root, temporaryFolder } from "./files";
import { Stack } from "./stack";

interface Step {
  name?: string;
  uses?: string;
  if?: string;
  run?: string;
  with?: Record<string, string>;
  env?: Record<string, string>;
}

interface Action {
  inputs: Record<string, { default?: string; required?: boolean }>;
  runs: { steps: Step[] };
}

interface Workflow {
  on: { schedule?: { cron: string }[] };
  jobs: Record<
    string,
    {
      steps: Step[];
      if?: string;
      needs?: string;
      environment?: string;
      strategy?: { matrix: { stack: string[] } };
      permissions?: object;
      concurrency?: { group: string };
    }
  >;
}

const read = (path: string) => parse(readFileSync(join(root, path), "utf8"), { merge: true }) as unknown;

export const action = read("actions/review/action.yml") as Action;

export const commentAction = read("actions/review/comment/action.yml") as Action;

/** A recipe for GitHub. */
export const workflow = (name: string) => read(`docs/pipelines/${name}`) as Workflow;

/** The jobs of the recipe for GitLab. */
export const gitlab = read("docs/pipelines/gitlab.yml") as Record<string, { extends?: string; script: string[] }> & {
  variables: { LIMITS: string };
  ".pulumi": { before_script: string[] };
};

/** What a job of GitLab runs, without what it installs. */
export function gitlabScript(name: string): string {
  const { extends: base, script = ["exit 99"] } = gitlab[name] ?? {};
  return [...(base === undefined ? [] : gitlab[".pulumi"].before_script.slice(0, 1)), ...script].join("\n");
}

export type Variables = Record<string, string>;

/**
 * The project of a team whose pipeline runs the scripts of a recipe, unchanged. Only the commands of the CI service are
 * replaced. `limits` are those of the recipe.
 */
export async function startPipeline(limits = action.inputs.limits?.default ?? "") {
  const emulator = await emulate();
  const stack = await Stack.create(emulator, { STACK: "dev" });
  stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`);

  /** Puts a command on the PATH of the scripts. */
  function shim(name: string, script: string): void {
    chmodSync(put(join(stack.folder, "bin"), name, `#!/bin/sh\n${script}\n`), 0o755);
  }
  // Without the option, npx asks the registry for a package that is not installed.
  shim(
    "npx",
    `[ "$1 $2" = "--no-install pulumi-cloudvoice" ] || exit 99; shift 2; exec "${process.execPath}" "${join(root, "provider", "dist", "cli.js")}" "$@"`,
  );

  /** Runs a script as both CI services do: the first command that fails ends it. */
  function run(script: string, variables: Variables = {}, cwd = stack.folder): Promise<number | null> {
    const env = {
      ...stack.env,
      LIMITS: limits,
      ...variables,
      PATH: `${join(stack.folder, "bin")}:${stack.env.PATH ?? ""}`,
    };
    const child = spawn("bash", ["-eo", "pipefail", "-c", script], { cwd, env, stdio: "ignore" });
    return new Promise((resolve) => child.once("close", resolve));
  }

  const temp = temporaryFolder();
  const files = {
    ...{ RUNNER_TEMP: temp, GITHUB_STEP_SUMMARY: join(temp, "summary.md"), GITHUB_OUTPUT: join(temp, "output") },
    ...{ GITHUB_ENV: join(temp, "env"), GITHUB_PATH: join(temp, "path") },
  };

  /** Runs a script of the action for GitHub, in a job of this mode. */
  function runAction(step: "Install" | "Run", mode: string, variables: Variables = {}) {
    const script = action.runs.steps.find(({ name }) => name === step)?.run ?? "exit 99";
    const prices = { CLOUDVOICE_VOICE_PRICE: action.inputs["voice-price"]?.default ?? "", CLOUDVOICE_IMAGE_PRICE: "" };
    const absent = { RECORDINGS: "", CLOUDVOICE_JOURNAL: "", CLOUDVOICE_ACCEPT: "", PULUMI_ACCESS_TOKEN: "" };
    return run(script, { ...files, ...absent, ...prices, MODE: mode, ...variables });
  }

  /** What the last step with this output has set. */
  const outputOf = (name: string) => {
    const outputs = existsSync(files.GITHUB_OUTPUT) ? readFileSync(files.GITHUB_OUTPUT, "utf8") : "";
    return [...outputs.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].at(-1)?.[1];
  };

  /** The files that the last job published. */
  const published = () => outputOf("folder") ?? "";

  /** Runs the job that comments, with what the one before has published. */
  function runComment(variables: Variables = {}) {
    rmSync(join(temp, "cloudvoice-comment"), { recursive: true, force: true });
    if (published() !== "")
      cpSync(published(), join(temp, "cloudvoice-comment"), { recursive: true, verbatimSymlinks: true });
    const script = commentAction.runs.steps.find(({ name }) => name === "Comment")?.run ?? "exit 99";
    const given = { PULL_REQUEST: "7", GH_TOKEN: "token", PAGE: `${outputOf("artifact") ?? ""}.html` };
    const ofRun = {
      ...given,
      GITHUB_REPOSITORY: "team/voices",
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_RUN_ID: "5",
    };
    return run(script, { ...files, ...ofRun, ...variables }, temp);
  }

  /** The update honours the limits, and the nightly job fails when a voice disappears. Both scripts are of one recipe. */
  async function expectLimitsAndDrift(
    up: (variables?: Variables) => Promise<number | null>,
    drift: () => Promise<number | null>,
    saved: () => string,
  ): Promise<void> {
    expect(await up({ LIMITS: limits.replace(/--max-cost \S+/, "--max-cost 0") })).not.toBe(0);
    expect(emulator.summary().voicesBilled).toBe(0);
    expect(await up()).toBe(0);
    expect(emulator.summary().voicesBilled).toBe(1);

    expect(await drift()).toBe(0);
    emulator.vanish("default", emulator.voices()[0]?.voice ?? "");
    expect(await drift()).not.toBe(0);
    expect(readFileSync(saved(), "utf8")).toMatch(/: 1 missing, 0 orphaned/);
  }

  return { stack, emulator, temp, shim, run, runAction, runComment, outputOf, published, expectLimitsAndDrift };
}
