import { describeThrown } from "../../describe-thrown";

/**
 * Whether the bytes are a whole picture, as its own format says: a server that closes the connection early and
 * announces no length looks like one that has finished. True for a format of which this is not known.
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
  "image/gif": isCompleteGif,
  "image/webp": (bytes) => bytes.length >= 8 + bytes.readUInt32LE(4),
  "image/bmp": (bytes) => bytes.length >= bytes.readUInt32LE(2),
  "image/tiff": isCompleteTiff,
  "image/heif": isCompleteHeif,
  "image/heic": isCompleteHeif,
  "image/avif": isCompleteHeif,
};

/** Chunks of a length, a type, the data and a checksum, until `IEND`. */
function isCompletePng(bytes: Buffer): boolean {
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString("latin1", at + 4, at + 8) === "IEND") return true;
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

/** A header, a palette, and blocks until the trailer. */
function isCompleteGif(bytes: Buffer): boolean {
  const [extension, image, trailer] = [0x21, 0x2c, 0x3b];
  const palette = (packed: number) => ((packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1));
  let at = 13 + palette(bytes.readUInt8(10));
  for (;;) {
    const block = bytes.readUInt8(at);
    if (block === trailer) return true;
    if (block === extension) at += 2;
    else if (block === image) at += 11 + palette(bytes.readUInt8(at + 9));
    else return false;
    for (let size = bytes.readUInt8(at); size > 0; size = bytes.readUInt8(at)) at += 1 + size;
    at += 1;
  }
}

/** Boxes of a length and a type, up to the end of the file. The box `mdat` has the picture. */
function isCompleteHeif(bytes: Buffer): boolean {
  let hasPicture = false;
  let at = 0;
  while (at < bytes.length) {
    const size = bytes.readUInt32BE(at);
    hasPicture ||= bytes.toString("latin1", at + 4, at + 8) === "mdat";
    // 0: the box extends to the end, wherever that is. 1: the length follows in 64 bits.
    if (size === 0) return true;
    const length = size === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : size;
    if (length < 8) return false;
    at += length;
  }
  return hasPicture && at === bytes.length;
}

/** Bytes of one value, by the number of its type. */
const tiffWidths = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];

/** The first directory names where the strips or tiles of the picture are. */
function isCompleteTiff(bytes: Buffer): boolean {
  const little = bytes.toString("latin1", 0, 2) === "II";
  const short = (at: number) => (little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (at: number) => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const directory = long(4);
  const values = new Map<number, number[]>();
  for (let index = 0; index < short(directory); index++) {
    const entry = directory + 2 + index * 12;
    const [tag, type, count] = [short(entry), short(entry + 2), long(entry + 4)];
    const size = count * (tiffWidths[type] ?? 0);
    const start = size <= 4 ? entry + 8 : long(entry + 8);
    if (start + size > bytes.length) return false;
    // Offsets and lengths of strips, then of tiles: numbers of 16 or 32 bits.
    if (![273, 279, 324, 325].includes(tag) || ![3, 4].includes(type)) continue;
    const [width, read] = type === 3 ? [2, short] : [4, long];
    values.set(
      tag,
      Array.from({ length: count }, (_, each) => read(start + each * width)),
    );
  }
  const offsets = values.get(273) ?? values.get(324) ?? [];
  const lengths = values.get(279) ?? values.get(325) ?? [];
  return offsets.every((offset, index) => offset + (lengths[index] ?? 0) <= bytes.length);
}
