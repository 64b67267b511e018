import { open } from "node:fs/promises";
import {
  ADTS,
  BufferSource,
  EncodedPacketSink,
  FilePathSource,
  FLAC,
  Input,
  type InputFormat,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from "mediabunny";
import type { AudioFacts, AudioFile, AudioKind } from "../../rules/audio";

// Exported from here, because this module is a file of its own that contains the large library.
export { wavPeaks } from "./peaks";

/** Without `seconds` if the length can't be measured. */
type Measured = Exclude<AudioFacts, AudioFile> | { state: "audio"; kind: AudioKind; seconds?: number };

/** The service rejects these. They are recognised so that the error message can name them. */
const rejectedFormats = [QTFF, OGG, FLAC, ADTS, WEBM, MATROSKA];

/**
 * Where measuring stops. A recording of ten minutes is too long anyway, and a file of a few megabytes can hold hundreds
 * of thousands of frames or chunks.
 */
const most = { seconds: 600, frames: 50_000, chunks: 1000 };

/** Frames that a complete file may lack: encoders round their headers up to whole frames and add padding. */
const toleratedGapSeconds = 0.3;

/**
 * Detects the format from the content, and measures the length from the frames, because the header of a truncated file
 * still states the full length.
 */
export async function measure(file: string | Uint8Array, bytes: number, head: Buffer): Promise<Measured> {
  const source = typeof file === "string" ? new FilePathSource(file) : new BufferSource(file);
  const reader = await openReader(file);
  const input = new Input({ source, formats: [WAVE, MP3, MP4, ...rejectedFormats] });
  try {
    const format = await input.getFormat().catch(() => undefined);
    const kind = format === WAVE ? "wav" : format === MP3 ? "mp3" : format === MP4 ? "mp4" : undefined;
    if (kind === undefined) return { state: "other", found: format ? nameOf(format) : describeContent(head) };

    let endSeconds = 0;
    let promisedSeconds = 0;
    let paddingSeconds = 0;
    let frames = 0;
    const isLong = () => frames > most.frames || endSeconds > most.seconds;
    try {
      const track = await input.getPrimaryAudioTrack();
      if (!track)
        return kind === "mp4"
          ? noTrack(await input.getTracks())
          : { state: "cut-short", kind, found: "no audio in it" };
      if (kind === "wav" && (await track.getCodec()) === null) return await measureWavHeader(reader, bytes, head);
      const tag = kind === "mp3" ? lameTag(await firstFrame(reader, head), await track.getSampleRate()) : undefined;
      promisedSeconds = kind === "mp3" ? (tag?.seconds ?? 0) : await track.computeDuration();
      paddingSeconds = tag?.paddingSeconds ?? 0;
      for await (const packet of new EncodedPacketSink(track).packets()) {
        endSeconds = Math.max(endSeconds, packet.timestamp + packet.duration);
        frames++;
        if (isLong()) break;
      }
    } catch {
      return kind === "wav" && riffBytes(head) === bytes
        ? await measureWavHeader(reader, bytes, head)
        : { state: "cut-short", kind, found: "the audio data after the header can't be read" };
    }
    const promisedBytes = kind === "wav" ? riffBytes(head) : 0;
    if (promisedBytes > bytes) return { state: "cut-short", kind, found: `${bytes} of ${promisedBytes} bytes` };
    if (isLong()) return { state: "audio", kind, seconds: rounded(Math.max(promisedSeconds, endSeconds)) };
    if (promisedSeconds - endSeconds > toleratedGapSeconds) {
      return { state: "cut-short", kind, found: `${endSeconds.toFixed(1)} of ${promisedSeconds.toFixed(1)} s` };
    }
    return { state: "audio", kind, seconds: rounded(endSeconds - paddingSeconds) };
  } finally {
    input.dispose();
    await reader.close();
  }
}

/** A WAV file in an encoding that is not decoded here: the header states its bytes a second. */
async function measureWavHeader(reader: Reader, bytes: number, head: Buffer): Promise<Measured> {
  const promisedBytes = riffBytes(head);
  if (promisedBytes > bytes) return { state: "cut-short", kind: "wav", found: `${bytes} of ${promisedBytes} bytes` };
  let bytesPerSecond = 0;
  // Chunks follow each other, each with a name and a size, and begin at even offsets.
  for (let at = 12, chunks = 0; at + 8 <= bytes && chunks < most.chunks; chunks++) {
    const chunk = await reader.readAt(at, 24);
    if (chunk.length < 8) break;
    const size = chunk.readUInt32LE(4);
    const name = chunk.toString("latin1", 0, 4);
    if (name === "fmt " && chunk.length >= 20) bytesPerSecond = chunk.readUInt32LE(16);
    if (name === "data") {
      const dataBytes = Math.min(size, bytes - at - 8);
      if (bytesPerSecond === 0) break;
      return { state: "audio", kind: "wav", seconds: rounded(dataBytes / bytesPerSecond) };
    }
    at += 8 + size + (size % 2);
  }
  return { state: "audio", kind: "wav" };
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

interface Reader {
  /** Fewer bytes at the end of the file. */
  readAt(at: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** Opens the file once, however often it is read. */
async function openReader(file: string | Uint8Array): Promise<Reader> {
  if (typeof file !== "string")
    return {
      readAt: (at, length) => Promise.resolve(Buffer.from(file.subarray(at, at + length))),
      close: () => Promise.resolve(),
    };
  const opened = await open(file);
  return {
    async readAt(at, length) {
      const { buffer, bytesRead } = await opened.read(Buffer.alloc(length), 0, length, at);
      return buffer.subarray(0, bytesRead);
    },
    close: () => opened.close(),
  };
}

function noTrack(tracks: unknown[]): Measured {
  return tracks.length === 0
    ? { state: "cut-short", kind: "mp4", found: "no table of its tracks" }
    : { state: "other", found: "an MP4 file without an audio track" };
}

/** The size that a RIFF header promises; a writer to a pipe leaves it open with all ones or zero. */
function riffBytes(head: Buffer): number {
  const promised = head.length < 8 ? 0 : head.readUInt32LE(4);
  return promised === 0 || promised === 0xffffffff ? 0 : promised + 8;
}

/** The beginning of an MP3's first frame: behind the tags, which may hold a cover picture. */
async function firstFrame(reader: Reader, head: Buffer): Promise<Buffer> {
  if (head.toString("latin1", 0, 3) !== "ID3" || head.length < 10) return head;
  // Four times seven bits.
  const behind = 10 + head.subarray(6, 10).reduce((size, byte) => size * 128 + (byte & 0x7f), 0);
  return reader.readAt(behind, 4096);
}

/** What an encoder's tag in the first frame promises: the length, and the silence that it added at both ends. */
function lameTag(frame: Buffer, sampleRate: number): { seconds: number; paddingSeconds: number } | undefined {
  const tag = Math.max(frame.indexOf("Xing"), frame.indexOf("Info"));
  if (tag < 0 || tag + 144 > frame.length || (frame.readUInt32BE(tag + 4) & 1) === 0) return undefined;
  const samplesPerFrame = sampleRate >= 32_000 ? 1152 : 576;
  const named = /^(LAME|Lavc|Lavf|GOGO)/.test(frame.toString("latin1", tag + 120, tag + 124));
  const delays = named ? frame.readUIntBE(tag + 141, 3) : 0;
  return {
    seconds: (frame.readUInt32BE(tag + 8) * samplesPerFrame) / sampleRate,
    paddingSeconds: ((delays >> 12) + (delays & 0xfff)) / sampleRate,
  };
}

function nameOf({ name, mimeType }: InputFormat): string {
  return `${name} (${mimeType})`;
}

function describeContent(head: Buffer): string {
  return head.includes(0) ? "a file of an unknown kind" : "text";
}
