import type { Named } from "./file-kind";

export async function knownKind(head: Buffer): Promise<Named | undefined> {
  // Loaded late, so that a start of the plugin does not read this library.
  const { fileTypeFromBuffer } = await import("file-type");
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  if (type === undefined) return undefined;
  const { ext, mime } = type;
  return { extension: ext, name: `${ext.toUpperCase()} (${mime.replace(/;.*/, "")})` };
}
