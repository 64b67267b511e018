import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { sha256Of } from "./files";
import { systemPath } from "./system-path";

/** The most versions of a file in the history of Git that are compared. */
const mostVersions = 20;

/** The version of a file with this hash, if the history of Git has it. Undefined without Git or without a match. */
export async function committedFile(file: string, sha256: string): Promise<Buffer | undefined> {
  const top = topOf(dirname(file));
  if (top === undefined) return undefined;
  const path = relative(top, file);
  const commits = await git(top, ["rev-list", `--max-count=${mostVersions}`, "HEAD", "--", path]);
  for (const commit of commits?.toString().split("\n").filter(Boolean) ?? []) {
    const content = await git(top, ["cat-file", "blob", `${commit}:./${path}`]);
    if (content && sha256Of(content) === sha256) return content;
  }
  return undefined;
}

/** The names of the files in a folder that Git tracks, so that a change brings them. None without Git. */
export async function trackedFiles(folder: string): Promise<ReadonlySet<string>> {
  // A link that is committed may lead to another folder of the repository.
  const real = existsSync(folder) ? realpathSync(folder) : folder;
  const top = topOf(real);
  const listed = top && (await git(top, ["ls-files", "-z", "--", relative(top, real) || "."]));
  return new Set(
    listed
      ?.toString()
      .split("\0")
      .map((path) => basename(path)),
  );
}

/**
 * The top of the work tree. Git itself would also take a folder for a repository that only looks like a bare one, and
 * such a folder can be committed. An entry named `.git` can't be.
 */
function topOf(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder;
  return dirname(folder) === folder ? undefined : topOf(dirname(folder));
}

/**
 * Runs Git in the top of a work tree, so that nothing that the repository says runs a command: neither its configuration
 * nor a remote that has what a partial clone lacks. Undefined if it fails, for example because a commit lacks the file.
 */
async function git(top: string, args: string[]): Promise<Buffer | undefined> {
  const { HOME, XDG_CONFIG_HOME, SystemRoot } = process.env;
  const safe = ["safe.bareRepository=explicit", "core.fsmonitor=false", "core.hooksPath=/dev/null"];
  const options = {
    cwd: top,
    encoding: "buffer",
    maxBuffer: 64 * 1024 * 1024,
    // Without the variables of this process: they have the key, and may name another repository.
    env: {
      ...{ PATH: systemPath(), HOME, XDG_CONFIG_HOME, SystemRoot },
      ...{ GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1", GIT_CEILING_DIRECTORIES: dirname(top) },
    },
  } as const;
  const settings = safe.flatMap((setting) => ["-c", setting]);
  return promisify(execFile)("git", [...settings, "--no-pager", "--literal-pathspecs", ...args], options).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
}
