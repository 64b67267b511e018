import { createHash } from "node:crypto";
import type { IFormat } from "music-metadata";

/** The media types of `input.audio.data` (contract 4.2). */
const mediaTypes = ["audio/wav", "audio/mpeg", "audio/mp4"] as const;
type MediaType = (typeof mediaTypes)[number];

/** A recording has 10 to 20 seconds (contract 8). */
const minSeconds = 10;
const maxSeconds = 20;
/**
 * The most silence that encoders add to a recording: with at least 24 kHz, MP3 and AAC encoders add less than 0.1 s.
 */
const paddingSeconds: Record<MediaType, number> = { "audio/wav": 0, "audio/mpeg": 0.1, "audio/mp4": 0.1 };

/** The hash of an accepted audio file (no hash for a URL), or the error that the service reports. */
export type CheckedAudio = { audioSha256?: string } | { code: string; message: string };

/** Checks `input.audio.data` of a create. The encoded data must have less than 10 MB (contract 8). */
export async function checkAudio(data: string, encodedLimit: number): Promise<CheckedAudio> {
  if (/^https?:\/\//i.test(data)) {
    return URL.canParse(data) ? {} : { code: "InvalidURL", message: "The audio URL is not valid." };
  }
  const [prefix = "", label] = /^data:([^;,]+);base64,/i.exec(data) ?? [];
  const labelled = mediaTypes.find((mediaType) => mediaType === label);
  if (!labelled) {
    return decoderError("The audio is neither a URL nor a data URL of audio/wav, audio/mpeg or audio/mp4.");
  }
  if (data.length - prefix.length >= encodedLimit) {
    return { code: "InvalidParameter", message: "The encoded audio has 10 MB or more." };
  }

  const bytes = Buffer.from(data.slice(prefix.length), "base64");
  const format = await readFormat(bytes);
  const mediaType = format && mediaTypeOf(bytes, format);
  if (format?.duration === undefined || !mediaType) return decoderError("The audio cannot be decoded.");
  if (mediaType !== labelled) return decoderError(`The audio is labelled ${labelled}, but it is ${mediaType}.`);
  if (isCutShort(bytes, mediaType, format)) return decoderError("The audio is cut short.");
  const seconds = mediaType === "audio/wav" ? wavSeconds(bytes, format) : format.duration;
  if (seconds < minSeconds) {
    return { code: "Audio.AudioShortError", message: "The audio is shorter than 10 s." };
  }
  if (seconds > maxSeconds + paddingSeconds[mediaType]) {
    return { code: "Audio.DurationLimitError", message: "The audio is longer than 20 s." };
  }
  return { audioSha256: createHash("sha256").update(bytes).digest("hex") };
}

function decoderError(message: string): CheckedAudio {
  return { code: "Audio.DecoderError", message };
}

async function readFormat(bytes: Buffer): Promise<IFormat | undefined> {
  // The client measures audio with mediabunny. Use another library here, so that an error of the client is noticed.
  const { parseBuffer } = await import("music-metadata");
  try {
    return (await parseBuffer(bytes, { size: bytes.length }, { duration: true, skipCovers: true })).format;
  } catch {
    return undefined;
  }
}

/**
 * The WAV encodings with a fixed number of bytes per second. music-metadata reports WAVE_FORMAT_EXTENSIBLE as 65534.
 */
const uncompressedCodecs = ["PCM", "IEEE_FLOAT", "ALAW", "MULAW", "non-PCM (65534)"];

/**
 * The media type, judged by the content. For MP4, music-metadata reports the brands as the container, so the first box
 * is checked instead.
 */
function mediaTypeOf(bytes: Buffer, { container, codec = "" }: IFormat): MediaType | undefined {
  if (container === "WAVE") return uncompressedCodecs.includes(codec) ? "audio/wav" : undefined;
  if (container === "MPEG" && codec.endsWith("Layer 3")) return "audio/mpeg";
  // A file with the brand `qt` is QuickTime and not MP4.
  if (bytes.toString("latin1", 4, 8) === "ftyp" && !container?.startsWith("qt")) return "audio/mp4";
  return undefined;
}

/** The length in a complete file's header may exceed the real length by this much, because encoders round it up. */
const toleratedGapSeconds = 0.3;
const toleratedGapBytes = 64;
/**
 * A size of zero, or of this number or more, is a placeholder: a program that writes to a pipe does not know the size.
 */
const placeholderBytes = 1e9;

/** The length that the header states, but at most the length of the bytes that the file has. */
function wavSeconds(bytes: Buffer, { duration = 0, sampleRate = 0, numberOfChannels = 0, bitsPerSample = 0 }: IFormat) {
  const most = bytes.length / ((sampleRate * numberOfChannels * bitsPerSample) / 8);
  return Number.isFinite(most) && (duration === 0 || duration > most) ? most : duration;
}

/**
 * Whether the file is shorter than its header says. Not for MP4: music-metadata itself rejects an MP4 file that is cut
 * off.
 */
function isCutShort(bytes: Buffer, mediaType: MediaType, { duration = 0, bitrate, codecProfile }: IFormat): boolean {
  if (mediaType === "audio/wav") {
    const declared = bytes.readUInt32LE(4);
    return declared < placeholderBytes && declared + 8 - bytes.length > toleratedGapBytes;
  }
  if (mediaType === "audio/mpeg" && codecProfile === "CBR" && bitrate !== undefined) {
    return duration - (bytes.length * 8) / bitrate > toleratedGapSeconds;
  }
  return false;
}
