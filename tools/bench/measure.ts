import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { endOf } from "../end-of";

export interface Measurement {
  seconds: number;
  /** The CPU seconds of all processes, each without its last tenth of a second. 0 except on Linux. */
  cpu: number;
  /** The sum of the processes' peak memory. Shared memory counts for each. 0 except on Linux. */
  megabytes: number;
}

/** Runs a command, and measures the processes that work in its folder. Throws if it fails. */
export async function measure(folder: string, env: NodeJS.ProcessEnv, command: string[]): Promise<Measurement> {
  const [program = "", ...args] = command;
  const startedAt = performance.now();
  const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const processes = new Map<string, Omit<Measurement, "seconds">>();
  // The kernel reports both only while the process exists.
  const timer = setInterval(() => noteProcesses(folder, processes), 100);
  const { code, output } = await endOf(child).finally(() => clearInterval(timer));
  if (code !== 0) throw new Error(`${command.join(" ")} failed:\n${output.slice(-3000)}`);
  const all = [...processes.values()];
  return {
    seconds: (performance.now() - startedAt) / 1000,
    cpu: all.reduce((sum, { cpu }) => sum + cpu, 0),
    megabytes: all.reduce((sum, { megabytes }) => sum + megabytes, 0),
  };
}

function noteProcesses(folder: string, processes: Map<string, Omit<Measurement, "seconds">>): void {
  if (!existsSync("/proc/self/status")) return;
  for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    // A process can end between the listing of `/proc` and the reading of its files.
    try {
      if (readlinkSync(join("/proc", pid, "cwd")) !== folder) continue;
      const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(join("/proc", pid, "status"), "utf8"))?.[1];
      const stat = readFileSync(join("/proc", pid, "stat"), "utf8");
      // The fields after the name: user and system time are the 12th and 13th, in hundredths of a second.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const cpu = (Number(fields[11]) + Number(fields[12])) / 100;
      if (kilobytes !== undefined) processes.set(pid, { cpu, megabytes: Number(kilobytes) / 1024 });
    } catch {
      // The process has ended.
    }
  }
}
