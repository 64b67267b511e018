import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { describeThrown } from "./describe-thrown";

/** Creates a folder and those above it. Workaround: the option `recursive` of Node.js never ends below `/proc`. */
export function makeFolder(folder: string, mode?: number): void {
  if (fs.existsSync(folder)) return;
  makeFolder(dirname(folder), mode);
  try {
    fs.mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may create it at the same time.
    if (describeThrown(error).code !== "EEXIST") throw error;
  }
}

/** The name of a file that is being written. A run that is killed may leave one. */
export const partName = /^\.cloudvoice-[0-9a-f]{16}\.part$/;

/**
 * Writes a file whole or not at all. The bytes go to a new file with a name that nobody can know beforehand. So it
 * opens nothing that is already in the folder: it overwrites no target of a symbolic link, and waits for no named pipe.
 * Synchronous, as {@link readRegularFile} is: a thousand small files take 25 ms in this way.
 */
export function replaceFile(path: string, content: string | Buffer, mode = 0o666): void {
  fs.closeSync(replacedFile(path, content, mode));
}

/**
 * Like {@link replaceFile}, but also waits until the content is on the disk. The file's name is safe only after {@link
 * syncFolder}.
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
      // The first error says more.
    }
    throw error;
  }
}

/**
 * Appends a line to a file that belongs to this user and has no second name, if it stays below this size. A kill leaves
 * the whole line or nothing. Returns false if there is no such file. Takes a third of the time of replacing a file and
 * syncing it.
 */
export function addLine(path: string, line: string, mostBytes: number): boolean {
  let file: number | undefined;
  try {
    file = openedRegular(path, fs.constants.O_WRONLY | fs.constants.O_APPEND);
  } catch {
    // Another person's file may be replaced in a folder of one's own.
  }
  if (file === undefined) return false;
  try {
    const { nlink, uid, size } = fs.fstatSync(file);
    const added = Buffer.from(`\n${line}`);
    if (nlink !== 1 || uid !== process.getuid?.() || size + added.length > mostBytes) return false;
    fs.writeSync(file, added);
    return true;
  } finally {
    fs.closeSync(file);
  }
}

/** Syncs a folder: after that, a crash of the machine loses none of the names in it. */
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
 * The bytes of a regular file of at most so many bytes. Undefined for anything else: no file, a folder, a named pipe,
 * which is not waited for, and a symbolic link, which is not followed. Synchronous: a thousand small files take 10 ms
 * in this way, and 200 ms through the thread pool.
 */
export function readRegularFile(path: string, mostBytes: number): Buffer | undefined {
  const file = openedRegular(path, fs.constants.O_RDONLY);
  if (file === undefined) return undefined;
  try {
    return fs.fstatSync(file).size <= mostBytes ? fs.readFileSync(file) : undefined;
  } finally {
    fs.closeSync(file);
  }
}

function openedRegular(path: string, flags: number): number | undefined {
  let file: number;
  try {
    file = fs.openSync(path, flags | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW);
  } catch (error) {
    // ELOOP: a symbolic link. ENXIO: a socket, or a named pipe that nobody reads. EISDIR: a folder.
    if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "EISDIR"].includes(describeThrown(error).code)) return undefined;
    throw error;
  }
  if (fs.fstatSync(file).isFile()) return file;
  fs.closeSync(file);
  return undefined;
}

/** Whether a path is the folder or below it. Compares texts only, and follows no links. */
export function isWithin(folder: string, path: string): boolean {
  const from = relative(folder, path);
  return from !== ".." && !from.startsWith(`..${sep}`) && !isAbsolute(from);
}

/** A symbolic link on the way from `top` to the folder, or anywhere in the folder. Both are absolute. */
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
