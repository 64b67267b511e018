import { fileTypeFromBuffer } from "file-type";
import type { Named } from "../file-kind";

/** What the library calls a file, by its first bytes. */
export async function knownKind(head: Buffer): Promise<Named | undefined> {
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found === undefined) return undefined;
  const { ext, mime } = found;
  const name = names[ext] ?? ext.toUpperCase();
  return { extension: ext, name: `${name} (${mime.replace(/;.*/, "")})` };
}

/** Kinds whose extension alone does not identify them. */
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
