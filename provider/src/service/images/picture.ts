import { crc32 } from "node:zlib";
import { imageSize } from "image-size";
import { attempt, describeThrown } from "../../describe-thrown";

/**
 * Whether the bytes are a whole picture, by the rules of PNG, JPEG or WebP. A picture may be incomplete e.g. because a
 * server that did not state the length closed the connection early. True for any other format.
 */
export function isComplete(contentType: string, bytes: Buffer): boolean {
  try {
    return checks[contentType]?.(bytes) ?? true;
  } catch (error) {
    // `Buffer` throws errors with these codes when code reads beyond its end.
    if (["ERR_OUT_OF_RANGE", "ERR_BUFFER_OUT_OF_BOUNDS"].includes(describeThrown(error).code)) return false;
    throw error;
  }
}

const checks: Partial<Record<string, (bytes: Buffer) => boolean>> = {
  "image/png": isCompletePng,
  "image/jpeg": isCompleteJpeg,
  "image/webp": (bytes) => bytes.length >= 8 + bytes.readUInt32LE(4),
};

const mostParts = 1_000_000;

/** One bit per pixel, and deflate compresses at most by a factor of 1,032. */
const mostPixelsPerByte = 1032 * 8;

/**
 * A PNG is a series of chunks: length, type, data, and a checksum of type and data. `IDAT` chunks have the pixels, and
 * `IEND` is the last chunk.
 */
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
 * A JPEG is a series of segments with stated lengths, up to the first scan. After the start of the scan, the marker
 * 0xd9 occurs only at the end of the picture.
 */
function isCompleteJpeg(bytes: Buffer): boolean {
  const startOfScan = 0xda;
  for (let at = 2, parts = 0; at + 2 <= bytes.length && parts < mostParts; parts++) {
    if (bytes[at] !== 0xff) return false;
    const marker = bytes.readUInt8(at + 1);
    if (marker === startOfScan) return bytes.indexOf("ffd9", at, "hex") >= 0;
    // Any number of 0xff bytes may precede a marker.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return false;
}

/** The width and height of a picture, as a viewer shows it. Undefined if they can't be read. */
export function pixelsOf(content: Buffer): { width: number; height: number } | undefined {
  const size = attempt(() => imageSize(content));
  if (size === undefined) return undefined;
  const { width, height, orientation = 1 } = size;
  // An orientation of 5 or more means that a viewer turns the picture by 90°, so width and height change places.
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}
