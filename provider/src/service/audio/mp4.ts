/** The facts about the sound, read from the boxes of an MP4 file. */
export interface Mp4File {
  brand: string | undefined;
  /** The number of tracks. Zero if the table of tracks is missing, e.g. because the file is cut off. */
  tracks: number;
  /** The code of the audio encoding, for example `mp4a`. Undefined if the file has no audio track. */
  codec: string | undefined;
  /** The length of the audio track. `shownSeconds`: the length of the part that the edit list plays. */
  mediaSeconds: number | undefined;
  shownSeconds: number | undefined;
  isFragmented: boolean;
  /** The share of the audio data that the file contains, from 0 to 1. Less than 1 if the file is cut off. */
  share: number;
}

export interface Box {
  type: string;
  body: Buffer;
  /** The length of the body according to the header. It exceeds the length of `body` if the file is cut off. */
  statedBytes: number;
}

const mostBoxes = 2000;

export function boxesIn(content: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= content.length && boxes.length < mostBoxes;) {
    const size = content.readUInt32BE(at);
    const isLong = size === 1 && at + 16 <= content.length;
    const head = isLong ? 16 : 8;
    const stated = isLong ? Number(content.readBigUInt64BE(at + 8)) : size === 0 ? content.length - at : size;
    if (stated < head) break;
    const body = content.subarray(at + head, at + stated);
    boxes.push({ type: content.toString("latin1", at + 4, at + 8), body, statedBytes: stated - head });
    at += stated;
  }
  return boxes;
}

function find(boxes: Box[], type: string): Buffer | undefined {
  return boxes.find((box) => box.type === type)?.body;
}

/** The body of a nested box. `path`: the types of the boxes around it, outermost first, and its own type. */
function inside(content: Buffer, ...path: string[]): Buffer | undefined {
  return path.reduce<Buffer | undefined>((within, type) => within && find(boxesIn(within), type), content);
}

export function readMp4(content: Buffer): Mp4File {
  const boxes = boxesIn(content);
  const moov = find(boxes, "moov");
  const inMoov = moov ? boxesIn(moov) : [];
  const tracks = inMoov.filter(({ type }) => type === "trak").map(({ body }) => body);
  const sound = tracks.find((track) => inside(track, "mdia", "hdlr")?.toString("latin1", 8, 12) === "soun");
  const mdat = boxes.filter(({ type }) => type === "mdat");
  const stated = mdat.reduce((sum, { statedBytes }) => sum + statedBytes, 0);
  const there = mdat.reduce((sum, { body }) => sum + body.length, 0);
  const movieScale = timeOf(find(inMoov, "mvhd")).scale;
  const media = timeOf(sound && inside(sound, "mdia", "mdhd"));
  return {
    brand: find(boxes, "ftyp")?.toString("latin1", 0, 4),
    tracks: tracks.length,
    codec: sound && codecOf(inside(sound, "mdia", "minf", "stbl", "stsd")),
    mediaSeconds: media.scale > 0 && media.duration > 0 ? media.duration / media.scale : undefined,
    shownSeconds: shownSeconds(sound && inside(sound, "edts", "elst"), movieScale),
    isFragmented: find(inMoov, "mvex") !== undefined,
    share: stated === 0 ? 1 : there / stated,
  };
}

function codecOf(description: Buffer | undefined): string | undefined {
  if (description === undefined || description.length < 16) return undefined;
  const codec = description.toString("latin1", 12, 16);
  // The encoding of an `mp4a` track may be MP3: a descriptor with the tag 4 names it (ISO/IEC 14496-1, 7.2.6.6).
  const descriptors = description.indexOf("esds");
  if (codec !== "mp4a" || descriptors < 0) return codec;
  let at = description.indexOf(4, descriptors + 8) + 1;
  while (description[at] === 0x80) at++;
  const kind = description[at + 1];
  return kind === 0x69 || kind === 0x6b ? "mp4a.mp3" : codec;
}

/** The time scale and the duration in a box `mvhd` or `mdhd`. */
function timeOf(box: Buffer | undefined): { scale: number; duration: number } {
  const isLong = box?.[0] === 1;
  if (box === undefined || box.length < (isLong ? 32 : 20)) return { scale: 0, duration: 0 };
  return isLong
    ? { scale: box.readUInt32BE(20), duration: Number(box.readBigUInt64BE(24)) }
    : { scale: box.readUInt32BE(12), duration: box.readUInt32BE(16) };
}

/** The total length that an edit list plays, in seconds. Undefined if there is no edit list. */
function shownSeconds(list: Buffer | undefined, scale: number): number | undefined {
  if (list === undefined || list.length < 8 || scale === 0) return undefined;
  const isLong = list[0] === 1;
  const entryBytes = isLong ? 20 : 12;
  const entries = Math.min(list.readUInt32BE(4), Math.floor((list.length - 8) / entryBytes), 1000);
  let duration = 0;
  for (let entry = 0; entry < entries; entry++) {
    const at = 8 + entry * entryBytes;
    const isEmpty = isLong ? list.readBigInt64BE(at + 8) < 0n : list.readInt32BE(at + 4) < 0;
    if (!isEmpty) duration += isLong ? Number(list.readBigUInt64BE(at)) : list.readUInt32BE(at);
  }
  // In a fragmented file, the edit list states no duration.
  return duration > 0 ? duration / scale : undefined;
}
