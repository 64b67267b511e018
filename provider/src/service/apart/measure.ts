import { BufferSource, EncodedPacketSink, Input, MP4, QTFF } from "mediabunny";
import { cutShort, judged, type Measured, toleratedGapSeconds } from "../audio/measured";
import { readMp3 } from "../audio/mp3";
import { type Mp4File, readMp4 } from "../audio/mp4";
import { overstatedTable } from "../audio/mp4-counts";
import { fileKind, type FileKind, unknownKind } from "../file-kind";
import { knownKind } from "./known-kind";

/** A measurement stops at these bounds, because a few megabytes can hold hundreds of thousands of frames. */
const bounds = { seconds: 600, frames: 50_000 };
/** A recording over this length is certainly too long for the service, so its measurements are not compared. */
const mostComparedSeconds = 60;

/**
 * The extensions of the MP4 variants that the contract accepts. Any other variant is refused, and the message names it.
 */
const mp4Extensions = ["mp4", "m4a", "m4v", "m4b", "m4p", "f4v", "f4a", "f4b", "f4p", "3gp", "3g2"];

/** Measures a recording by its frames: the header of a truncated file still states the full length. */
export async function measure(content: Buffer): Promise<Measured> {
  const kind = await fileKind(content, knownKind);
  if (/^mp[123]$/.test(kind.extension ?? "")) return measureMp3(content, kind);
  // Old QuickTime files do not begin with a `ftyp` box, so they name no brand.
  const isBrandless = kind.extension === "mov" && content.toString("latin1", 4, 8) !== "ftyp";
  if (kind.from === 0 && (isBrandless || mp4Extensions.includes(kind.extension ?? "")))
    return measureMp4(content, kind);
  // An MP3 recording that was cut out of a longer one may begin inside a frame, so file-type does not recognise it.
  if (kind.extension === undefined) {
    const cut = readMp3(content, kind.from, bounds.seconds);
    if (cut && cut.soundBytes > (content.length - kind.from) / 2) return measureMp3(content, kind);
  }
  return other(kind);
}

function other({ name, extension }: Pick<FileKind, "name" | "extension">): Measured {
  return { state: "other", found: name, ...(extension !== undefined && { extension }) };
}

function measureMp3(content: Buffer, { from }: FileKind): Measured {
  const file = readMp3(content, from, bounds.seconds);
  if (file === undefined) {
    // The frames of an MP3 with a "free" bit rate do not state the bit rate, so they can't be read.
    const isFree = content[from] === 0xff && ((content[from + 2] ?? 0xff) & 0xf0) === 0;
    if (isFree) return judged("mp3", [], ["its bit rate is free"]);
    return from === 0 ? other({ name: unknownKind }) : cutShort("mp3", "it contains no audio data");
  }
  const { seconds, promisedSeconds = 0, paddingSeconds } = file;
  if (seconds > bounds.seconds) return judged("mp3", [Math.max(promisedSeconds, seconds)], []);
  if (promisedSeconds - seconds > toleratedGapSeconds) return cutShort("mp3", partInFile(seconds, promisedSeconds));
  const doubts: string[] = [];
  if (file.layer !== 3) doubts.push(`it is MPEG layer ${file.layer}, not MP3`);
  if (file.firstAt > from) doubts.push(`its first ${file.firstAt - from} bytes are not a whole frame`);
  if (file.strayBytes > 0) doubts.push(`${file.strayBytes} bytes between its frames do not belong to a frame`);
  if (promisedSeconds > 0 && seconds - promisedSeconds > toleratedGapSeconds)
    doubts.push(`its header states ${promisedSeconds.toFixed(1)} s`);
  return judged("mp3", [seconds], doubts, paddingSeconds);
}

async function measureMp4(content: Buffer, kind: FileKind): Promise<Measured> {
  const file = readMp4(content);
  const { brand, codec, mediaSeconds, shownSeconds } = file;
  if (file.tracks === 0) return cutShort("mp4", "its table of tracks is missing");
  if (codec === undefined) return { state: "other", found: "an MP4 file without an audio track" };
  if (codec === "enca" || codec === "drms")
    return { state: "other", found: "an encrypted MP4 file (copy protection)", extension: "drm" };
  const doubts: string[] = [];
  if (brand === undefined) doubts.push("its first box does not identify it as MP4");
  if (/^3g/.test(kind.extension ?? "")) doubts.push("it is 3GP");
  if (codec !== "mp4a") doubts.push(`its sound is ${codec}, not AAC`);
  const overstated = overstatedTable(content);
  if (overstated !== undefined)
    return judged("mp4", [], [...doubts, `its table ${overstated} claims more samples than the file has bytes`]);
  const packets = readableCodecs.includes(codec) ? await packetSeconds(content) : undefined;
  const cut = missingIn(file, packets);
  if (cut !== undefined) return cut;
  const length = packets?.there ?? mediaSeconds;
  if (length === undefined) return judged("mp4", [], doubts);
  if (length > mostComparedSeconds) return judged("mp4", [Math.max(length, mediaSeconds ?? 0)], doubts);
  const lengths = [length, file.isFragmented ? undefined : mediaSeconds];
  if (shownSeconds === undefined) return judged("mp4", lengths, doubts);
  if (Math.abs(shownSeconds - length) > toleratedGapSeconds) {
    doubts.push(`its edit list plays ${shownSeconds.toFixed(1)} s of its ${length.toFixed(1)} s of sound`);
    return judged("mp4", [], doubts);
  }
  // The edit list skips the silence that the encoder added.
  return judged("mp4", lengths, doubts, Math.max(0, length - shownSeconds));
}

/** The encodings that mediabunny reads in MP4 files. For any other encoding, mediabunny would print a warning. */
const readableCodecs = ["mp4a", "mp4a.mp3", "Opus", "fLaC", "ac-3", "ec-3"];

function missingIn(
  { mediaSeconds = 0, share, isFragmented }: Mp4File,
  packets: Packets | undefined,
): Measured | undefined {
  const { there, promised } = packets ?? { there: mediaSeconds * share, promised: isFragmented ? 0 : mediaSeconds };
  if (promised - there <= toleratedGapSeconds && packets?.there !== 0) return undefined;
  return cutShort("mp4", there === 0 ? "the audio data after the header can't be read" : partInFile(there, promised));
}

const partInFile = (seconds: number, promisedSeconds: number) =>
  `${seconds.toFixed(1)} of ${promisedSeconds.toFixed(1)} s are in the file`;

interface Packets {
  /** The end of the last packet that the file contains, in seconds. */
  there: number;
  /** The end of the last packet that the file's table lists, in seconds. */
  promised: number;
}

/** Reads where the last packets end. Undefined if mediabunny can't read the packets. */
async function packetSeconds(content: Buffer): Promise<Packets | undefined> {
  const input = new Input({ source: new BufferSource(content), formats: [MP4, QTFF] });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (!track) return undefined;
    let startSeconds = Infinity;
    let endSeconds = 0;
    let frames = 0;
    for await (const packet of new EncodedPacketSink(track).packets()) {
      startSeconds = Math.min(startSeconds, packet.timestamp);
      endSeconds = Math.max(endSeconds, packet.timestamp + packet.duration);
      frames++;
      if (frames > bounds.frames || endSeconds > bounds.seconds) break;
    }
    // Packets with a negative time hold the silence that the encoder added.
    const before = frames === 0 ? 0 : Math.min(0, startSeconds);
    const isLong = frames > bounds.frames || endSeconds > bounds.seconds;
    const promised = isLong ? endSeconds : await track.computeDuration();
    return { there: endSeconds - before, promised: promised - before };
  } catch {
    return undefined;
  } finally {
    input.dispose();
  }
}
