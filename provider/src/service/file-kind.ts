export interface FileKind {
  /** The usual file name extension, for example `flac`, or `txt` for a plain text. Undefined if the kind is unknown. */
  extension?: string | undefined;
  /** A name for messages. It completes the sentence "it is …". */
  name: string;
  /** The offset at which the content begins, after any ID3 tags. */
  from: number;
}

const unknownKind = "a file of an unknown kind";

/** At most this many bytes are examined: a third-party parser should not read megabytes of untrusted content. */
const headBytes = 64 * 1024;

/** Recognises a file by the signatures below, or else by the library file-type. */
export async function fileKind(content: Buffer): Promise<FileKind> {
  const from = behindTags(content);
  const head = content.subarray(from, from + headBytes);
  const named = kindBySignature(head) ?? (await knownKind(head));
  const behind = from > 0 && named !== undefined && named.extension !== "mp3" ? " after an ID3 tag" : "";
  if (named !== undefined) return { ...named, name: named.name + behind, from };
  const isText = head.length > 0 && !head.subarray(0, 4096).some((byte) => byte < 9 || byte === 127);
  return isText ? { extension: "txt", name: "text", from } : { name: unknownKind, from };
}

type Named = Pick<FileKind, "extension" | "name">;

/** The offset after any ID3 tags. They may be larger than the examined part of the file. */
export function behindTags(content: Buffer): number {
  let at = 0;
  for (let tags = 0; tags < 8 && at + 10 <= content.length; tags++) {
    if (content.toString("latin1", at, at + 3) !== "ID3") break;
    // The size of a tag is stored in four bytes of seven bits each.
    at += 10 + content.subarray(at + 6, at + 10).reduce((size, byte) => size * 128 + (byte & 0x7f), 0);
  }
  return Math.min(at, content.length);
}

/** The signatures of kinds that file-type (version 21) does not recognise, or names differently. */
const signatures: readonly [extension: string, name: string, signature: RegExp][] = [
  ["lfs", "a Git LFS pointer, not the file itself", /^version https:\/\/(git-lfs|hawser)\.github\.com\//],
  ["wav", "a RIFX file (a big-endian WAV file)", /^RIFX[\s\S]{4}WAVE/],
  ["wav", "a BW64 file (a variant of WAV for broadcasting)", /^BW64[\s\S]{4}WAVE/],
  ["rf64", "RF64", /^RF64[\s\S]{4}WAVE/],
  ["w64", "Sony Wave64", /^riff\x2e\x91\xcf/],
  ["caf", "CAF, Apple's Core Audio Format (audio/x-caf)", /^caff\0/],
  ["au", "Sun AU (audio/basic)", /^\.snd/],
  ["aifc", "AIFF-C (audio/aiff)", /^FORM[\s\S]{4}AIFC/],
  ["asf", "Windows Media (audio/x-ms-wma)", /^0&\xb2u\x8ef\xcf/],
  ["html", "an HTML page", /^(\xef\xbb\xbf)?\s*(<!--[\s\S]{0,2000}?-->\s*)?<(!doctype html|html|head|body|script)\b/i],
  [
    "svg",
    "an SVG drawing",
    /^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]{0,2000}?-->\s*|<!doctype svg[^>]*>\s*)*<svg\b/i,
  ],
  ["xml", "an XML document", /^(\xef\xbb\xbf)?\s*<\?xml\b/i],
  ["json", "JSON", /^(\xef\xbb\xbf)?\s*(\{\s*(["}]|$)|\[\s*[[\]{"\d])/],
];

function kindBySignature(head: Buffer): Named | undefined {
  const text = head.toString("latin1", 0, 4096);
  const match = signatures.find(([, , signature]) => signature.test(text));
  return match && { extension: match[0], name: match[1] };
}

async function knownKind(head: Buffer): Promise<Named | undefined> {
  // Loaded late, so that a start of the plugin does not read this library.
  const { fileTypeFromBuffer } = await import("file-type");
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  if (type === undefined) return undefined;
  const { ext, mime } = type;
  return { extension: ext, name: `${ext.toUpperCase()} (${mime.replace(/;.*/, "")})` };
}
