import { join } from "node:path";
import { builtOnce, goBuild } from "./go-build";

/** Programs of others, by the folder with the Go module that pins them. A newer version needs a new name. */
const programs = {
  /** VersityGW, a real S3 server over a folder, which takes the place of S3 in the tests. */
  gateway: { name: "versitygw-1.8.0", command: "github.com/versity/versitygw/cmd/versitygw" },
  /** Git LFS, for the tests of the recipes. */
  "git-lfs": { name: "git-lfs-3.7.1", command: "github.com/git-lfs/git-lfs/v3" },
  /** Signs executables for macOS on other systems. */
  quill: { name: "quill-0.5.1", command: "github.com/anchore/quill/cmd/quill" },
};

/** The executable of a program, which is built once and kept in the user's cache folder. */
export function getGoTool(folder: keyof typeof programs): string {
  const { name, command } = programs[folder];
  const program = { module: join(import.meta.dirname, folder), command };
  return builtOnce(folder, name, (file) => goBuild(name, program, "", file));
}
