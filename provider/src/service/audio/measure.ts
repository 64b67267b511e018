import { parentPort } from "node:worker_threads";
import { fileKind } from "../file-kind";
import type { Measured } from "./measured";
import { measureMp3 } from "./measure-mp3";
import { measureMp4 } from "./measure-mp4";

/**
 * The extensions of the MP4 variants that the contract accepts. Any other variant is refused, and the message names it.
 */
const mp4Extensions = ["mp4", "m4a", "m4v", "m4b", "m4p", "f4v", "f4a", "f4b", "f4p", "3gp", "3g2"];

/** Measures a recording by its frames: the header of a truncated file still states the full length. */
export async function measure(content: Buffer): Promise<Measured> {
  const kind = await fileKind(content);
  const { name, extension, from } = kind;
  // An MP3 recording that was cut out of a longer one may begin inside a frame, so file-type does not recognise it.
  const mp3 = extension === undefined || /^mp[123]$/.test(extension) ? await measureMp3(content, kind) : undefined;
  if (mp3 !== undefined) return mp3;
  // Old QuickTime files do not begin with a `ftyp` box, so they name no brand.
  const isBrandless = extension === "mov" && content.toString("latin1", 4, 8) !== "ftyp";
  if (from === 0 && (isBrandless || mp4Extensions.includes(extension ?? "")))
    return measureMp4(content, /^3g/.test(extension ?? ""));
  return { state: "other", detail: name };
}

// This file is also the program of the thread of `measureInThread`. A library that fails ends the thread.
parentPort?.on("message", (content: Uint8Array) => {
  void measure(Buffer.from(content.buffer)).then((measured) => parentPort?.postMessage(measured));
});
