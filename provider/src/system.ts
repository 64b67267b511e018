import { posix, win32 } from "node:path";

/* The differences between operating systems, except those in `peer.ts`, which reads `/proc`. Only Linux has it. */

/** The folder of commands in the virtual environment of a Python project. */
export function commandsOfVenv(folder: string, platform = process.platform): string {
  return platform === "win32" ? win32.join(folder, "venv", "Scripts") : posix.join(folder, "venv", "bin");
}

/** The file of a program in a folder of the PATH. */
export function programFile(folder: string, name: string, platform = process.platform): string {
  return platform === "win32" ? win32.join(folder, `${name}.exe`) : posix.join(folder, name);
}
