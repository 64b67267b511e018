import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "../stack";

/** The processes of a run, by what they do. A command of this package is not one of them. */
const processKinds = {
  engine: /(^|\/)pulumi\0/,
  program: /pulumi-language-|@pulumi\/pulumi\/cmd\/run/,
  provider: /dynamic-provider|pulumi-resource-cloudvoice/,
  command: /pulumi-cloudvoice\/dist\/cli\.js/,
};
export type ProcessKind = keyof typeof processKinds;

export interface Measurement {
  seconds: number;
  /** The peak memory of the provider process. Undefined except on Linux. */
  peakMegabytes?: number;
  /** The peak memory of the largest process of each kind. Empty except on Linux. */
  peaks: Partial<Record<ProcessKind, number>>;
}

/** Runs Pulumi, and measures its time and the memory of its processes. Throws if the run fails. */
export async function measure(stack: Stack, args: string[]): Promise<Measurement> {
  const { code, output, ...measurement } = await measured(stack.folder, () => stack.start(args).done);
  if (code !== 0) throw new Error(`pulumi ${args.join(" ")} failed:\n${output.slice(-3000)}`);
  return measurement;
}

/** Runs a command of this package in the stack's folder. Its exit code is not judged. */
export function measureCommand(stack: Stack, cli: string, args: string[]): Promise<Measurement & { code: number }> {
  return measured(stack.folder, () => {
    const child = spawn(process.execPath, [cli, ...args], { cwd: stack.folder, env: stack.env, stdio: "ignore" });
    return new Promise<{ code: number }>((resolve, reject) => {
      child.once("error", reject).once("close", (code) => resolve({ code: code ?? -1 }));
    });
  });
}

async function measured<T>(folder: string, run: () => Promise<T>): Promise<T & Measurement> {
  const startedAt = process.hrtime.bigint();
  const peaks: Measurement["peaks"] = {};
  // The kernel records the peak, but only for as long as the process exists. So read it repeatedly.
  const timer = setInterval(() => notePeaks(folder, peaks), 250);
  const result = await run().finally(() => clearInterval(timer));
  const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
  return { ...result, seconds, peaks, ...(peaks.provider !== undefined && { peakMegabytes: peaks.provider }) };
}

/** Notes the peak memory of the processes that run in this folder. Reads `/proc`, so there are none except on Linux. */
function notePeaks(folder: string, peaks: Measurement["peaks"]): void {
  if (!existsSync("/proc/self/status")) return;
  for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    if (workingFolder(pid) !== folder) continue;
    const command = readOrEmpty(join("/proc", pid, "cmdline"));
    const [kind] = Object.entries(processKinds).find(([, pattern]) => pattern.test(command)) ?? [];
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readOrEmpty(join("/proc", pid, "status")))?.[1];
    if (kind === undefined || kilobytes === undefined) continue;
    const name = kind as ProcessKind;
    peaks[name] = Math.max(peaks[name] ?? 0, Number(kilobytes) / 1024);
  }
}

// A process can end between the listing of `/proc` and the reading of its files.
function workingFolder(pid: string): string {
  try {
    return readlinkSync(join("/proc", pid, "cwd"));
  } catch {
    return "";
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}
