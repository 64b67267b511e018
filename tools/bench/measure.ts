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
  /** The seconds of CPU of all processes of each kind, up to their last tenth of a second. Empty except on Linux. */
  cpu: Partial<Record<ProcessKind, number>>;
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
  const processes = new Map<string, ProcessFigures>();
  // The kernel records both, but only for as long as the process exists. So read them repeatedly.
  const timer = setInterval(() => noteFigures(folder, processes), 100);
  const result = await run().finally(() => clearInterval(timer));
  const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
  const peaks: Measurement["peaks"] = {};
  const cpu: Measurement["cpu"] = {};
  for (const { kind, megabytes, cpuSeconds } of processes.values()) {
    peaks[kind] = Math.max(peaks[kind] ?? 0, megabytes);
    cpu[kind] = (cpu[kind] ?? 0) + cpuSeconds;
  }
  return { ...result, seconds, peaks, cpu, ...(peaks.provider !== undefined && { peakMegabytes: peaks.provider }) };
}

interface ProcessFigures {
  kind: ProcessKind;
  /** The peak memory. */
  megabytes: number;
  cpuSeconds: number;
}

/** Notes the figures of the processes that run in this folder. Reads `/proc`, so there are none except on Linux. */
function noteFigures(folder: string, processes: Map<string, ProcessFigures>): void {
  if (!existsSync("/proc/self/status")) return;
  for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    if (workingFolder(pid) !== folder) continue;
    const command = readOrEmpty(join("/proc", pid, "cmdline"));
    const [kind] = Object.entries(processKinds).find(([, pattern]) => pattern.test(command)) ?? [];
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readOrEmpty(join("/proc", pid, "status")))?.[1];
    const stat = readOrEmpty(join("/proc", pid, "stat"));
    if (kind === undefined || kilobytes === undefined || stat === "") continue;
    // The fields after the name: user and system time are the 12th and 13th, in hundredths of a second.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / 100;
    processes.set(pid, { kind: kind as ProcessKind, megabytes: Number(kilobytes) / 1024, cpuSeconds });
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
