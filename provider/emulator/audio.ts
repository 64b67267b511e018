import { createHash } from "node:crypto";
import type { IFormat } from "music-metadata";

/** Contract 4.2, `input.audio.data`. */
const mediaTypes = ["audio/wav", "audio/mpeg", "audio/mp4"] as const;
type MediaType = (typeof mediaTypes)[number];

/** Contract 8: 10 to 20 seconds. */
const minSeconds = 10;
const maxSeconds = 20;
/** From 24 kHz on, MP3 and AAC encoders add less than 0.1 s of silence to a recording. */
const paddingSeconds: Record<MediaType, number> = { "audio/wav": 0, "audio/mpeg": 0.1, "audio/mp4": 0.1 };

/** The hash of an audio file (none for a URL), or the error that the service reports. */
export type CheckedAudio = { audioSha256?: string } | { code: string; message: string };

/** Checks `input.audio.data` of a create. Contract 8: encoded data has under 10 MB. */
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
  // Not mediabunny, with which the client measures audio: another library reveals errors of the client.
  const { parseBuffer } = await import("music-metadata");
  try {
    return (await parseBuffer(bytes, { size: bytes.length }, { duration: true, skipCovers: true })).format;
  } catch {
    return undefined;
  }
}

/** WAV codecs with a fixed number of bytes a second. music-metadata has no name for 65534, WAVE_FORMAT_EXTENSIBLE. */
const uncompressedCodecs = ["PCM", "IEEE_FLOAT", "ALAW", "MULAW", "non-PCM (65534)"];

/** The media type by content. For MP4, music-metadata reports the brands as the container, so look at the bytes. */
function mediaTypeOf(bytes: Buffer, { container, codec = "" }: IFormat): MediaType | undefined {
  if (container === "WAVE") return uncompressedCodecs.includes(codec) ? "audio/wav" : undefined;
  if (container === "MPEG" && codec.endsWith("Layer 3")) return "audio/mpeg";
  // The brand `qt` is QuickTime.
  if (bytes.toString("latin1", 4, 8) === "ftyp" && !container?.startsWith("qt")) return "audio/mp4";
  return undefined;
}

/** The largest amount by which encoders round up the length in a header. */
const toleratedGapSeconds = 0.3;
const toleratedGapBytes = 64;
/** A size of zero, or from this number on, is a placeholder: a program that writes to a pipe can't know the size. */
const placeholderBytes = 1e9;

/** The length in the header, but at most the length of the bytes. */
function wavSeconds(bytes: Buffer, { duration = 0, sampleRate = 0, numberOfChannels = 0, bitsPerSample = 0 }: IFormat) {
  const most = bytes.length / ((sampleRate * numberOfChannels * bitsPerSample) / 8);
  return Number.isFinite(most) && (duration === 0 || duration > most) ? most : duration;
}

/** Whether the file is shorter than its header says. music-metadata itself rejects an MP4 file that is cut short. */
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
