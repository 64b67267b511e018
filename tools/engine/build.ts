import { spawnSync } from "node:child_process";
import { join } from "node:path";

interface Program {
  /** The folder with the Go module that pins the dependencies. */
  module: string;
  command: string;
  linkerFlags: string;
  duration: string;
}

function programs(version: string): Record<string, Program> {
  return {
    pulumi: {
      module: "cli",
      command: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
      // Sets what `pulumi version` prints.
      linkerFlags: `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${version}`,
      duration: "two to three minutes",
    },
    "pulumi-language-nodejs": {
      module: "language-nodejs",
      command: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
      linkerFlags: "-s -w",
      duration: "half a minute",
    },
  };
}

interface Build {
  version: string;
  /** An existing folder for the executables. */
  into: string;
  log: (line: string) => void;
}

/** Builds the command line and the language host from the sources that the Go module proxy serves. */
export function buildEngine({ version, into, log }: Build): void {
  if (spawnSync("go", ["version"], { env: process.env }).status !== 0) throw new Error("Go is not installed");
  for (const [name, program] of Object.entries(programs(version))) {
    log(`  building ${name} (${program.duration} the first time) …`);
    goBuild(name, program, into);
  }
}

function goBuild(name: string, { module, command, linkerFlags }: Program, into: string): void {
  const file = join(into, process.platform === "win32" ? `${name}.exe` : name);
  const build = spawnSync("go", ["build", "-trimpath", "-mod=readonly", "-ldflags", linkerFlags, "-o", file, command], {
    cwd: join(import.meta.dirname, module),
    encoding: "utf8",
    env: { ...process.env, GOFLAGS: "", GOWORK: "off", CGO_ENABLED: "0" },
  });
  if (build.status === 0) return;
  const lastLines = (build.error?.message ?? build.stderr).trim().split("\n").slice(-5);
  throw new Error(`go build of ${name} failed: ${lastLines.join(" ")}`);
}
