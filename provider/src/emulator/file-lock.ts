import { createHash } from "node:crypto";
import { realpathSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

/**
 * Holds a file for one emulator at a time. Two that write one ledger would not see each other's voices, and a reset of
 * one would empty the other's. The lock is a local socket: unlike a file with a process id, it ends with its process.
 * Returns a function that ends it.
 */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  const address = addressOf(file);
  const server = (await listen(address)) ?? (await listenAfterRemains(address));
  if (server === undefined)
    throw new Error(`Another emulator uses the file ${file}. Stop it, or give this one a file of its own.`);
  server.unref();
  return () => new Promise((done) => void server.close(() => done()));
}

/** The same for every path of one file. Outside its folder, because the length of a socket's path is limited. */
export function addressOf(file: string): string {
  const path = join(realpathSync(dirname(resolve(file))), basename(file));
  const name = `cloudvoice-emulator-${createHash("sha256").update(path).digest("hex").slice(0, 24)}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** A killed emulator leaves its socket behind. Nobody answers there. */
async function listenAfterRemains(address: string): Promise<Server | undefined> {
  if (await answers(address)) return undefined;
  if (process.platform !== "win32") rmSync(address, { force: true });
  return listen(address);
}

/** Undefined if the address is in use. */
function listen(address: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => resolve(server));
  });
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
