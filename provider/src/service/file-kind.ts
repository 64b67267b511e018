import { behindTags } from "./id3";

/** The kind of a file, judged by its content. */
export interface FileKind {
  /** The usual extension of its name, for example `flac`; `txt` for a text; undefined if unknown. */
  extension?: string | undefined;
  /** The rest of a sentence that begins "it is …". */
  name: string;
  /** Where its content begins: behind tags of ID3. */
  from: number;
}

export const unknownKind = "a file of an unknown kind";

/** The most bytes that are examined: a third-party parser must not walk through megabytes of untrusted content. */
const headBytes = 64 * 1024;

/** `known`: what a library calls the beginning of the content. */
export async function fileKind(
  content: Buffer,
  known: (head: Buffer) => Promise<Named | undefined>,
): Promise<FileKind> {
  const from = behindTags(content);
  const head = content.subarray(from, from + headBytes);
  const own = ownKind(head) ?? (await known(head)) ?? lateTiff(head);
  const behind = from > 0 && own !== undefined && own.extension !== "mp3" ? " behind an ID3 tag" : "";
  if (own !== undefined) return { ...own, name: own.name + behind, from };
  const isText = head.length > 0 && !head.subarray(0, 4096).some((byte) => byte < 9 || byte === 127);
  return isText ? { extension: "txt", name: "text", from } : { name: unknownKind, from };
}

export type Named = Pick<FileKind, "extension" | "name">;

/**
 * A TIFF file whose directory lies behind the examined part. By it, the library tells camera photographs from other
 * files.
 */
function lateTiff(head: Buffer): Named | undefined {
  const isTiff = /^(II\*\0|MM\0\*)/.test(head.toString("latin1", 0, 4));
  return isTiff ? { extension: "tif", name: "TIFF (image/tiff)" } : undefined;
}

/** The kinds that file-type (21) does not know, or calls by another name. */
const signatures: readonly [extension: string, name: string, signature: RegExp][] = [
  ["annex", "a pointer of git-annex, not the file itself", /^\/annex\/objects\/|^(\.\.\/)*\.git\/annex\/objects\//],
  ["dvc", "a pointer of DVC, not the file itself", /^(outs:\s*- |md5: [0-9a-f]{32}[\s\S]*?outs:)/],
  ["lfs", "a Git LFS pointer, not the file itself", /^version https:\/\/(git-lfs|hawser)\.github\.com\//],
  ["wav", "a RIFX file (a WAV file with its bytes in the other order)", /^RIFX[\s\S]{4}WAVE/],
  ["wav", "a BW64 file (a WAV file of a broadcaster)", /^BW64[\s\S]{4}WAVE/],
  ["rf64", "RF64", /^RF64[\s\S]{4}WAVE/],
  ["w64", "Sony Wave64", /^riff\x2e\x91\xcf/],
  ["caf", "CAF, Apple's Core Audio Format (audio/x-caf)", /^caff\0/],
  ["au", "Sun AU (audio/basic)", /^\.snd/],
  ["tta", "True Audio (TTA)", /^TTA[12]/],
  ["dts", "DTS (audio/vnd.dts)", /^(\x7f\xfe\x80|\xfe\x7f[^]\x80|DTSHDHDR)/],
  ["aifc", "AIFF-C (audio/aiff)", /^FORM[\s\S]{4}AIFC/],
  ["svx", "Amiga 8SVX", /^FORM[\s\S]{4}8SVX/],
  ["asf", "Windows Media (audio/x-ms-wma)", /^0&\xb2u\x8ef\xcf/],
  ["sph", "NIST SPHERE", /^NIST_1A/],
  ["aax", "an Audible book, which is encrypted", /^[\s\S]{4}ftypaax /],
  ["midi", "MIDI: notes, and no sound", /^MThd/],
  ["lpcm", "a Blu-ray or RealAudio recording", /^\.ra\xfd/],
  ["hls", "a playlist, not the recording itself", /^\ufeff?#EXTM3U|^\[playlist\]/i],
  ["html", "an HTML page", /^(\xef\xbb\xbf)?\s*(<!--[\s\S]{0,2000}?-->\s*)?<(!doctype html|html|head|body|script)\b/i],
  [
    "svg",
    "an SVG drawing",
    /^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]{0,2000}?-->\s*|<!doctype svg[^>]*>\s*)*<svg\b/i,
  ],
  ["xml", "an XML document", /^(\xef\xbb\xbf)?\s*<\?xml\b/i],
  ["json", "JSON", /^(\xef\xbb\xbf)?\s*(\{\s*(["}]|$)|\[\s*[[\]{"\d])/],
  [
    "eml",
    "an e-mail",
    /^(From |Return-Path:|Received:|MIME-Version:|From:|Delivered-To:)[\s\S]{0,4000}?\n(To|From|Subject|Content-Type|MIME-Version):/i,
  ],
  [
    "b64",
    "a text of Base64, which has to be decoded",
    /^(data:audio\/[\w.+-]+;base64,|UklGR[\w+/=\s]{100}|SUQz[\w+/=\s]{100})/,
  ],
  ["qoi", "QOI", /^qoif/],
  ["tif", "BigTIFF", /^(II\+\0|MM\0\+)/],
];

function ownKind(head: Buffer): Named | undefined {
  const text = head.toString("latin1", 0, 4096);
  const found = signatures.find(([, , signature]) => signature.test(text));
  return found && { extension: found[0], name: found[1] };
}
