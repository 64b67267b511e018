import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface Command {
  name: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

/**
 * The times of the second SIGINT and of the kill, after the first SIGINT. The runner kills this process 10 s after the
 * runner's first signal. After the first SIGINT, the engine waits for all running operations, e.g. an image that takes
 * a minute. After the second SIGINT, the engine saves its state, releases the lock and ends, all within a second.
 */
const patience = { secondMs: 4_000, lastMs: 9_000 };

/** A runner sends SIGHUP if the terminal closes in which the runner was started. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The file with the id of the process that leads a run. */
export const pidFileIn = (folder: string) => join(folder, "run.pid");

/** Runs `work` after `ms`, unless the returned function is called before. */
type Later = (ms: number, work: () => void) => () => void;

const later: Later = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

/**
 * Runs a command as the leader of a process group, and returns the exit code. If the job is cancelled, the runner
 * signals only this process, which then ends the command. At the end the rest of the group is killed: the engine of a
 * command that was killed could send billed requests whose notes are missing in the saved journal. (Pulumi gives each
 * provider a group of its own. A provider ends when its engine is gone.) `pidFile`: the file for {@link endRun}.
 */
export async function runToEnd(
  { name, args, cwd, env }: Command,
  pidFile: string,
  after: Later = later,
): Promise<{ code: number; isCancelled: boolean }> {
  const child = spawn(name, args, { cwd, env, detached: true, stdio: ["ignore", "inherit", "inherit"] });
  writeFileSync(pidFile, String(child.pid));
  let stopEnding: (() => void) | undefined;
  const cancel = () => (stopEnding ??= endGently(pidFile, after));
  for (const signal of signals) process.on(signal, cancel);
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    return { code: code ?? 1, isCancelled: stopEnding !== undefined };
  } finally {
    stopEnding?.();
    killGroup(pidFile);
    for (const signal of signals) process.off(signal, cancel);
  }
}

/**
 * Ends a run that has outlived its step, in the same way as a cancel. In a container, a signal of the runner does not
 * reach the step: `docker exec`, which starts the step, does not pass signals on.
 */
export async function endRun(pidFile: string, after: Later = later): Promise<void> {
  if (!existsSync(pidFile)) return;
  const stopEnding = endGently(pidFile, after);
  while (existsSync(pidFile)) await sleep(50);
  stopEnding();
}

/** Asks a run to end, asks again later, and then kills the run. The returned function cancels the remaining steps. */
function endGently(pidFile: string, after: Later): () => void {
  const pid = pidIn(pidFile);
  const ask = () => kill(pid, "SIGINT");
  ask();
  const waiting = [after(patience.secondMs, ask), after(patience.lastMs, () => killGroup(pidFile))];
  return () => waiting.forEach((stop) => stop());
}

/** Kills the group of a run. Removes the file, which shows that the run has ended. */
function killGroup(pidFile: string): void {
  if (!existsSync(pidFile)) return;
  kill(-pidIn(pidFile), "SIGKILL");
  rmSync(pidFile);
}

/** Not a number if the command could not be started. */
const pidIn = (pidFile: string) => parseInt(readFileSync(pidFile, "utf8"));

/** A negative `pid` is a process group; 0 would be the group of this process. */
function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    if (pid !== 0) process.kill(pid, signal);
  } catch {
    // The process has ended, or was never started.
  }
}
