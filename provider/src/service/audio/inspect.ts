import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import type { AudioFacts } from "../../decide/audio";
import { describeThrown } from "../../errors";

/** What identifies the bytes, without measuring them. */
export interface Fingerprinted {
  bytes: number;
  sha256: string;
}

/** Far over what the service takes: told by its size alone. */
const unreadAboveBytes = 64 * 1024 * 1024;

type Seen<T> = Map<string, Promise<T>>;
const hashed: Seen<Fingerprinted> = new Map();
const inspected: Seen<AudioFacts> = new Map();

/** Reads, hashes and measures a file, once in this process for each version of the file. */
export async function inspectAudio(path: string): Promise<AudioFacts> {
  let about;
  try {
    about = await stat(path);
  } catch (error) {
    const { code, message } = describeThrown(error);
    return code === "ENOENT" || code === "ENOTDIR" ? { state: "missing" } : { state: "unreadable", why: message };
  }
  if (about.isDirectory()) return { state: "folder" };
  if (!about.isFile()) return { state: "other", found: "not a regular file" };
  if (about.size === 0) return { state: "empty" };
  if (about.size > unreadAboveBytes) return { state: "huge", bytes: about.size };
  const version = `${path}\0${about.size}\0${about.mtimeMs}`;
  return once(inspected, version, () =>
    inspect(path, about.size, version).catch((error: unknown) => ({ state: "unreadable", why: describeThrown(error).message }) as const),
  );
}

function hashOnce(path: string, bytes: number, version: string): Promise<Fingerprinted> {
  return once(hashed, version, async () => {
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) hash.update(chunk as Buffer);
    return { bytes, sha256: hash.digest("hex") };
  });
}

async function inspect(path: string, bytes: number, version: string): Promise<AudioFacts> {
  const head = await readHead(path);
  if (head.toString("latin1").startsWith("version https://git-lfs.github.com/")) return { state: "git-lfs-pointer" };

  const { measure } = await import("./measure");
  const measured = await measure(path, bytes, head);
  if (measured.state !== "audio") return measured;
  return { ...measured, ...(await hashOnce(path, bytes, version)) };
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function once<T>(seen: Seen<T>, key: string, work: () => Promise<T>): Promise<T> {
  const known = seen.get(key);
  if (known) return known;
  const started = work();
  seen.set(key, started);
  return started;
}
