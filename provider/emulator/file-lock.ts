import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, realpathSync, rmdirSync, rmSync, statSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Locks a file. Returns a function that unlocks it. Two emulators must not share a ledger: they would not see each
 * other's voices, and a reset of one would empty the other's accounts.
 *
 * The lock is a local socket, which is closed when its process ends. The socket is beside the file, so only users who
 * may change the file can take or remove the lock.
 */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  const server = await firstThatListens(addressesOf(file));
  if (server === undefined)
    throw Object.assign(
      new Error(`Another emulator uses the file ${file}. Stop that emulator, or give this one another file.`),
      { code: "EMULATOR_FILE_IN_USE" },
    );
  server.unref();
  return () => new Promise((done) => void server.close(() => done()));
}

/**
 * The longest path of a socket on macOS; on Linux it is 107 bytes. Workaround: Node.js (20.20) cuts a longer path without
 * an error, so the remains of a killed emulator would never be found, and two files could have one lock.
 */
const longestPathBytes = 103;

/**
 * The addresses of the lock. They are the same for every path to the file, and in every working directory. The second
 * address is in the folder for temporary files. It is needed if the file system does not support sockets, or if the path
 * is too long for a socket.
 */
export function addressesOf(file: string): string[] {
  const path = join(realpathSync(dirname(resolve(file))), basename(file));
  const name = `cloudvoice-emulator-${createHash("sha256").update(path).digest("hex").slice(0, 24)}`;
  if (process.platform === "win32") return [`\\\\.\\pipe\\${name}`];
  const addresses = [`${path}.lock`, join(tmpdir(), `${name}.sock`)];
  return addresses.filter((address) => Buffer.byteLength(address) <= longestPathBytes);
}

/**
 * Listens on the first of the addresses that works. All emulators try the addresses in the same order. Undefined if
 * another emulator has locked the file.
 */
async function firstThatListens([address, ...others]: string[]): Promise<Server | undefined> {
  if (address === undefined)
    throw new Error(
      `The emulator can't lock its file: the paths of the file and of the folder for temporary files (${tmpdir()}) are ` +
        "too long for a socket. Set TMPDIR to a shorter folder.",
    );
  try {
    return (await listen(address)) ?? (await listenInPlaceOfKilled(address));
  } catch (error) {
    if (others.length === 0) throw error;
    return firstThatListens(others);
  }
}

/**
 * Listens on an address. If a killed emulator left its socket there, removes this socket first. Undefined if the
 * address is in use.
 */
async function listenInPlaceOfKilled(address: string): Promise<Server | undefined> {
  if (process.platform === "win32" || (await isInUse(address))) return undefined;
  // Two emulators may find the remains at the same time. One at a time checks and removes them, because the second must
  // not remove the socket of the first.
  return alone(`${address}.taking`, async () => {
    if (await isInUse(address)) return undefined;
    rmSync(address, { force: true });
    return listen(address);
  });
}

/** A process that has not removed its folder after this time was killed. */
const longestTakingMs = 5000;

/** Runs `work` while no other process runs work with the same folder. The folder exists as long as the work runs. */
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
    // Ignore the error: another process has removed the folder already.
  }
}

/** Listens on an address. Undefined if the address is in use. */
function listen(address: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => resolve(server));
  });
}

/**
 * Whether an address is in use. True also if there is a file of another kind, or a socket that this user must not open.
 */
function isInUse(address: string): Promise<boolean> {
  const isOther = process.platform !== "win32" && lstatSync(address, { throwIfNoEntry: false })?.isSocket() === false;
  if (isOther) return Promise.resolve(true);
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "ECONNREFUSED" && code !== "ENOENT"));
  });
}
