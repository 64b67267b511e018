import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { describeThrown } from "./describe-thrown";
import { InputError } from "./errors";
import { readRegularFile, sha256Of } from "./files";
import { visible } from "./rules/visible";
import { systemPath } from "./system-path";

/** The most versions of a file in the history of Git that are compared. */
const mostVersions = 20;
/** The most bytes of a file that is read. */
const mostBytes = 64 * 1024 * 1024;

/**
 * The version of a file with this hash, if the history of Git has it. Undefined without Git or without a match.
 * `in-lfs`: Git LFS has it, and this machine does not. `shallow`: a part of the history is not on this machine, and may
 * have it. Nothing is fetched here.
 */
export async function committedFile(file: string, sha256: string): Promise<Buffer | "in-lfs" | "shallow" | undefined> {
  const top = topOf(dirname(file));
  if (top === undefined) return undefined;
  const path = relative(top, file);
  // It fails, for example, because there is no commit yet, or because one has no such file.
  const found = (args: string[]) => git(top, args).catch(() => undefined);
  const commits = await found(["rev-list", `--max-count=${mostVersions}`, "HEAD", "--", path]);
  for (const commit of commits?.toString().split("\n").filter(Boolean) ?? []) {
    const content = await found(["cat-file", "blob", `${commit}:./${path}`]);
    if (content === undefined) continue;
    if (sha256Of(content) === sha256) return content;
    if (idInLfs(content) === sha256) return (await fileOfLfs(top, sha256)) ?? "in-lfs";
  }
  const isShallow = (await found(["rev-parse", "--is-shallow-repository"]))?.toString().trim() === "true";
  return isShallow ? "shallow" : undefined;
}

/** The id in a pointer of Git LFS, which is the hash of the file that it stands for. */
function idInLfs(content: Buffer): string | undefined {
  if (content.length > 1024) return undefined;
  return /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n/.exec(
    content.toString(),
  )?.[1];
}

async function fileOfLfs(top: string, sha256: string): Promise<Buffer | undefined> {
  const folder = (await git(top, ["rev-parse", "--git-common-dir"]).catch(() => undefined))?.toString().trimEnd();
  if (folder === undefined) return undefined;
  const [first, second] = [sha256.slice(0, 2), sha256.slice(2, 4)];
  const content = readRegularFile(resolve(top, folder, "lfs", "objects", first, second, sha256), mostBytes);
  return content && sha256Of(content) === sha256 ? content : undefined;
}

/**
 * The names of the files in a folder that Git tracks, and that a change may therefore contain. Rejects if Git can't
 * tell.
 */
export async function trackedFiles(folder: string): Promise<ReadonlySet<string>> {
  // A link that is committed may lead to another folder of the repository.
  const real = existsSync(folder) ? realpathSync(folder) : folder;
  const top = topOf(real);
  if (top === undefined) return new Set();
  const listed = await git(top, ["ls-files", "-z", "--", relative(top, real) || "."]).catch((error: unknown) => {
    const { code, message } = describeThrown(error);
    const [, said = message] =
      /^(?:fatal: )?(.{1,200})/m.exec((error as { stderr?: Buffer }).stderr?.toString() ?? "") ?? [];
    const why = code === "ENOENT" ? "it is not installed" : visible(said);
    throw new InputError(`Git can't say which files of ${visible(folder)} it tracks: ${why}`);
  });
  return new Set(
    listed
      .toString()
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
 * Runs Git in the top of a work tree in such a way that the repository can't make it run a command: neither by its
 * configuration nor by a remote that would supply what a partial clone lacks. So the work tree may belong to another
 * user, as in a container.
 */
async function git(top: string, args: string[]): Promise<Buffer> {
  const { HOME, XDG_CONFIG_HOME, SystemRoot } = process.env;
  const safe = [
    ...["safe.bareRepository=explicit", "core.fsmonitor=false", "core.hooksPath=/dev/null"],
    `safe.directory=${realpathSync(top)}`,
  ];
  const options = {
    cwd: top,
    encoding: "buffer",
    maxBuffer: mostBytes,
    // Without the variables of this process: they have the key, and may name another repository.
    env: {
      ...{ PATH: systemPath(), HOME, XDG_CONFIG_HOME, SystemRoot },
      ...{ GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1", GIT_CEILING_DIRECTORIES: dirname(top) },
    },
  } as const;
  const settings = safe.flatMap((setting) => ["-c", setting]);
  const { stdout } = await promisify(execFile)(
    "git",
    [...settings, "--no-pager", "--literal-pathspecs", ...args],
    options,
  );
  return stdout;
}
