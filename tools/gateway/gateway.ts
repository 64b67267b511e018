import { builtOnce, goBuild } from "../go-build";

/** The version that `go.mod` requires. */
const name = "versitygw-1.8.0";

/** The executable of VersityGW, a real S3 server over a folder, which takes the place of S3 in the tests. */
export function getGateway(log?: (line: string) => void): string {
  const program = { module: import.meta.dirname, command: "github.com/versity/versitygw/cmd/versitygw" };
  return builtOnce("gateway", name, (file) => goBuild(name, program, "", file), log);
}
