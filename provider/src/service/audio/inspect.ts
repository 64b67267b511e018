import { open } from "node:fs/promises";
import pLimit from "p-limit";
import { sha256Of } from "../../files";
import { once } from "../../once";
import type { AudioFacts } from "../../rules/audio";
import { unmeasured } from "./container";
import { type Measure, measureInThread } from "./measure-thread";
import { isPlainWav, measureWav } from "./measure-wav";
import { largestReadBytes, sizeUp, unreadable } from "./size-up";

export type InspectAudio = (path: string) => Promise<AudioFacts>;

/**
 * Returns a function that inspects files. It reads each version of a file once, because many voices of a program may
 * use the same recording.
 */
export function audioInspector(measure: Measure = measureInThread()): InspectAudio {
  const inspected = new Map<string, Promise<AudioFacts>>();
  // Files are read one after the other into the same buffer, because Node.js would free a buffer per file late.
  const limit = pLimit(1);
  const memory = once(() => Buffer.alloc(largestReadBytes));
  return async (path) => {
    const file = sizeUp(path);
    if ("state" in file) return file;
    const version = `${path}\0${file.size}\0${file.mtimeMs}`;
    let facts = inspected.get(version);
    if (!facts) inspected.set(version, (facts = limit(() => read(path, memory(), measure))));
    return facts;
  };
}

async function read(path: string, memory: Buffer, measure: Measure): Promise<AudioFacts> {
  try {
    const content = await contentOf(path, memory);
    if (content.toString("latin1", 0, 100).startsWith("version https://git-lfs.github.com/"))
      return { state: "git-lfs-pointer" };
    const measured = isPlainWav(content) ? measureWav(content) : ((await measure(content)) ?? unmeasured(content));
    if (measured.state !== "audio") return measured;
    return { ...measured, bytes: content.length, sha256: sha256Of(content) };
  } catch (error) {
    return unreadable(error);
  }
}

async function contentOf(path: string, memory: Buffer): Promise<Buffer> {
  const file = await open(path);
  try {
    const { bytesRead } = await file.read(memory, 0, memory.length, 0);
    return memory.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
