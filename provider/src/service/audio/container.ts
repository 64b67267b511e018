import { behindTags } from "../file-kind";
import type { AudioKind } from "../../rules/file-formats";
import { isPlainWav } from "./measure-wav";
import { judged, type Measured } from "./measured";

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
export function unmeasured(content: Buffer): Measured {
  const kind = containerOf(content);
  const why = "measuring it took too much time or memory";
  if (kind === undefined) return { state: "unreadable", why: `${why}. Give a WAV, MP3 or MP4 file, or try again` };
  return judged(kind, [], [`its length is not measured: ${why}`]);
}
