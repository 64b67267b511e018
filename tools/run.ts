import { execFileSync } from "node:child_process";

/** Where a program runs, and its additional environment variables. */
interface Place {
  cwd?: string;
  env?: Record<string, string>;
}

/** Runs a program, and returns its standard output. Throws with its errors if it fails. */
export function run(command: string, args: readonly string[], { cwd, env }: Place = {}): string {
  return execFileSync(command, args, {
    ...{ cwd, env: { ...process.env, ...env } },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}
