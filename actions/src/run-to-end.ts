import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
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

/** Runs `work` after `ms`, unless the returned function is called before. */
type Later = (ms: number, work: () => void) => () => void;

const later: Later = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

/** Marks all processes of a run: they inherit this variable, and keep it after their parent has ended. */
const mark = "PULUMI_CLOUDVOICE_RUN";

/**
 * Runs a command. Returns the exit code after all processes of the command have ended: a process that runs on could
 * send billed requests whose notes are missing in the saved journal. If the job is cancelled, the runner signals only
 * this process, which then ends the command. `id`: the id of the run, for {@link endRun}.
 */
export async function runToEnd(
  { name, args, cwd, env }: Command,
  id: string,
  after: Later = later,
): Promise<{ code: number; isCancelled: boolean }> {
  const child = spawn(name, args, { cwd, env: { ...env, [mark]: id }, stdio: ["ignore", "inherit", "inherit"] });
  let stopEnding: (() => void) | undefined;
  const cancel = () => (stopEnding ??= endGently(() => child.kill("SIGINT"), id, after));
  for (const signal of signals) process.on(signal, cancel);
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    return { code: code ?? 1, isCancelled: stopEnding !== undefined };
  } finally {
    stopEnding?.();
    await killMarked(id);
    for (const signal of signals) process.off(signal, cancel);
  }
}

/**
 * Ends a run that has outlived its step, in the same way as a cancel. In a container, a signal of the runner does not
 * reach the step: `docker exec`, which starts the step, does not pass signals on.
 */
export async function endRun(id: string, after: Later = later): Promise<void> {
  const [first] = marked(id);
  if (first === undefined) return;
  const stopEnding = endGently(() => kill(first, "SIGINT"), id, after);
  while (marked(id).length > 0) await sleep(50);
  stopEnding();
}

/** Asks a run to end, asks again later, and then kills the run. The returned function cancels the remaining steps. */
function endGently(ask: () => void, id: string, after: Later): () => void {
  ask();
  const waiting = [after(patience.secondMs, ask), after(patience.lastMs, () => void killMarked(id))];
  return () => waiting.forEach((stop) => stop());
}

/** Kills the processes of a run, and the processes that they start meanwhile. */
async function killMarked(id: string): Promise<void> {
  for (let pids = marked(id); pids.length > 0; pids = marked(id)) {
    for (const pid of pids) kill(pid, "SIGKILL");
    await sleep(50);
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}

/** The processes of a run, the oldest first. Only Linux shows the environment of a process. */
function marked(id: string): number[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isMarked(name, id));
  return pids.map(Number).sort((a, b) => a - b);
}

function isMarked(pid: string, id: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${mark}=${id}`);
  } catch {
    return false; // The process has ended, or belongs to another user.
  }
}
