import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./files";
import { watch } from "./invariants-of-runs";
import type { Stack } from "./stack";

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the built command line in a stack's folder, without blocking the emulator in this process. */
export function cloudvoice({ folder, env }: Pick<Stack, "folder" | "env">, args: string[], input = ""): Promise<Ran> {
  const ended = watch(folder, env, args);
  const child = spawn(process.execPath, [join(root, "provider", "dist", "cli.js"), ...args], { cwd: folder, env });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
  child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
  child.stdin.on("error", () => undefined).end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      ended(code ?? -1, `${stdout}\n${stderr}`);
      resolve({ code: code ?? -1, stdout, stderr });
    });
  });
}
