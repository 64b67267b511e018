import { BufferSource, EncodedPacketSink, Input, type InputAudioTrack, Logging, LogLevel, MP4 } from "mediabunny";
import { cutShort, judged, type Measured, mostSeconds, partInFile, toleratedGapSeconds } from "./measured";

Logging.level = LogLevel.Silent;

export async function measureMp4(content: Buffer, isOf3gp: boolean): Promise<Measured> {
  const hasBrand = content.toString("latin1", 4, 8) === "ftyp";
  const doubts = hasBrand ? [] : ["its first box does not identify it as MP4"];
  if (isOf3gp) doubts.push("it is 3GP");
  const input = new Input({ source: new BufferSource(hasBrand ? content : branded(content)), formats: [MP4] });
  try {
    const tracks = await input.getTracks();
    if (tracks.length === 0) return cutShort("mp4", "its table of tracks is missing");
    const track = await input.getPrimaryAudioTrack();
    if (!track) return { state: "other", detail: "an MP4 file without an audio track" };
    return await measureTrack(content, track, doubts);
  } catch {
    return judged("mp4", [], [...doubts, "its tables can't be read"]);
  } finally {
    input.dispose();
  }
}

/**
 * Old QuickTime files begin with another box than `ftyp`, so mediabunny does not read them. It needs only the size of
 * any box but `moov`, so the first box is renamed to `ftyp`.
 */
function branded(content: Buffer): Buffer {
  const copy = Buffer.from(content);
  if (copy.toString("latin1", 4, 8) !== "moov") copy.write("ftyp", 4);
  return copy;
}

async function measureTrack(content: Buffer, track: InputAudioTrack, doubts: string[]): Promise<Measured> {
  const id = await track.getInternalCodecId();
  if (id === "enca" || id === "drms")
    return { state: "other", detail: "an encrypted MP4 file, which only its seller's programs can play" };
  const codec = (await track.getCodec()) ?? String(id ?? "of an unknown encoding");
  if (codec !== "aac") doubts.push(`its sound is ${codec}, not AAC`);
  const { there, begins } = await packetsOf(track);
  if (there === 0) return cutShort("mp4", "the audio data after the header can't be read");
  if (there > mostSeconds) return judged("mp4", [there], doubts);
  const promised = (await track.computeDuration()) - begins;
  if (promised - there > toleratedGapSeconds) return cutShort("mp4", partInFile(there, promised));
  const inHeader = await track.getDurationFromMetadata();
  const lengths = [there, inHeader === null ? undefined : inHeader - begins];
  const played = playedSeconds(content);
  if (played === undefined) return judged("mp4", lengths, doubts);
  if (Math.abs(played - there) > toleratedGapSeconds) {
    doubts.push(`its edit list plays ${played.toFixed(1)} s of its ${there.toFixed(1)} s of sound`);
    return judged("mp4", [], doubts);
  }
  // The edit list skips the silence that the encoder added.
  return judged("mp4", lengths, doubts, Math.max(0, there - played));
}

/**
 * Reads the packets whose data the file contains. In seconds: their length (`there`), and the time of the first packet
 * (`begins`) if it is negative, else zero. A negative time belongs to the silence that the encoder added.
 */
async function packetsOf(track: InputAudioTrack): Promise<{ there: number; begins: number }> {
  let begins = 0;
  let ends = 0;
  let isEmpty = true;
  for await (const { timestamp, duration } of new EncodedPacketSink(track).packets()) {
    isEmpty = false;
    begins = Math.min(begins, timestamp);
    ends = Math.max(ends, timestamp + duration);
    if (ends - begins > mostSeconds) break;
  }
  return { there: isEmpty ? 0 : ends - begins, begins };
}

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
