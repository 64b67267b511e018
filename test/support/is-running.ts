import { readFileSync } from "node:fs";

/** On Linux. A process that has ended, and whose exit code nobody has asked for, is a zombie (Z). */
export function isRunning(pid: string): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
