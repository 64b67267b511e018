import { spawn } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { emulate } from "./emulate";
import { put, root } from "./files";
import { Stack } from "./stack";

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  with?: Record<string, string>;
}

interface Action {
  inputs: Record<string, { default?: string; required?: boolean }>;
  runs: { steps: Step[] };
}

interface Workflow {
  jobs: Record<string, { steps: Step[]; concurrency?: { group: string } }>;
}

const read = (path: string) => parse(readFileSync(join(root, path), "utf8"), { merge: true }) as unknown;

export const action = read("actions/review/action.yml") as Action;

/** A recipe for GitHub. */
export const workflow = (name: string) => read(`docs/pipelines/${name}`) as Workflow;

/** The jobs of the recipe for GitLab. */
export const gitlab = read("docs/pipelines/gitlab.yml") as Record<string, { script: string[] }> & {
  variables: { LIMITS: string };
};

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
  function run(script: string, variables: Variables = {}): Promise<number | null> {
    const env = {
      ...stack.env,
      LIMITS: limits,
      ...variables,
      PATH: `${join(stack.folder, "bin")}:${stack.env.PATH ?? ""}`,
    };
    const child = spawn("bash", ["-eo", "pipefail", "-c", script], { cwd: stack.folder, env, stdio: "ignore" });
    return new Promise((resolve) => child.once("close", resolve));
  }

  /** Runs a script of the action for GitHub, in a job of this mode. */
  function runAction(step: "Install" | "Run" | "Comment", mode: string, variables: Variables = {}) {
    const script = action.runs.steps.find(({ name }) => name === step)?.run ?? "exit 99";
    const files = {
      GITHUB_STEP_SUMMARY: join(stack.folder, "summary.md"),
      GITHUB_OUTPUT: join(stack.folder, "output"),
    };
    const absent = { CLOUDVOICE_JOURNAL: "", CLOUDVOICE_ACCEPT: "", PULUMI_ACCESS_TOKEN: "" };
    return run(script, { ...files, ...absent, MODE: mode, ...variables });
  }

  /** The update honours the limits, and the nightly job fails when a voice disappears. Both scripts are of one recipe. */
  async function expectLimitsAndDrift(
    up: (variables?: Variables) => Promise<number | null>,
    drift: () => Promise<number | null>,
    saved: string,
  ): Promise<void> {
    expect(await up({ LIMITS: limits.replace(/--max-cost \S+/, "--max-cost 0") })).not.toBe(0);
    expect(emulator.summary().voicesBilled).toBe(0);
    expect(await up()).toBe(0);
    expect(emulator.summary().voicesBilled).toBe(1);

    expect(await drift()).toBe(0);
    emulator.vanish("default", emulator.voices()[0]?.voice ?? "");
    expect(await drift()).not.toBe(0);
    expect(readFileSync(join(stack.folder, saved), "utf8")).toMatch(/: 1 missing, 0 orphaned/);
  }

  return { stack, shim, run, runAction, expectLimitsAndDrift };
}
