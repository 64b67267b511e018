import { join } from "node:path";
import { assertGoInstalled, goBuild, type GoProgram } from "../go-build";

function programs(version: string): Record<string, GoProgram & { duration: string }> {
  return {
    pulumi: {
      module: join(import.meta.dirname, "cli"),
      command: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
      // Sets what `pulumi version` prints.
      linkerFlags: `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${version}`,
      duration: "two to three minutes",
    },
    "pulumi-language-nodejs": {
      module: join(import.meta.dirname, "language-nodejs"),
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
  assertGoInstalled();
  for (const [name, { duration, ...program }] of Object.entries(programs(version))) {
    log(`  building ${name} (${duration} the first time) …`);
    goBuild(name, program, into);
  }
}
