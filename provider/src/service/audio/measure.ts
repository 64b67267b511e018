import {
  ADTS,
  AudioSampleSink,
  BufferSource,
  EncodedPacketSink,
  FilePathSource,
  FLAC,
  Input,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from "mediabunny";
import type { AudioFacts, AudioFile, AudioKind } from "../../rules/audio";

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
export async function measure(content: Buffer): Promise<Measured> {
  const input = new Input({ source: new BufferSource(content), formats: [WAVE, MP3, MP4, ...rejectedFormats] });
  try {
    const format = await input.getFormat().catch(() => undefined);
    const kind = format === WAVE ? "wav" : format === MP3 ? "mp3" : format === MP4 ? "mp4" : undefined;
    if (kind === undefined)
      return { state: "other", found: format ? `${format.name} (${format.mimeType})` : describeContent(content) };
    const promisedBytes = kind === "wav" ? riffBytes(content) : 0;
    if (promisedBytes > content.length)
      return { state: "cut-short", kind, found: `${content.length} of ${promisedBytes} bytes` };

    let endSeconds = 0;
    let promisedSeconds = 0;
    let paddingSeconds = 0;
    let frames = 0;
    const isLong = () => frames > most.frames || endSeconds > most.seconds;
    try {
      const track = await input.getPrimaryAudioTrack();
      if (!track && kind === "mp4" && (await input.getTracks()).length > 0)
        return { state: "other", found: "an MP4 file without an audio track" };
      if (!track)
        return { state: "cut-short", kind, found: kind === "mp4" ? "no table of its tracks" : "no audio in it" };
      if (kind === "wav" && (await track.getCodec()) === null) return measureWavHeader(content);
      const tag = kind === "mp3" ? lameTag(firstFrame(content), await track.getSampleRate()) : undefined;
      promisedSeconds = kind === "mp3" ? (tag?.seconds ?? 0) : await track.computeDuration();
      paddingSeconds = tag?.paddingSeconds ?? 0;
      for await (const packet of new EncodedPacketSink(track).packets()) {
        endSeconds = Math.max(endSeconds, packet.timestamp + packet.duration);
        frames++;
        if (isLong()) break;
      }
    } catch {
      return promisedBytes === content.length
        ? measureWavHeader(content)
        : { state: "cut-short", kind, found: "the audio data after the header can't be read" };
    }
    if (isLong()) return { state: "audio", kind, seconds: rounded(Math.max(promisedSeconds, endSeconds)) };
    if (promisedSeconds - endSeconds > toleratedGapSeconds) {
      return { state: "cut-short", kind, found: `${endSeconds.toFixed(1)} of ${promisedSeconds.toFixed(1)} s` };
    }
    return { state: "audio", kind, seconds: rounded(endSeconds - paddingSeconds) };
  } finally {
    input.dispose();
  }
}

/** A WAV file in an encoding that is not decoded here: the header states its bytes a second. */
function measureWavHeader(content: Buffer): Measured {
  let bytesPerSecond = 0;
  // Chunks follow each other, each with a name and a size, and begin at even offsets.
  for (let at = 12, chunks = 0; at + 8 <= content.length && chunks < most.chunks; chunks++) {
    const size = content.readUInt32LE(at + 4);
    const name = content.toString("latin1", at, at + 4);
    if (name === "fmt " && at + 20 <= content.length) bytesPerSecond = content.readUInt32LE(at + 16);
    if (name === "data") {
      const dataBytes = Math.min(size, content.length - at - 8);
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

/** The size that a RIFF header promises; a writer to a pipe leaves it open with all ones or zero. */
function riffBytes(content: Buffer): number {
  const promised = content.length < 8 ? 0 : content.readUInt32LE(4);
  return promised === 0 || promised === 0xffffffff ? 0 : promised + 8;
}

/** The beginning of an MP3's first frame: behind the tags, which may hold a cover picture. */
function firstFrame(content: Buffer): Buffer {
  const hasTags = content.toString("latin1", 0, 3) === "ID3" && content.length >= 10;
  // Four times seven bits.
  const behind = hasTags ? 10 + content.subarray(6, 10).reduce((size, byte) => size * 128 + (byte & 0x7f), 0) : 0;
  return content.subarray(behind, behind + 4096);
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

function describeContent(content: Buffer): string {
  return content.subarray(0, 4096).includes(0) ? "a file of an unknown kind" : "text";
}

const bars = 120;

/**
 * The waveform of a WAV file: one digit from 0 to z (base 36) per bar, relative to the loudest bar. Undefined for other
 * formats and encodings: Node.js has no decoder for them.
 */
export async function wavPeaks(path: string): Promise<string | undefined> {
  const input = new Input({ source: new FilePathSource(path), formats: [WAVE] });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (!track || !(await track.canDecode())) return undefined;
    const seconds = await track.computeDuration();
    const peaks = new Array<number>(bars).fill(0);
    for await (const sample of new AudioSampleSink(track).samples()) {
      const format = { planeIndex: 0, format: "f32-planar" } as const;
      const values = new Float32Array(sample.allocationSize(format) / Float32Array.BYTES_PER_ELEMENT);
      sample.copyTo(values, format);
      for (const [index, value] of values.entries()) {
        const at = (sample.timestamp + index / sample.sampleRate) / seconds;
        const bar = Math.min(bars - 1, Math.floor(at * bars));
        peaks[bar] = Math.max(peaks[bar] ?? 0, Math.abs(value));
      }
      sample.close();
    }
    const loudest = Math.max(...peaks, Number.EPSILON);
    return peaks.map((peak) => Math.round((peak / loudest) * 35).toString(36)).join("");
  } catch {
    return undefined;
  } finally {
    input.dispose();
  }
}
