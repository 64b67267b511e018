import { open } from "node:fs/promises";
import pLimit from "p-limit";
import { sha256Of } from "../../files";
import { once } from "../../once";
import type { AudioFacts } from "../../rules/audio";
import { type Measure, measureInThread } from "./measure-thread";
import { isPlainWav, measureWav } from "./measure-wav";
import { largestReadBytes, sizeUp, unreadable } from "./size-up";
import { behindTags } from "../file-kind";
import type { AudioKind } from "../../rules/file-formats";
import { judged, type Measured } from "./measured";

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

/** The kind of a recording by its first bytes, without a library. Undefined if it is not WAV, MP4 or MP3. */
export function containerOf(content: Buffer): AudioKind | undefined {
  if (isPlainWav(content)) return "wav";
  if (/^(ftyp|moov|mdat|free|skip|wide)$/.test(content.toString("latin1", 4, 8))) return "mp4";
  const from = behindTags(content);
  // The beginning of a frame of MPEG audio. AAC frames differ in the bits of the layer.
  return /^\xff[\xe2-\xe7\xf2-\xf7\xfa-\xff]/.test(content.toString("latin1", from, from + 2)) ? "mp3" : undefined;
}

/**
 * The result for a recording whose measurement was stopped, e.g. because the file is crafted or the machine is busy.
 */
function unmeasured(content: Buffer): Measured {
  const kind = containerOf(content);
  const why = "measuring it took too much time or memory";
  if (kind === undefined) return { state: "unreadable", why: `${why}. Give a WAV, MP3 or MP4 file, or try again` };
  return judged(kind, [], [`its length is not measured: ${why}`]);
}
