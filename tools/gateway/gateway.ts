import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { assertGoInstalled, goBuild } from "../go-build";
import { isExecutable } from "../is-executable";

/** The version that `go.mod` requires. A newer one gets a file of its own in the cache. */
const name = "versitygw-1.8.0";

/**
 * The executable of VersityGW, a real S3 server over a folder, which takes the place of S3 in the tests. It is built
 * with Go once, and lies in the user's cache beside the engine.
 */
export function getGateway(log: (line: string) => void = (line) => console.error(line)): string {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "pulumi-cloudvoice", "gateway");
  const folder = join(cache, `${process.platform}-${process.arch}`);
  const file = join(folder, process.platform === "win32" ? `${name}.exe` : name);
  if (isExecutable(file)) return file;
  assertGoInstalled();
  log(`building ${name} (one to five minutes the first time) …`);
  mkdirSync(folder, { recursive: true });
  // Renamed at the end, so that no other run finds an incomplete file.
  const into = mkdtempSync(join(folder, "build-"));
  try {
    const built = join(into, name);
    goBuild(name, program, "", built);
    renameSync(built, file);
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
  return file;
}

const program = {
  module: import.meta.dirname,
  command: "github.com/versity/versitygw/cmd/versitygw",
};
