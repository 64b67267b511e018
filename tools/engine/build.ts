import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { engineVersion as version } from "../../provider/src/run-pulumi";
import { assertGoInstalled, goBuild, goFolder, type GoProgram, startCompilingGo } from "../go-build";

interface Program extends GoProgram {
  linkerFlags?: string;
  /** Whether the source is in this repository, where it may change. */
  own?: boolean;
  /** A script of the same package, which the program looks for in its own folder. */
  script?: string;
  duration: string;
}

/** The engines that can be built, with the folder of the Go module that requires each. */
const modules = { [version]: "cli", "3.200.0": "oldest" };

export type EngineVersion = keyof typeof modules;

/** The engine that the tests use. */
export const engineVersion: EngineVersion = version;
/** The oldest engine that is promised. `npm run matrix` uses it too. */
export const oldestEngineVersion: EngineVersion = "3.200.0";

const programs = {
  "pulumi-language-nodejs": {
    module: join(import.meta.dirname, "language-nodejs"),
    // SDK 3.68 is the last published module with this command. It refuses newer options, such as the `packagemanager`
    // that `pulumi new` writes into Pulumi.yaml (docs/contributing/tests.md, "The built engine").
    command: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
    duration: "half a minute",
  },
  "pulumi-language-python": {
    module: join(import.meta.dirname, "language-nodejs"),
    command: "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python",
    script: "pulumi-language-python-exec",
    duration: "half a minute",
  },
  "pulumi-language-yaml": {
    module: join(import.meta.dirname, "language-yaml"),
    command: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
    duration: "a minute",
  },
  "generate-sdks": {
    module: join(import.meta.dirname, "cli"),
    command: "./generate-sdks",
    own: true,
    duration: "two minutes",
  },
} satisfies Record<string, Program>;

export type ProgramName = keyof typeof programs;

const commandLine = (version: EngineVersion): Program => ({
  module: join(import.meta.dirname, modules[version]),
  command: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
  // Sets what `pulumi version` prints.
  linkerFlags: `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${version}`,
  duration: "two to four minutes",
});

/** Builds the command line and the host of Node.js programs into an existing folder. */
export function buildEngine(version: EngineVersion, into: string, log: (line: string) => void): void {
  startCompilingGo(commandLine(version));
  build("pulumi", commandLine(version), into, log);
  buildProgram("pulumi-language-nodejs", into, log);
}

/** The name of an executable's file. */
export const executableName = (name: string) => (process.platform === "win32" ? `${name}.exe` : name);

/** The file of a program that this module builds. A change of its source here gives a new name. */
export function programFile(name: ProgramName): string {
  const { own = false, module, command }: Program = programs[name];
  if (!own) return executableName(name);
  const source = readFileSync(join(module, command, "main.go"));
  return executableName(`${name}-${createHash("sha256").update(source).digest("hex").slice(0, 8)}`);
}

/** Builds a program from the Go module proxy into an existing folder, in which no other run finds an incomplete one. */
export function buildProgram(name: ProgramName, into: string, log: (line: string) => void): void {
  build(name, programs[name], into, log);
}

function build(name: "pulumi" | ProgramName, program: Program, into: string, log: (line: string) => void): void {
  assertGoInstalled();
  log(`  building ${name} (${program.duration} the first time) …`);
  const work = mkdtempSync(`${into}-`);
  try {
    const file = name === "pulumi" ? executableName(name) : programFile(name);
    goBuild(name, program, program.linkerFlags ?? "", join(work, file));
    // The script is moved first, so that a program is always complete.
    if (program.script !== undefined) {
      const folder = goFolder(name, program);
      copyFileSync(join(folder, "..", program.script), join(work, program.script));
      chmodSync(join(work, program.script), 0o755);
      renameSync(join(work, program.script), join(into, program.script));
    }
    renameSync(join(work, file), join(into, file));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
