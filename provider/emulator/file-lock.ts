import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, realpathSync, rmdirSync, rmSync, statSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Holds a file for one emulator at a time. Two that write one ledger would not see each other's voices, and a reset of
 * one would empty the other's. The lock is a local socket: unlike a file with a process id, it ends with its process.
 * It is beside the file, so only those hold it or take it away who may change the file itself. Returns a function that
 * ends it.
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
 * The same for every path of one file: beside the file, and where its file system has no sockets or its path is too long
 * for one, in the folder of temporary files.
 */
export function addressesOf(file: string): string[] {
  const path = join(realpathSync(dirname(resolve(file))), basename(file));
  const name = `cloudvoice-emulator-${createHash("sha256").update(path).digest("hex").slice(0, 24)}`;
  if (process.platform === "win32") return [`\\\\.\\pipe\\${name}`];
  return [`${path}.lock`, join(tmpdir(), `${name}.sock`)];
}

/** Undefined if another emulator holds the file. Every start tries the addresses in the same order. */
async function firstThatListens([address = "", ...others]: string[]): Promise<Server | undefined> {
  try {
    return (await listen(address)) ?? (await listenAfterRemains(address));
  } catch (error) {
    if (others.length === 0) throw error;
    return firstThatListens(others);
  }
}

/** A killed emulator leaves its socket behind. Nobody answers there. */
async function listenAfterRemains(address: string): Promise<Server | undefined> {
  if (process.platform === "win32" || (await isInUse(address))) return undefined;
  // Of two that find the remains at once, the second must not remove the socket of the first.
  return alone(`${address}.taking`, async () => {
    if (await isInUse(address)) return undefined;
    rmSync(address, { force: true });
    return listen(address);
  });
}

/** Longer than anybody needs who is not dead. */
const longestTakingMs = 5000;

/** Runs `work` while no other process runs it with the same folder, which exists meanwhile. */
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
    // Somebody else has removed it.
  }
}

/** The path of a socket has about 100 characters at most. The path from the current folder may be shorter. */
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

/** A socket that may not be opened, for example that of another user, is in use too. So is any other file. */
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
