import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { devNull, homedir } from "node:os";
import { join } from "node:path";
import { isExecutable } from "./is-executable";

export interface GoProgram {
  /** The folder with the Go module that pins the dependencies. */
  module: string;
  /** The package of the program. */
  command: string;
}

export function assertGoInstalled(): void {
  if (spawnSync("go", ["version"], { env: process.env }).status !== 0) throw new Error("Go is not installed");
}

/** Returns an executable in the user's cache folder, built if missing. A newer version needs a new name. */
export function builtOnce(folderName: string, name: string, build: (file: string) => void): string {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "pulumi-cloudvoice", folderName);
  const folder = join(cache, `${process.platform}-${process.arch}`);
  const file = join(folder, process.platform === "win32" ? `${name}.exe` : name);
  if (isExecutable(file)) return file;
  assertGoInstalled();
  console.error(`building ${name} (one to five minutes the first time) …`);
  mkdirSync(folder, { recursive: true });
  // Built elsewhere and renamed, so that no other run finds an incomplete file.
  const into = mkdtempSync(join(folder, "build-"));
  try {
    const built = join(into, name);
    build(built);
    renameSync(built, file);
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
  return file;
}

/*
 * Only these packages are compiled with inlining, because every run of the engine uses them: Go's own, the messages of
 * gRPC, the states and their compression. The engine compiles in less time, and is as fast.
 */
const inlined = [
  "std",
  "google.golang.org/...",
  "github.com/klauspost/compress/...",
  "github.com/pulumi/pulumi/sdk/v3/go/common/...",
  "github.com/pulumi/pulumi/pkg/v3/resource/...",
];
const compilerFlags = ["-trimpath", "-gcflags=all=-l", ...inlined.map((packages) => `-gcflags=${packages}=`)];

/** Builds an executable from the sources that the Go module proxy serves. */
export function goBuild(name: string, program: GoProgram, linkerFlags: string, file: string): void {
  runGo(name, program, ["build", ...compilerFlags, "-ldflags", `-s -w ${linkerFlags}`, "-o", file]);
}

/** Builds an executable that runs the tests of a package. */
export function goBuildTests(name: string, tests: GoProgram, file: string): void {
  runGo(name, tests, ["test", "-c", ...compilerFlags, "-ldflags", "-s -w", "-o", file]);
}

/** Compiles packages without output, with the compiled dependencies of executables. */
export function goCompile(name: string, packages: GoProgram): void {
  runGo(name, packages, ["build", ...compilerFlags, "-o", devNull]);
}

/** Compiles Go's own packages in the background, while the build of a program downloads modules. */
export function startCompilingGo({ module }: GoProgram): void {
  assertGoInstalled();
  spawn("go", ["build", ...compilerFlags, "std"], { ...optionsIn(module), stdio: "ignore" }).unref();
}

/** The folder with the sources of the program's package. */
export function goFolder(name: string, program: GoProgram): string {
  return runGo(name, program, ["list", "-f", "{{.Dir}}"]).trim();
}

function optionsIn(module: string) {
  return { cwd: module, env: { ...process.env, GOFLAGS: "", GOWORK: "off", CGO_ENABLED: "0" } };
}

function runGo(name: string, { module, command }: GoProgram, [verb = "", ...args]: string[]): string {
  const options = { ...optionsIn(module), encoding: "utf8" } as const;
  const run = spawnSync("go", [verb, "-mod=readonly", ...args, command], options);
  if (run.status === 0) return run.stdout;
  const lastLines = (run.error?.message ?? run.stderr).trim().split("\n").slice(-5);
  throw new Error(`go ${verb} of ${name} failed: ${lastLines.join(" ")}`);
}
