import type { ChildProcess } from "node:child_process";

/** How a process ended, and what it printed. */
export interface Run {
  /** -1 if a signal ended it. */
  code: number;
  /** Standard output and standard error, in the order in which they were printed. */
  output: string;
  stdout: string;
  stderr: string;
}

/** Resolves when the process has ended and its output is complete. */
export function endOf(child: ChildProcess): Promise<Run> {
  const run = { output: "", stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream]?.setEncoding("utf8").on("data", (text: string) => {
      run.output += text;
      run[stream] += text;
    });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ ...run, code: code ?? -1 }));
  });
}
