import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import type { AudioFacts } from "../../rules/audio";
import { describeThrown } from "../../describe-thrown";

/** Far over what the service takes: told by its size alone. */
const unreadAboveBytes = 64 * 1024 * 1024;

const inspected = new Map<string, Promise<AudioFacts>>();

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
  const known = inspected.get(version);
  if (known) return known;
  const facts = inspect(path, about.size).catch(
    (error: unknown) => ({ state: "unreadable", why: describeThrown(error).message }) as const,
  );
  inspected.set(version, facts);
  return facts;
}

async function inspect(path: string, bytes: number): Promise<AudioFacts> {
  const head = await readHead(path);
  if (head.toString("latin1").startsWith("version https://git-lfs.github.com/")) return { state: "git-lfs-pointer" };

  const { measure } = await import("./measure");
  const measured = await measure(path, bytes, head);
  if (measured.state !== "audio") return measured;
  return { ...measured, bytes, sha256: await hashOf(path) };
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
