import { createHash } from "node:crypto";
import { createReadStream, type Stats, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { describeThrown } from "../../describe-thrown";
import type { AudioFacts } from "../../rules/audio";

/** The service takes less than this of encoded audio, which is longer than the file. A larger file is not read. */
const largestReadBytes = 9_999_999;

export type InspectAudio = (path: string) => Promise<AudioFacts>;

/** Inspects each version of a file once: a catalog may use one recording for many voices. */
export function audioInspector(): InspectAudio {
  const inspected = new Map<string, Promise<AudioFacts>>();
  return async (path) => {
    const file = sizeUp(path);
    if ("state" in file) return file;
    const version = `${path}\0${file.size}\0${file.mtimeMs}`;
    let facts = inspected.get(version);
    if (!facts) inspected.set(version, (facts = read(path, file.size)));
    return facts;
  };
}

/** Reads, hashes and measures a file. */
export const inspectAudio: InspectAudio = (path) => audioInspector()(path);

/**
 * The facts that need no reading, or the file's size and age. Synchronous: a thousand files take 10 ms in this way, and
 * more than 100 ms through the thread pool.
 */
function sizeUp(path: string): AudioFacts | Stats {
  let about: Stats;
  try {
    about = statSync(path);
  } catch (error) {
    const { code, message } = describeThrown(error);
    return code === "ENOENT" || code === "ENOTDIR" ? { state: "missing" } : { state: "unreadable", why: message };
  }
  if (about.isDirectory()) return { state: "folder" };
  if (!about.isFile()) return { state: "other", found: "not a regular file" };
  if (about.size === 0) return { state: "empty" };
  return about.size > largestReadBytes ? { state: "huge", bytes: about.size } : about;
}

async function read(path: string, bytes: number): Promise<AudioFacts> {
  try {
    const head = await readHead(path);
    if (head.toString("latin1").startsWith("version https://git-lfs.github.com/")) return { state: "git-lfs-pointer" };
    // Loaded late: the library that measures audio is large.
    const { measure } = await import("./measure");
    const measured = await measure(path, bytes, head);
    return measured.state === "audio" ? { ...measured, bytes, sha256: await hashOf(path) } : measured;
  } catch (error) {
    return { state: "unreadable", why: describeThrown(error).message };
  }
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

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
