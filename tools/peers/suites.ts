import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { builtOnce, goBuildTests } from "../go-build";

const folder = import.meta.dirname;

/** The executable that runs the tests of the Go files in this folder. It has a new name when one of them changes. */
export function getSuites(): string {
  const sources = readdirSync(folder).filter((file) => /\.go$|^go\./.test(file));
  const hash = createHash("sha256");
  for (const file of sources.sort()) hash.update(readFileSync(join(folder, file)));
  const name = `peers-${hash.digest("hex").slice(0, 8)}`;
  return builtOnce("peers", name, (file) => goBuildTests(name, { module: folder, command: "." }, file));
}
