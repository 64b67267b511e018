import { spawnSync } from "node:child_process";
import { devNull } from "node:os";

export interface GoProgram {
  /** The folder with the Go module that pins the dependencies. */
  module: string;
  /** The package of the program. */
  command: string;
}

export function assertGoInstalled(): void {
  if (spawnSync("go", ["version"], { env: process.env }).status !== 0) throw new Error("Go is not installed");
}

/** Builds an executable from the sources that the Go module proxy serves. */
export function goBuild(name: string, program: GoProgram, linkerFlags: string, file: string): void {
  runGo(name, program, ["build", "-trimpath", "-ldflags", `-s -w ${linkerFlags}`, "-o", file]);
}

/** Compiles packages, without writing anything. They use the same compiled dependencies as executables do. */
export function goCompile(name: string, packages: GoProgram): void {
  runGo(name, packages, ["build", "-trimpath", "-o", devNull]);
}

/** The folder with the sources of the program's package. */
export function goFolder(name: string, program: GoProgram): string {
  return runGo(name, program, ["list", "-f", "{{.Dir}}"]).trim();
}

function runGo(name: string, { module, command }: GoProgram, [verb = "", ...args]: string[]): string {
  const run = spawnSync("go", [verb, "-mod=readonly", ...args, command], {
    cwd: module,
    encoding: "utf8",
    env: { ...process.env, GOFLAGS: "", GOWORK: "off", CGO_ENABLED: "0" },
  });
  if (run.status === 0) return run.stdout;
  const lastLines = (run.error?.message ?? run.stderr).trim().split("\n").slice(-5);
  throw new Error(`go ${verb} of ${name} failed: ${lastLines.join(" ")}`);
}
