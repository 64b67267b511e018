import { crc32 } from "node:zlib";
import { describeThrown } from "../../describe-thrown";

/**
 * Whether the bytes are a whole picture by the rules of its format: e.g. a server that states no length may close the
 * connection early. True for an unknown format. For rare formats, only a missing end is noticed.
 */
export function isComplete(contentType: string, bytes: Buffer): boolean {
  try {
    return checks[contentType]?.(bytes) ?? true;
  } catch (error) {
    // `Buffer` throws these errors for a read behind its end.
    if (["ERR_OUT_OF_RANGE", "ERR_BUFFER_OUT_OF_BOUNDS"].includes(describeThrown(error).code)) return false;
    throw error;
  }
}

const checks: Partial<Record<string, (bytes: Buffer) => boolean>> = {
  "image/png": isCompletePng,
  "image/jpeg": isCompleteJpeg,
  "image/webp": (bytes) => bytes.length >= 8 + bytes.readUInt32LE(4),
  "image/gif": hasGifEnd,
  "image/bmp": hasBmpPixels,
  "image/tiff": hasTiffStrip,
  "image/heif": hasAllBoxes,
  "image/heic": hasAllBoxes,
  "image/avif": hasAllBoxes,
};

/** The most parts that are read. A JPEG of 64 MB has about 260,000: the escaped bytes of its scans. */
const mostParts = 1_000_000;

/** The most pixels of one bit that deflate packs into one byte. */
const mostPixelsPerByte = 1032 * 8;

/** A PNG has chunks of a length, a type, the data and a checksum of both, until `IEND`. Pixels are in `IDAT`. */
function isCompletePng(bytes: Buffer): boolean {
  // More pixels than the bytes can hold.
  if (bytes.readUInt32BE(16) * bytes.readUInt32BE(20) > bytes.length * mostPixelsPerByte) return false;
  let hasPixels = false;
  for (let at = 8, parts = 0; at + 12 <= bytes.length && parts < mostParts; parts++) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (bytes.readUInt32BE(end) !== crc32(bytes.subarray(at + 4, end))) return false;
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (type === "IEND") return hasPixels;
    hasPixels ||= type === "IDAT";
    at = end + 4;
  }
  return false;
}

/** A JPEG has segments with lengths. After each start of a scan comes its data, up to the next marker. */
function isCompleteJpeg(bytes: Buffer): boolean {
  const [startOfScan, endOfImage] = [0xda, 0xd9];
  let hasPixels = false;
  for (let at = 2, parts = 0; at + 2 <= bytes.length && parts < mostParts; parts++) {
    if (bytes[at] !== 0xff) return false;
    const marker = bytes.readUInt8(at + 1);
    if (marker === endOfImage) return hasPixels;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    at += 2 + bytes.readUInt16BE(at + 2);
    if (marker !== startOfScan) continue;
    at = nextMarker(bytes, at);
    hasPixels = true;
  }
  return false;
}

/** The marker that ends a scan. In its data, 0xff is followed by 0 or by a restart marker. */
function nextMarker(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(0xff, from);
  for (let parts = 0; at >= 0 && parts < mostParts; parts++) {
    const next = bytes.readUInt8(at + 1);
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at;
    at = bytes.indexOf(0xff, at + 2);
  }
  return bytes.length;
}

/** A GIF has blocks of sub-blocks, until the trailer. */
function hasGifEnd(bytes: Buffer): boolean {
  const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + tableBytes(bytes.readUInt8(10));
  let hasPixels = false;
  for (let parts = 0; parts < mostParts; parts++) {
    const block = bytes.readUInt8(at);
    if (block === 0x3b) return hasPixels;
    hasPixels ||= block === 0x2c;
    // An extension has a label, and an image its place, size, colours, and the size of its codes.
    if (block === 0x21) at += 2;
    else if (block === 0x2c) at += 11 + tableBytes(bytes.readUInt8(at + 9));
    else return false;
    for (let size = bytes.readUInt8(at); size > 0; size = bytes.readUInt8(at)) {
      at += 1 + size;
      if (parts++ > mostParts) return true;
    }
    at += 1;
  }
  return true;
}

/** An uncompressed BMP pads each row of pixels to a multiple of four bytes. */
function hasBmpPixels(bytes: Buffer): boolean {
  const isOld = bytes.readUInt32LE(14) === 12;
  if (isOld || ![0, 3].includes(bytes.readUInt32LE(30))) return bytes.length >= bytes.readUInt32LE(2);
  const rowBytes = Math.ceil((Math.abs(bytes.readInt32LE(18)) * bytes.readUInt16LE(28)) / 32) * 4;
  return bytes.length >= bytes.readUInt32LE(10) + rowBytes * Math.abs(bytes.readInt32LE(22));
}

/** Whether all strips of pixels are inside the file. */
function hasTiffStrip(bytes: Buffer): boolean {
  const isLittle = bytes.toString("latin1", 0, 2) === "II";
  const short = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const directory = long(4);
  const numbers = new Map<number, number[]>();
  for (let entry = 0; entry < short(directory); entry++) {
    const at = directory + 2 + entry * 12;
    const [tag, isShort, count] = [short(at), short(at + 2) === 3, Math.min(long(at + 4), mostParts)];
    if ((tag !== 273 && tag !== 279) || numbers.has(tag)) continue;
    const bytesEach = isShort ? 2 : 4;
    const from = count * bytesEach <= 4 ? at + 8 : long(at + 8);
    numbers.set(
      tag,
      Array.from({ length: count }, (_, index) => (isShort ? short : long)(from + index * bytesEach)),
    );
  }
  const [offsets = [], sizes = []] = [numbers.get(273), numbers.get(279)];
  return offsets.every((offset, index) => offset + (sizes[index] ?? 0) <= bytes.length);
}

/** HEIF and AVIF have boxes of a length and a type, to the end of the file. */
function hasAllBoxes(bytes: Buffer): boolean {
  let at = 0;
  for (let parts = 0; at < bytes.length && parts < mostParts; parts++) {
    const size = bytes.readUInt32BE(at);
    if (size === 0) return true;
    const length = size === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : size;
    if (length < 8) return false;
    at += length;
  }
  return at <= bytes.length;
}
