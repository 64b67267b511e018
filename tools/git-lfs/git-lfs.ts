import { builtOnce, goBuild } from "../go-build";

/** The version that `go.mod` requires. */
const name = "git-lfs-3.7.1";

/** The executable of Git LFS, for the tests of the recipes. */
export function getGitLfs(log?: (line: string) => void): string {
  const program = { module: import.meta.dirname, command: "github.com/git-lfs/git-lfs/v3" };
  return builtOnce("git-lfs", name, (file) => goBuild(name, program, "", file), log);
}
