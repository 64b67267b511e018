import { spawn } from "node:child_process";
import { constants } from "node:os";
import { InputError } from "../errors";
import { howToInstallPulumi } from "../run-pulumi";
import { pulumiPath, withPulumi } from "../system-path";

/**
 * Runs a command on this terminal, and returns the command's exit code. Passes signals on to the command, because the
 * runner of a pipeline signals only this process.
 */
export function runCommand([name = "", ...args]: string[], variables = process.env): Promise<number> {
  // Commands other than `pulumi`, e.g. `npm test`, may run Pulumi too.
  const env = { ...variables, PATH: name === "pulumi" ? pulumiPath() : withPulumi(variables.PATH ?? "") };
  const child = spawn(name, args, { stdio: "inherit", env });
  const hasTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the command too. If SIGINT came twice, Pulumi would stop without a clean end.
      if (signal !== "SIGINT" || !hasTerminal) child.kill(signal);
    });
  return new Promise((resolveCode, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      const install = name === "pulumi" ? ` ${howToInstallPulumi}` : "";
      const hint = name.startsWith("-") ? " Put options of dev before --." : install;
      reject(error.code === "ENOENT" ? new InputError(`The command ${name} was not found on the PATH.${hint}`) : error);
    });
    child.once("exit", (code, signal) => resolveCode(code ?? 128 + (signal === null ? 1 : constants.signals[signal])));
  });
}
