import { fileTypeFromBuffer } from "file-type";
import type { Named } from "../file-kind";

/** The kind of a file by its first bytes, as file-type names it. */
export async function knownKind(head: Buffer): Promise<Named | undefined> {
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  if (type === undefined) return undefined;
  const { ext, mime } = type;
  const name = names[ext] ?? ext.toUpperCase();
  return { extension: ext, name: `${name} (${mime.replace(/;.*/, "")})` };
}

/** Readable names where the extension says too little. */
const names: Partial<Record<string, string>> = {
  aac: "AAC without a container",
  aif: "AIFF",
  asf: "Windows Media",
  heic: "a HEIC picture",
  avif: "an AVIF picture",
  mov: "a QuickTime film",
  mpg: "an MPEG program stream",
  mts: "an MPEG transport stream",
  tar: "a tar archive",
  zip: "a ZIP archive",
  jxl: "JPEG XL",
  jp2: "JPEG 2000",
  cur: "a Windows cursor",
  ico: "a Windows icon",
};
