import { crc32 } from "node:zlib";
import { describeThrown } from "../../describe-thrown";

/**
 * Whether the bytes are a whole picture, as its own format says: a server that closes the connection early and
 * announces no length looks like one that has finished, and a byte may be wrong. Only of the formats that the service is
 * likely to send. True for the others: a parser for each would be more risk than use, because HTTP notices nearly every
 * cut itself.
 */
export function isComplete(contentType: string, bytes: Buffer): boolean {
  try {
    return checks[contentType]?.(bytes) ?? true;
  } catch (error) {
    // The errors of `Buffer` for a read behind its end.
    if (["ERR_OUT_OF_RANGE", "ERR_BUFFER_OUT_OF_BOUNDS"].includes(describeThrown(error).code)) return false;
    throw error;
  }
}

const checks: Partial<Record<string, (bytes: Buffer) => boolean>> = {
  "image/png": isCompletePng,
  "image/jpeg": isCompleteJpeg,
  "image/webp": (bytes) => bytes.length >= 8 + bytes.readUInt32LE(4),
};

/** Chunks of a length, a type, the data and a checksum of both, until `IEND`. */
function isCompletePng(bytes: Buffer): boolean {
  for (let at = 8; at + 12 <= bytes.length;) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (bytes.readUInt32BE(end) !== crc32(bytes.subarray(at + 4, end))) return false;
    if (bytes.toString("latin1", at + 4, at + 8) === "IEND") return true;
    at = end + 4;
  }
  return false;
}

/** Segments with lengths, and after each start of a scan its data, which ends at the next marker. */
function isCompleteJpeg(bytes: Buffer): boolean {
  const [startOfScan, endOfImage] = [0xda, 0xd9];
  for (let at = 2; at + 2 <= bytes.length;) {
    if (bytes[at] !== 0xff) return false;
    const marker = bytes.readUInt8(at + 1);
    if (marker === endOfImage) return true;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    at += 2 + bytes.readUInt16BE(at + 2);
    if (marker === startOfScan) at = nextMarker(bytes, at);
  }
  return false;
}

/** In the data of a scan, 0xff is followed by 0, or by a restart marker, and these do not end it. */
function nextMarker(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(0xff, from);
  while (at >= 0) {
    const next = bytes.readUInt8(at + 1);
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at;
    at = bytes.indexOf(0xff, at + 2);
  }
  return bytes.length;
}
