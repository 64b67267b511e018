import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { describeThrown } from "./describe-thrown";
import { InputError } from "./errors";
import { readRegularFile, sha256Of } from "./files";
import { visible } from "./rules/visible";
import { systemPath } from "./system-path";

/** The number of committed versions of a file that are compared. */
const mostVersions = 20;
const mostBytes = 64 * 1024 * 1024;

/**
 * The committed version of a file with this hash. Undefined without Git or without a match. `in-lfs`: the version is in
 * Git LFS, but not on this machine. `shallow`: no match, but the clone lacks older commits.
 */
export async function committedFile(file: string, sha256: string): Promise<Buffer | "in-lfs" | "shallow" | undefined> {
  const top = topOf(dirname(file));
  if (top === undefined) return undefined;
  const path = relative(top, file);
  // Fails e.g. if there is no commit, or if a commit lacks the file.
  const tryGit = (args: string[]) => git(top, args).catch(() => undefined);
  const commits = await tryGit(["rev-list", `--max-count=${mostVersions}`, "HEAD", "--", path]);
  for (const commit of commits?.toString().split("\n").filter(Boolean) ?? []) {
    const content = await tryGit(["cat-file", "blob", `${commit}:./${path}`]);
    if (content === undefined) continue;
    if (sha256Of(content) === sha256) return content;
    if (idInLfs(content) === sha256) return (await fileOfLfs(top, sha256)) ?? "in-lfs";
  }
  const isShallow = (await tryGit(["rev-parse", "--is-shallow-repository"]))?.toString().trim() === "true";
  return isShallow ? "shallow" : undefined;
}

/** The id in a pointer of Git LFS, which is the SHA-256 of the file. */
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
 * The names, in lower case, of the files in a folder that Git tracks: a change may bring such files. Rejects if Git
 * fails.
 */
export async function trackedFiles(folder: string): Promise<ReadonlySet<string>> {
  // A committed link may lead to another folder of the repository.
  const real = existsSync(folder) ? realpathSync(folder) : folder;
  const top = topOf(real);
  if (top === undefined) return new Set();
  // A case-insensitive file system opens a committed file under any spelling.
  const pathspecs = ["--noglob-pathspecs", "--icase-pathspecs"];
  const listed = await git(top, ["ls-files", "-z", "--", `./${relative(top, real)}`], { pathspecs }).catch(
    (error: unknown) => {
      throw new InputError(`Git can't list the files that it tracks in ${visible(folder)}: ${reasonOf(error)}`);
    },
  );
  return new Set(
    listed
      .toString()
      .split("\0")
      .map((path) => basename(path).toLowerCase()),
  );
}

/**
 * The top of the work tree, i.e. the folder with `.git`, which can't be committed. Git itself would also accept a
 * folder that looks like a bare repository, and such a folder can be committed.
 */
export function topOf(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder;
  return dirname(folder) === folder ? undefined : topOf(dirname(folder));
}

/** A repository on a server, and the header that logs in there. */
export interface Remote {
  url: string;
  authorization: string;
}

export interface Overwritten {
  /** `base`: the tip of the target branch. `change`: the change. Each is a commit or a full reference. */
  base: string;
  change: string;
  /** Only files in this folder of the repository. */
  folder?: string | undefined;
  isWanted: (path: string) => boolean;
  most: number;
}

/**
 * Fetches the files that a change overwrites, moves or removes, as they were before, also from Git LFS. Yields the
 * content of each, or why it is missing. Works in an empty repository, so no configuration, hook, filter, attribute or
 * `.lfsconfig` of the change has any effect. Only this server gets the login, also if it redirects; the login is in no
 * file and on no command line.
 */
export async function* overwrittenFiles(
  { url, authorization }: Remote,
  { base, change, folder, isWanted, most }: Overwritten,
): AsyncGenerator<{ path: string; content: Buffer } | { path: string; why: string }> {
  const top = mkdtempSync(join(tmpdir(), "cloudvoice-git-"));
  const settings = [
    ...[`lfs.url=${url}/info/lfs`, "credential.helper=", "fetch.negotiationAlgorithm=noop"],
    // Give up on a server that sends nothing for two minutes.
    ...["http.lowSpeedLimit=1", "http.lowSpeedTime=120"],
  ];
  const login = {
    ...{ GIT_CONFIG_COUNT: "2", GIT_CONFIG_KEY_0: `http.${url}.extraHeader` },
    ...{ GIT_CONFIG_VALUE_0: `Authorization: ${authorization}`, GIT_TERMINAL_PROMPT: "0" },
    // Git sends the header to where the first response redirects. This setting for one URL beats a general setting in a
    // user's file. Git LFS has no such setting: it follows redirects without the header.
    ...{ GIT_CONFIG_KEY_1: `http.${url}.followRedirects`, GIT_CONFIG_VALUE_1: "false" },
    ...{ GIT_ALLOW_PROTOCOL: new URL(url).protocol.slice(0, -1), GIT_NO_LAZY_FETCH: "0", ...connectionVariables() },
  };
  const run = (args: string[], input = "") => git(top, args, { variables: login, settings, input });
  const fetch = ["fetch", "--quiet", "--no-tags", "--filter=blob:none"];
  try {
    await run(["init", "--quiet", "--template="]);
    await run(["remote", "add", "origin", url]);
    await run([...fetch, "--depth=1", "origin", `+${base}:refs/base`, `+${change}:refs/change`]);
    const within = folder === undefined ? [] : ["--", folder];
    const raw = ["diff-tree", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--diff-filter=DMT"];
    const changed = changedFiles((await run([...raw, "refs/base", "refs/change", ...within])).toString());
    const chosen = changed.filter(({ path }) => isWanted(path)).slice(0, most);
    // Ignore a failure: a server without this filter has sent all blobs already, and may refuse to send a blob by its
    // hash.
    if (chosen.length > 0)
      await run([...fetch, "origin", "--stdin"], chosen.map(({ blob }) => blob).join("\n")).catch(() => undefined);
    for (const { path, blob } of chosen) {
      const content = await oldContent(blob, run).catch((error: unknown) => ({ why: reasonOf(error) }));
      yield "why" in content ? { path, ...content } : { path, content };
    }
  } catch (error) {
    throw new InputError(`Git can't fetch from ${url}: ${reasonOf(error)}`);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/** The regular files in the output of `git diff-tree --raw -z`, with the blobs of the first side. */
function changedFiles(raw: string): { path: string; blob: string }[] {
  const parts = raw.split("\0");
  return parts.flatMap((header, at) => {
    const [, blob] = at % 2 === 0 ? (/^:100\d{3} \d{6} ([0-9a-f]+) /.exec(header) ?? []) : [];
    return blob === undefined ? [] : [{ blob, path: parts[at + 1] ?? "" }];
  });
}

async function oldContent(blob: string, run: (args: string[], input?: string) => Promise<Buffer>): Promise<Buffer> {
  const bytes = Number(await run(["cat-file", "-s", blob]));
  if (!(bytes <= mostBytes)) throw new InputError(`it has more than ${mostBytes / 1024 / 1024} MB`);
  const content = await run(["cat-file", "blob", blob]);
  const id = idInLfs(content);
  if (id === undefined) return content;
  if (Number(/^size (\d+)$/m.exec(content.toString())?.[1]) > mostBytes)
    throw new InputError(`it has more than ${mostBytes / 1024 / 1024} MB`);
  const file = await run(["lfs", "smudge"], content.toString());
  if (sha256Of(file) !== id) throw new InputError("the file from Git LFS has another content");
  return file;
}

/** The variables for connections of this machine: its proxies and trusted certificates. */
function connectionVariables(): NodeJS.ProcessEnv {
  const isNeeded = (name: string) =>
    /^(https?|all|no)_proxy$/i.test(name) || /^(GIT_SSL_CAINFO|SSL_CERT_(FILE|DIR))$/.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isNeeded(name)));
}

function reasonOf(error: unknown): string {
  const { code, message } = describeThrown(error);
  if (code === "ENOENT") return "it is not installed";
  const [, firstLine = message] =
    /^(?:fatal: |error: )?(.{1,200})/m.exec((error as { stderr?: Buffer }).stderr?.toString() ?? "") ?? [];
  return visible(firstLine);
}

interface GitOptions {
  variables?: NodeJS.ProcessEnv;
  settings?: string[];
  pathspecs?: string[];
  input?: string;
}

/**
 * Runs Git in a work tree. The repository can't make Git run a command, neither by its configuration nor by the remote
 * of a partial clone. So Git may trust a work tree of another user, as in a container.
 */
async function git(
  top: string,
  args: string[],
  { variables = {}, settings = [], pathspecs = ["--literal-pathspecs"], input }: GitOptions = {},
): Promise<Buffer> {
  const { HOME, XDG_CONFIG_HOME, SystemRoot } = process.env;
  const safe = [
    ...["safe.bareRepository=explicit", "core.fsmonitor=false", "core.hooksPath=/dev/null"],
    ...[`safe.directory=${realpathSync(top)}`, ...settings],
  ];
  const options = {
    cwd: top,
    encoding: "buffer",
    maxBuffer: mostBytes,
    // Other variables of this process are left out: they include the API key, and e.g. GIT_DIR names another
    // repository.
    env: {
      ...{ PATH: systemPath(), HOME, XDG_CONFIG_HOME, SystemRoot },
      ...{ GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1", GIT_CEILING_DIRECTORIES: dirname(top) },
      ...variables,
    },
  } as const;
  const settingArgs = safe.flatMap((setting) => ["-c", setting]);
  const running = promisify(execFile)("git", [...settingArgs, "--no-pager", ...pathspecs, ...args], options);
  // Git may exit before it has read its input. Its exit code reports the reason.
  running.child.stdin?.on("error", () => undefined).end(input);
  return (await running).stdout;
}
