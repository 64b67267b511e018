import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The most versions of a file that are compared. */
const mostVersions = 20;

/** The version of a file with this hash, if the history of Git has it. Undefined without Git or without a match. */
export async function committedFile(folder: string, path: string, sha256: string): Promise<Buffer | undefined> {
  const commits = await git(folder, ["rev-list", `--max-count=${mostVersions}`, "HEAD", "--", path]);
  for (const commit of commits?.toString().split("\n").filter(Boolean) ?? []) {
    const content = await git(folder, ["cat-file", "blob", `${commit}:./${path}`]);
    if (content && createHash("sha256").update(content).digest("hex") === sha256) return content;
  }
  return undefined;
}

/** Undefined if there is no Git or no repository, or if a commit does not have the file. */
async function git(cwd: string, args: string[]): Promise<Buffer | undefined> {
  const options = { cwd, encoding: "buffer", maxBuffer: 64 * 1024 * 1024 } as const;
  return run("git", ["--literal-pathspecs", ...args], options).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
}
