import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { describeThrown } from "./describe-thrown";

/** Creates a folder and its parents. Workaround: below `/proc`, the option `recursive` of Node.js never ends. */
export function makeFolder(folder: string, mode?: number): void {
  if (fs.existsSync(folder)) return;
  makeFolder(dirname(folder), mode);
  try {
    fs.mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may create the folder at the same time.
    if (describeThrown(error).code !== "EEXIST") throw error;
  }
}

/** The temporary name of a file that is being written. A killed run may leave such a file. */
export const partName = /^\.cloudvoice-[0-9a-f]{16}\.part$/;

/**
 * Writes a file whole or not at all. The bytes go to a new file with a random name, which then replaces `path`. So a
 * symbolic link or a named pipe at `path` is not opened. Synchronous: a thousand small files take 25 ms.
 */
export function replaceFile(path: string, content: string | Buffer, mode = 0o666): void {
  fs.closeSync(replacedFile(path, content, mode));
}

/**
 * Like {@link replaceFile}, but waits until the content is on the disk. For the file's name, call {@link syncFolder}.
 */
export async function replaceFileOnDisk(path: string, content: string, mode: number): Promise<void> {
  const file = replacedFile(path, content, mode);
  try {
    await promisify(fs.fsync)(file);
  } finally {
    fs.closeSync(file);
  }
}

function replacedFile(path: string, content: string | Buffer, mode: number): number {
  const part = join(dirname(path), `.cloudvoice-${randomBytes(8).toString("hex")}.part`);
  let file: number | undefined;
  try {
    file = fs.openSync(part, "wx", mode);
    fs.writeFileSync(file, content);
    fs.renameSync(part, path);
    return file;
  } catch (error) {
    try {
      if (file !== undefined) fs.closeSync(file);
      fs.rmSync(part, { force: true });
    } catch {
      // Report the first error, which matters more.
    }
    // A person knows `path`, and not the temporary file.
    throw Object.assign(error as NodeJS.ErrnoException, { path });
  }
}

/** Syncs a folder, so that a crash of the machine loses no names in it. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await fs.promises.open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function sha256Of(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/**
 * The bytes of a regular file of at most `mostBytes`. Undefined for anything else: no file, a folder, a symbolic link
 * (not followed) or a named pipe (not waited for). Synchronous: a thousand small files take 10 ms.
 */
export function readRegularFile(path: string, mostBytes: number): Buffer | undefined {
  const file = openedRegular(path);
  if (file === undefined) return undefined;
  try {
    return fs.fstatSync(file).size <= mostBytes ? fs.readFileSync(file) : undefined;
  } finally {
    fs.closeSync(file);
  }
}

function openedRegular(path: string): number | undefined {
  let file: number;
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW);
  } catch (error) {
    // ELOOP: a symbolic link. ENXIO: a socket, or a named pipe that nobody reads. EISDIR: a folder.
    if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "EISDIR"].includes(describeThrown(error).code)) return undefined;
    throw error;
  }
  if (fs.fstatSync(file).isFile()) return file;
  fs.closeSync(file);
  return undefined;
}

/** Whether a path is the folder or below it. Compares only texts; does not follow links. */
export function isWithin(folder: string, path: string): boolean {
  const from = relative(folder, path);
  return from !== ".." && !from.startsWith(`..${sep}`) && !isAbsolute(from);
}

/** Finds a symbolic link on the way from `top` to the folder, or anywhere in the folder. Both paths are absolute. */
export function linkIn(top: string, folder: string): string | undefined {
  const isLink = (path: string) => fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  for (let at = folder; isWithin(top, at) && at !== top; at = dirname(at)) if (isLink(at)) return at;
  return linkBelow(folder);
}

function linkBelow(folder: string): string | undefined {
  // Another command may remove a folder meanwhile.
  const entries = fs.existsSync(folder) ? fs.readdirSync(folder, { withFileTypes: true }) : [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const link = entry.isSymbolicLink() ? path : entry.isDirectory() ? linkBelow(path) : undefined;
    if (link !== undefined) return link;
  }
  return undefined;
}
