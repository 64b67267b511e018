/** The bodies of the boxes of one type. */
function* boxes(content: Buffer, type: string): Generator<Buffer> {
  for (let at = 0; at + 8 <= content.length;) {
    const stated = content.readUInt32BE(at);
    const isLong = stated === 1 && at + 16 <= content.length;
    const size = isLong ? Number(content.readBigUInt64BE(at + 8)) : stated;
    const head = isLong ? 16 : 8;
    if (size < head) return;
    if (content.toString("latin1", at + 4, at + 8) === type) yield content.subarray(at + head, at + size);
    at += size;
  }
}

/** The bodies of nested boxes. `path`: the types of the boxes around them, outermost first, and their own type. */
function inside(content: Buffer | undefined, ...path: string[]): Buffer[] {
  const outermost = content === undefined ? [] : [content];
  return path.reduce((within, type) => within.flatMap((body) => [...boxes(body, type)]), outermost);
}

/**
 * The length of the sound that the edit list of an MP4 file plays, in seconds. Undefined if there is no edit list. Read
 * here, because mediabunny takes only the start of the sound from it.
 */
export function playedSeconds(content: Buffer): number | undefined {
  const isSound = (track: Buffer) => inside(track, "mdia", "hdlr")[0]?.toString("latin1", 8, 12) === "soun";
  const [list] = inside(inside(content, "moov", "trak").find(isSound), "edts", "elst");
  const [movie] = inside(content, "moov", "mvhd");
  if (list === undefined || list.length < 8 || movie === undefined || movie.length < 32) return undefined;
  const isLong = list[0] === 1;
  const entryBytes = isLong ? 20 : 12;
  const end = Math.min(list.length, 8 + list.readUInt32BE(4) * entryBytes);
  let played = 0;
  for (let at = 8; at + entryBytes <= end; at += entryBytes) {
    // An entry with a negative place plays silence.
    const place = isLong ? list.readBigInt64BE(at + 8) : list.readInt32BE(at + 4);
    if (place >= 0) played += isLong ? Number(list.readBigUInt64BE(at)) : list.readUInt32BE(at);
  }
  const seconds = played / movie.readUInt32BE(movie[0] === 1 ? 20 : 12);
  // In a fragmented file, the edit list states no duration.
  return seconds > 0 && Number.isFinite(seconds) ? seconds : undefined;
}
