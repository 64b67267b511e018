import { execFileSync, spawn } from "node:child_process";
import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EmulatorOptions } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { linesOf, put, root, temporaryFolder } from "../support/files";
import { readPipeline } from "../support/pipeline";
import { isRunning } from "../support/is-running";
import { descendantsOf, Stack } from "../support/stack";
import { until } from "../support/until";

/** The shell of the pipeline for GitLab that `init` writes: real Git, the real engine and the emulator. npm and curl install nothing. */

const cli = join(root, "provider", "dist", "cli.js");

/** The files of a folder, with the time of their last change. */
const filesIn = (folder: string) =>
  (readdirSync(folder, { recursive: true }) as string[])
    .sort()
    .map((file) => [file, statSync(join(folder, file)).mtimeMs]);

type Script = string | Script[];
const lines = (script: Script): string[] => (typeof script === "string" ? [script] : script.flatMap(lines));
const recipe = readPipeline("gitlab", "dev") as Record<string, { script: Script }> & {
  variables: Record<string, string>;
};
const shellOf = (name: string) => lines(recipe[name]?.script ?? "exit 99");
/** The lines of shell of each job. */
const shell = { review: shellOf("review"), comment: shellOf("note"), up: shellOf(".up"), drift: shellOf("drift") };

async function startHost(options?: EmulatorOptions) {
  const emulator = await emulate(options);
  const stack = await Stack.create(emulator);
  stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`);
  const [origin, temp, bin] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const git = (cwd: string, ...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd, stdio: "pipe" });
  git(origin, "init", "--quiet", "--initial-branch=main");
  put(origin, "package.json", "{}");
  put(origin, "of-the-default-branch", "");
  git(origin, "add", "--all");
  git(origin, "commit", "--quiet", "-m", "default");
  // The branch that the change goes to, which its author has made.
  git(origin, "checkout", "--quiet", "-b", "of-the-author");
  put(origin, "evil", "");
  git(origin, "add", "--all");
  git(origin, "commit", "--quiet", "-m", "evil");
  git(origin, "checkout", "--quiet", "main");
  git(stack.folder, "init", "--quiet", "--initial-branch=change");
  git(stack.folder, "remote", "add", "origin", origin);
  git(stack.folder, "fetch", "--quiet", "origin");
  git(stack.folder, "reset", "--quiet", "origin/main"); // the files of the change stay
  const calls = join(temp, "calls");
  const shim = (name: string, script: string) => chmodSync(put(bin, name, `#!/bin/sh\n${script}\n`), 0o755);
  shim("curl", "echo true");
  shim("npm", `[ "$1" = ci ]`);
  // The commands of the other release are logged, with the folder that they run in.
  shim(
    "npx",
    `[ "$1 $2" = "--no-install pulumi-cloudvoice" ] || exit 99; shift 2
     case "$1" in recordings|comment) echo "$(ls | tr '\\n' ' ')$*" >> "${calls}" ;; *) exec "${process.execPath}" "${cli}" "$@" ;; esac`,
  );
  shim("pulumi-cloudvoice", `exec "${process.execPath}" "${cli}" "$@"`);
  /** Runs a job as a host does: the first command that fails ends it. */
  function start(name: keyof typeof shell, more: Record<string, string> = {}) {
    const { LIMITS = "", CLOUDVOICE_VOICE_PRICE = "", PROJECT = "" } = recipe.variables;
    const env = {
      ...stack.env,
      ...{ PATH: `${bin}:${stack.env.PATH ?? ""}`, PROJECT, STACK: "dev", HOME: temp },
      ...{ CI_PROJECT_DIR: stack.folder, CI_DEFAULT_BRANCH: "main", CI_COMMIT_BRANCH: "main" },
      ...{ CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "of-the-author", LIMITS, CLOUDVOICE_VOICE_PRICE },
      ...more,
    };
    const script = shell[name].join("\n").replaceAll("node_modules/.bin/", `${bin}/`);
    const child = spawn("bash", ["-eo", "pipefail", "-c", script], { cwd: stack.folder, env, stdio: "ignore" });
    return { child, ended: new Promise<number | null>((resolve) => child.once("close", resolve)) };
  }
  const job = (name: keyof typeof shell, more?: Record<string, string>) => start(name, more).ended;
  /** Somebody merges something else. */
  const merge = () => git(origin, "commit", "--quiet", "--allow-empty", "-m", "newer");
  const logged = () => linesOf(calls);
  return { emulator, stack, start, job, logged, merge };
}

test("a change is reviewed, the default branch's release has the tokens, the merge updates within the limits, drift fails", async () => {
  const { emulator, stack, job, logged } = await startHost();
  // Otherwise the list may not show a voice as new as that of this test, so a person would be asked.
  stack.configure({ "cloudvoice:settleSeconds": "0" });
  expect(await job("review")).toBe(0);
  expect(emulator.summary().voicesBilled).toBe(0);
  expect(await job("comment")).toBe(0);
  const [recordings, comment] = logged();
  // Nothing of the change is in the folder in which they run.
  for (const call of [recordings, comment]) expect(call).toMatch(/^of-the-default-branch package\.json /);
  expect(recordings).toMatch(/ recordings .*--to \S+recordings/);
  expect(comment).toMatch(/ comment .*--review \S+review\S* .*--project program --stack dev/);

  expect(await job("up", { CLOUDVOICE_VOICE_PRICE: "100" })).toBe(3);
  expect(await job("up")).toBe(0);
  expect(emulator.summary().voicesBilled).toBe(1);
  expect(await job("drift")).toBe(0);
  const [made] = emulator.voices();
  // A list without any voice would be asked about.
  emulator.seedVoices("default", 1);
  emulator.vanish("default", made?.voice ?? "");
  expect(await job("drift")).toBe(2);
  expect(readdirSync(stack.folder)).not.toContain("of-the-default-branch");
});

test("a review writes neither to the backend nor to the journal, so rights to read are enough", async () => {
  const { stack, job } = await startHost();
  expect(await job("up")).toBe(0);
  stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "a.wav", preferredName: "other" });`);
  const [backend, journal] = [stack.env.PULUMI_BACKEND_URL?.replace(/^file:\/\/|\?.*$/g, "") ?? "", temporaryFolder()];
  const before = filesIn(backend);
  expect(before.length).toBeGreaterThan(1);
  expect(await job("review", { CLOUDVOICE_JOURNAL: journal })).toBe(0);
  expect(filesIn(backend)).toEqual(before);
  expect(filesIn(journal)).toEqual([]);
});

test("an update does not raise the limit of the pipeline's own CLOUDVOICE_MAX_BILLED", async () => {
  const { emulator, job } = await startHost();
  expect(await job("up", { CLOUDVOICE_MAX_BILLED: "voices=0,images=5" })).toBe(3);
  expect(await job("up", { CLOUDVOICE_MAX_BILLED: "voices=lots" })).toBe(1);
  expect(emulator.summary().voicesBilled).toBe(0);
  expect(await job("up", { CLOUDVOICE_MAX_BILLED: "voices=1" })).toBe(0);
  expect(emulator.summary().voicesBilled).toBe(1);
});

test("a job that is run again after a newer merge updates nothing", async () => {
  const { emulator, job, merge } = await startHost();
  merge();
  expect(await job("up")).toBe(1);
  expect(emulator.summary().voicesBilled).toBe(0);
});

test("a signal to the process of the step ends Pulumi before the step, as GitLab stops a job", async () => {
  const { emulator, stack, start, job } = await startHost();
  stack.program(`for (let i = 0; i < 40; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav" });`);
  const { child, ended } = start("up");
  await until(() => emulator.summary().voicesBilled > 1);
  child.kill("SIGTERM");
  expect(await ended).not.toBe(0);
  const billed = emulator.summary().voicesBilled;
  expect(billed).toBeLessThan(40);
  // The state is saved and not locked.
  expect(await stack.resources()).toHaveLength(billed);
  expect(await job("up")).toBe(0);
  expect(emulator.summary().voicesBilled).toBe(40);
});

test("signals to every process, the youngest first, as GitLab's Docker executor ends a job: no request is lost", async () => {
  const { emulator, stack, start, job } = await startHost({ finishAfterPolls: 0 });
  stack.program(`new cv.GeneratedImage("image", { model: "svc-image", prompt: "A lighthouse" });`);
  const journal = { CLOUDVOICE_JOURNAL: join(stack.folder, ".cloudvoice-journal") };
  const respond = emulator.hold("submit");
  const { child, ended } = start("up", journal);
  await until(() => emulator.underWay("submit") > 0);
  for (const pid of [...descendantsOf(child.pid ?? 0), child.pid ?? 0].sort((a, b) => b - a)) {
    if (!isRunning(String(pid))) continue;
    process.kill(pid, "SIGTERM");
    setTimeout(respond, 1000);
    // The executor waits for 5 to 6 s before they signal the next one.
    for (let waits = 0; waits < 30 && isRunning(String(pid)); waits++) await sleep(100);
  }
  await ended;
  expect(await job("up", journal)).toBe(0);
  expect(emulator.summary().tasks).toBe(1);
});
