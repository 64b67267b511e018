import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Run, Stack } from "../stack";

export interface Measured {
  seconds: number;
  /** The largest that the provider's process ever was, in megabytes; undefined where the system does not tell. */
  peakMegabytes?: number;
}

/** Runs Pulumi from start to end, and keeps an eye on the provider's process. The run must succeed. */
export async function measured(stack: Stack, args: string[]): Promise<Measured> {
  const started = process.hrtime.bigint();
  const { done } = stack.start(args);
  let peak: number | undefined;
  // The kernel keeps the peak itself; it only has to be read while the process lives.
  const watch = setInterval(() => (peak = Math.max(peak ?? 0, peakOfProvider(stack.folder) ?? 0)), 250);
  let run: Run;
  try {
    run = await done;
  } finally {
    clearInterval(watch);
  }
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  if (run.code !== 0) throw new Error(`pulumi ${args.join(" ")} failed:\n${run.output.slice(-3000)}`);
  return { seconds, ...(peak !== undefined && peak > 0 && { peakMegabytes: peak }) };
}

/** Linux alone: of the provider that runs in this folder. */
function peakOfProvider(folder: string): number | undefined {
  if (!existsSync("/proc/self/status")) return undefined;
  const peaks = readdirSync("/proc")
    .filter(
      (entry) =>
        /^\d+$/.test(entry) &&
        textOf(join("/proc", entry, "cmdline")).includes("dynamic-provider") &&
        folderOf(entry) === folder,
    )
    .map((entry) => Number(/VmHWM:\s+(\d+) kB/.exec(textOf(join("/proc", entry, "status")))?.[1] ?? 0) / 1024);
  return Math.max(0, ...peaks);
}

function folderOf(process: string): string {
  try {
    return readlinkSync(join("/proc", process, "cwd"));
  } catch {
    return "";
  }
}

function textOf(file: string): string {
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
