import { spawnSync } from "node:child_process";

/** The victim: all processes of the run, as when the machine stops, or one that the others outlive for a while. */
export const victims = ["everything", "the command line", "the provider process"] as const;
export type Victim = (typeof victims)[number];

interface RunningProcess {
  pid: number;
  parent: number;
  command: string;
}

/** Kills the victim. Returns whether there was a process to kill, and the ids of all processes of the run. */
export function killRun(pid: number, victim: Victim): { killed: boolean; processes: number[] } {
  const running = runningProcesses();
  const processes = [pid, ...descendantsOf(pid, running)];
  const providers = running
    .filter(
      ({ pid: each, command }) =>
        processes.includes(each) && /dynamic-provider|pulumi-resource-cloudvoice/.test(command),
    )
    .map((each) => each.pid);
  const victimPids = { everything: processes, "the command line": [pid], "the provider process": providers }[victim];
  killAll(victimPids);
  return { killed: victimPids.length > 0, processes };
}

export function killAll(pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  }
}

function runningProcesses(): RunningProcess[] {
  const lines = spawnSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).stdout.split("\n");
  return lines.flatMap((line) => {
    const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

/** The processes that this one has started, and those that they have started. */
export function descendantsOf(pid: number, running = runningProcesses()): number[] {
  const pids = [pid];
  // The loop also visits the ids that it appends.
  for (const parent of pids) pids.push(...running.filter((each) => each.parent === parent).map((each) => each.pid));
  return pids.slice(1);
}
