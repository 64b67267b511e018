import { crc32 } from "node:zlib";
import { describeThrown } from "../../describe-thrown";

/**
 * Whether the bytes are a whole picture by the rules of PNG, JPEG or WebP: e.g. a server that states no length may
 * close the connection early. True for any other format.
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
};

/** The most parts that are read. */
const mostParts = 1_000_000;

/** The most pixels of one bit that deflate packs into one byte. */
const mostPixelsPerByte = 1032 * 8;

/** A PNG has chunks of a length, a type, the data and a checksum of both, until `IEND`. Pixels are in `IDAT`. */
function isCompletePng(bytes: Buffer): boolean {
  const pixels = bytes.readUInt32BE(16) * bytes.readUInt32BE(20);
  if (pixels === 0 || pixels > bytes.length * mostPixelsPerByte) return false;
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

/**
 * A JPEG has segments with lengths, up to its first scan. Behind the scan, only the end of the picture has the marker
 * 0xd9.
 */
function isCompleteJpeg(bytes: Buffer): boolean {
  const startOfScan = 0xda;
  for (let at = 2, parts = 0; at + 2 <= bytes.length && parts < mostParts; parts++) {
    if (bytes[at] !== 0xff) return false;
    const marker = bytes.readUInt8(at + 1);
    if (marker === startOfScan) return bytes.indexOf("ffd9", at, "hex") >= 0;
    // Bytes of 0xff may fill the space between segments.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return false;
}
