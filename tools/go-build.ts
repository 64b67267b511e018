import { spawnSync } from "node:child_process";
import { join } from "node:path";

export interface GoProgram {
  /** The folder with the Go module that pins the dependencies. */
  module: string;
  command: string;
  linkerFlags: string;
}

export function assertGoInstalled(): void {
  if (spawnSync("go", ["version"], { env: process.env }).status !== 0) throw new Error("Go is not installed");
}

/** Builds an executable into a folder, from the sources that the Go module proxy serves. Returns its path. */
export function goBuild(name: string, { module, command, linkerFlags }: GoProgram, into: string): string {
  const file = join(into, process.platform === "win32" ? `${name}.exe` : name);
  const build = spawnSync("go", ["build", "-trimpath", "-mod=readonly", "-ldflags", linkerFlags, "-o", file, command], {
    cwd: module,
    encoding: "utf8",
    env: { ...process.env, GOFLAGS: "", GOWORK: "off", CGO_ENABLED: "0" },
  });
  if (build.status === 0) return file;
  const lastLines = (build.error?.message ?? build.stderr).trim().split("\n").slice(-5);
  throw new Error(`go build of ${name} failed: ${lastLines.join(" ")}`);
}
