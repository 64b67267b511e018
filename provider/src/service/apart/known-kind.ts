import { fileTypeFromBuffer } from "file-type";
import type { Named } from "../file-kind";

export async function knownKind(head: Buffer): Promise<Named | undefined> {
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  if (type === undefined) return undefined;
  const { ext, mime } = type;
  return { extension: ext, name: `${ext.toUpperCase()} (${mime.replace(/;.*/, "")})` };
}
