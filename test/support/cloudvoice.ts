import { spawn } from "node:child_process";
import { join } from "node:path";
import { endOf } from "../../tools/end-of";
import { root } from "./files";
import { watch } from "./invariants-of-runs";
import type { Stack } from "./stack";

/** Runs the built command line in a stack's folder, without blocking the emulator in this process. */
export async function cloudvoice({ folder, env }: Pick<Stack, "folder" | "env">, args: string[], input = "") {
  const ended = watch(folder, env, args);
  const child = spawn(process.execPath, [join(root, "provider", "dist", "cli.js"), ...args], { cwd: folder, env });
  child.stdin.on("error", () => undefined).end(input);
  const { code, stdout, stderr, output } = await endOf(child);
  ended(code, output);
  return { code, stdout, stderr };
}
