import type { Apart } from "../apart/apart";

export interface PictureSize {
  width: number;
  height: number;
}

/** The bytes that are read for the size: a third-party parser must not walk through megabytes of untrusted content. */
const headBytes = 64 * 1024;
/** The most segments, chunks or entries that are read. A picture has a few dozen. */
const mostParts = 10_000;

/** The displayed size: cameras store pictures unrotated and state the rotation. Undefined if it can't be read. */
export async function pictureSize(extension: string, content: Buffer, apart: Apart): Promise<PictureSize | undefined> {
  try {
    const stored = (extension === "jpg" && jpegSize(content)) || (await storedSize(extension, content, apart));
    if (!stored || !isPossible(stored)) return undefined;
    const { width, height } = stored;
    return isTurned(extension, content) ? { width: height, height: width } : { width, height };
  } catch {
    return undefined;
  }
}

/** Like `tagsOf`, but bytes that are no directory have no tags. */
function tagsOrNone(tiff: Buffer, tag: number): (number | undefined)[] {
  try {
    return tagsOf(tiff, tag);
  } catch {
    return [];
  }
}

/** The most that JPEG and GIF allow. No generated picture is larger. */
const longestSide = 65_535;

const isPossible = ({ width, height }: PictureSize) =>
  [width, height].every((side) => Number.isInteger(side) && side > 0 && side <= longestSide);

async function storedSize(extension: string, content: Buffer, apart: Apart): Promise<PictureSize | undefined> {
  if (extension === "tiff") {
    const [width = 0, height = 0] = tagsOf(content, 0x0100, 0x0101);
    return { width, height };
  }
  return apart.run("imageSize", content.subarray(0, headBytes));
}

/** Orientations from 5 on are turned by a quarter. */
function isTurned(extension: string, content: Buffer): boolean {
  // Workaround: image-size (2.1) ignores the box `irot` of HEIF.
  if (["heic", "heif", "avif"].includes(extension)) {
    const at = content.subarray(0, headBytes).indexOf("irot");
    return at >= 0 && ((content[at + 4] ?? 0) & 1) === 1;
  }
  const exif = extension === "tiff" ? content : exifIn(extension, content);
  const [orientation = 1] = exif ? tagsOrNone(exif, 0x0112) : [];
  return orientation >= 5 && orientation <= 8;
}

function exifIn(extension: string, content: Buffer): Buffer | undefined {
  if (extension === "jpg") {
    for (const { marker, at, end } of jpegSegments(content))
      if (marker === 0xe1 && content.toString("latin1", at, at + 6) === "Exif\0\0")
        return content.subarray(at + 6, end);
  }
  if (extension === "png") return chunk(content, 8, "eXIf", (at) => [content.readUInt32BE(at), at + 4, at + 8, 4]);
  if (extension === "webp") {
    const body = chunk(content, 12, "EXIF", (at) => {
      const size = content.readUInt32LE(at + 4);
      return [size, at, at + 8, size % 2];
    });
    return body?.toString("latin1", 0, 4) === "Exif" ? body.subarray(6) : body;
  }
  return undefined;
}

/** The chunk of this name. `read` returns its length, the offsets of name and content, and the bytes behind them. */
function chunk(
  content: Buffer,
  from: number,
  name: string,
  read: (at: number) => [length: number, name: number, body: number, behind: number],
): Buffer | undefined {
  let at = from;
  for (let parts = 0; at + 8 <= content.length && parts < mostParts; parts++) {
    const [length, nameAt, body, behind] = read(at);
    if (content.toString("latin1", nameAt, nameAt + 4) === name) return content.subarray(body, body + length);
    at = body + length + behind;
  }
  return undefined;
}

/** The values of tags in the first directory of a TIFF file. EXIF has the same form. */
function tagsOf(tiff: Buffer, ...tags: number[]): (number | undefined)[] {
  const isLittle = tiff.toString("latin1", 0, 2) === "II";
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const long = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  const directory = long(4);
  const entries = Math.min(short(directory), mostParts);
  const values = new Map<number, number>();
  for (let entry = 0; entry < entries; entry++) {
    const at = directory + 2 + entry * 12;
    values.set(short(at), short(at + 2) === 3 ? short(at + 8) : long(at + 8));
  }
  return tags.map((tag) => values.get(tag));
}

function jpegSize(content: Buffer): PictureSize | undefined {
  for (const { marker, at } of jpegSegments(content)) {
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: content.readUInt16BE(at + 1), width: content.readUInt16BE(at + 3) };
  }
  return undefined;
}

/** The segments before the first scan. Bytes of 0xff may fill the space between them. */
function* jpegSegments(content: Buffer): Generator<{ marker: number; at: number; end: number }> {
  let at = 2;
  for (let parts = 0; at + 4 <= content.length && content[at] === 0xff && parts < mostParts; parts++) {
    let filled = 0;
    while (content[at + 1] === 0xff && filled++ < 1_000_000) at++;
    const marker = content.readUInt8(at + 1);
    if (marker === 0xda || marker === 0xd9) return;
    const end = at + 2 + content.readUInt16BE(at + 2);
    yield { marker, at: at + 4, end };
    at = end;
  }
}
