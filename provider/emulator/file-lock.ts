import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, realpathSync, rmdirSync, rmSync, statSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Locks a file and returns a function that unlocks it. Two emulators with one ledger would not see each other's voices,
 * and a reset of one would empty the other. The lock is a local socket, which ends with its process. It is beside the
 * file, so only users who may change the file can take or remove the lock.
 */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  const server = await firstThatListens(addressesOf(file));
  if (server === undefined)
    throw Object.assign(
      new Error(`Another emulator uses the file ${file}. Stop it, or give this one a file of its own.`),
      { code: "EMULATOR_FILE_IN_USE" },
    );
  server.unref();
  return () => new Promise((done) => void server.close(() => done()));
}

/**
 * The addresses of the lock, equal for every path of one file. The second address, in the folder of temporary files, is
 * for a file system without sockets, or for a path that is too long for a socket.
 */
export function addressesOf(file: string): string[] {
  const path = join(realpathSync(dirname(resolve(file))), basename(file));
  const name = `cloudvoice-emulator-${createHash("sha256").update(path).digest("hex").slice(0, 24)}`;
  if (process.platform === "win32") return [`\\\\.\\pipe\\${name}`];
  return [`${path}.lock`, join(tmpdir(), `${name}.sock`)];
}

/** Undefined if another emulator has locked the file. All emulators try the addresses in this order. */
async function firstThatListens([address = "", ...others]: string[]): Promise<Server | undefined> {
  try {
    return (await listen(address)) ?? (await listenInPlaceOfKilled(address));
  } catch (error) {
    if (others.length === 0) throw error;
    return firstThatListens(others);
  }
}

/** A killed emulator leaves its socket behind, and nothing listens there. */
async function listenInPlaceOfKilled(address: string): Promise<Server | undefined> {
  if (process.platform === "win32" || (await isInUse(address))) return undefined;
  // If two emulators find the remains concurrently, the second must not remove the socket of the first.
  return alone(`${address}.taking`, async () => {
    if (await isInUse(address)) return undefined;
    rmSync(address, { force: true });
    return listen(address);
  });
}

/** A process that is not done after this time was killed. */
const longestTakingMs = 5000;

/** Runs `work` while no other process runs work with this folder. The folder exists meanwhile. */
async function alone<T>(folder: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      mkdirSync(folder);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const since = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - since > longestTakingMs) removeFolder(folder);
      else await delay(20);
    }
  }
  try {
    return await work();
  } finally {
    removeFolder(folder);
  }
}

function removeFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Another process has removed it.
  }
}

/** A socket's path has at most about 100 characters. The path from the working folder may be shorter. */
function shortest(address: string): string {
  if (process.platform === "win32") return address;
  const path = relative(process.cwd(), address);
  return path.length < address.length ? path : address;
}

/** Undefined if the address is in use. */
function listen(address: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(undefined) : reject(error),
    );
    server.listen(shortest(address), () => resolve(server));
  });
}

/** Whether an address is in use, also by another kind of file or by a socket that this user may not open. */
function isInUse(address: string): Promise<boolean> {
  const isOther = process.platform !== "win32" && lstatSync(address, { throwIfNoEntry: false })?.isSocket() === false;
  if (isOther) return Promise.resolve(true);
  return new Promise((resolve) => {
    const socket = connect(shortest(address));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "ECONNREFUSED" && code !== "ENOENT"));
  });
}
