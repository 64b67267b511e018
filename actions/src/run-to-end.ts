import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
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
 * The times of the second SIGINT and of the kill. The runner kills this process 10 s after its first signal. After the
 * first SIGINT the engine waits for all that is under way, e.g. for an image of a minute. After the second, it ends
 * within a second, saves its state and releases the lock.
 */
const patience = { secondMs: 4_000, lastMs: 9_000 };

/** Runs `work` later, unless the returned function is called before. */
type Later = (ms: number, work: () => void) => () => void;

const later: Later = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

/** Marks all processes of a run: they inherit this variable, also if their parent has ended. */
const mark = "PULUMI_CLOUDVOICE_RUN";

/**
 * Runs a command. Returns its exit code after all its processes have ended, because a process that outlives this one
 * would bill requests that no saved journal has. The runner of a cancelled job signals this process only.
 */
export async function runToEnd(
  { name, args, cwd, env }: Command,
  after: Later = later,
): Promise<{ code: number; isCancelled: boolean }> {
  const id = randomUUID();
  const child = spawn(name, args, { cwd, env: { ...env, [mark]: id }, stdio: ["ignore", "inherit", "inherit"] });
  const waiting: (() => void)[] = [];
  const cancel = () => {
    if (waiting.length > 0) return;
    child.kill("SIGINT");
    waiting.push(after(patience.secondMs, () => child.kill("SIGINT")));
    waiting.push(after(patience.lastMs, () => killMarked(id)));
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, cancel);
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    return { code: code ?? 1, isCancelled: waiting.length > 0 };
  } finally {
    for (const stop of waiting) stop();
    while (killMarked(id) > 0) await sleep(50);
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, cancel);
  }
}

/** Kills the processes of a run, and returns their number. Only Linux shows the environment of a process. */
function killMarked(id: string): number {
  if (process.platform !== "linux") return 0;
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isMarked(name, id));
  for (const pid of pids) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // The process has ended.
    }
  }
  return pids.length;
}

function isMarked(pid: string, id: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${mark}=${id}`);
  } catch {
    return false; // It has ended, or is another user's.
  }
}
