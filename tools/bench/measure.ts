import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "../stack";

export interface Measurement {
  seconds: number;
  /** The peak memory of the provider process. Undefined except on Linux. */
  peakMegabytes?: number;
}

/** Runs Pulumi, and measures its time and the provider's memory. Throws if the run fails. */
export async function measure(stack: Stack, args: string[]): Promise<Measurement> {
  const startedAt = process.hrtime.bigint();
  const { done } = stack.start(args);
  let peak = 0;
  // The kernel records the peak, but only for as long as the process exists. So read it repeatedly.
  const timer = setInterval(() => (peak = Math.max(peak, providerPeakMegabytes(stack.folder))), 250);
  const { code, output } = await done.finally(() => clearInterval(timer));
  const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
  if (code !== 0) throw new Error(`pulumi ${args.join(" ")} failed:\n${output.slice(-3000)}`);
  return { seconds, ...(peak > 0 && { peakMegabytes: peak }) };
}

/** The peak memory of the provider process that runs in this folder. Reads `/proc`, so it is 0 except on Linux. */
function providerPeakMegabytes(folder: string): number {
  if (!existsSync("/proc/self/status")) return 0;
  const peaks = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => readOrEmpty(join("/proc", pid, "cmdline")).match(/dynamic-provider|pulumi-resource-cloudvoice/))
    .filter((pid) => workingFolder(pid) === folder)
    .map((pid) => /VmHWM:\s+(\d+) kB/.exec(readOrEmpty(join("/proc", pid, "status")))?.[1]);
  return Math.max(0, ...peaks.map((kilobytes) => Number(kilobytes ?? 0) / 1024));
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
