import { cutShort, judged, type Measured, toleratedGapSeconds } from "./measured";

export const isPlainWav = (content: Buffer) =>
  /^(RIFF|RF64)/.test(content.toString("latin1", 0, 4)) && content.toString("latin1", 8, 12) === "WAVE";

/** The format tags of PCM, float, A-law and µ-law. */
const uncompressed = [1, 3, 6, 7];

/** Measures a WAV recording. Not by mediabunny: it does not tell which size of the audio data the header states. */
export function measureWav(content: Buffer): Measured {
  const wav = readWav(content);
  if (wav === undefined) return cutShort("wav", "its header or its audio data is missing");
  const { encoding, channels, rate, bytesPerSecond, bitsPerSample, dataBytes, missingBytes } = wav;
  // The duration of a byte, from the size of a sample and from the byte rate. The header may lack either.
  const bySamples = 1 / (rate * channels * Math.ceil(bitsPerSample / 8));
  const byteSeconds = [bySamples, 1 / bytesPerSecond].filter(Number.isFinite);
  if (Math.max(0, ...byteSeconds) * missingBytes > toleratedGapSeconds)
    return cutShort("wav", `${content.length} of ${content.length + missingBytes} bytes are in the file`);
  const doubts: string[] = [];
  // The size in the header does not include the first eight bytes.
  const riffBytes = content.readUInt32LE(4);
  const lackingBytes = Math.max(missingBytes, riffBytes + 8 - content.length);
  if (content.toString("latin1", 0, 4) === "RF64") doubts.push("it is an RF64 file (a WAV file for more than 4 GB)");
  else if (wav.isOpen || isPlaceholder(riffBytes))
    doubts.push("its header lacks the sizes, which is usual if a program wrote the file to a pipe");
  else if (lackingBytes > 0) doubts.push(`by its header, its last ${lackingBytes} bytes are missing`);
  if (channels === 0) doubts.push("its header states 0 channels");
  const isUncompressed = uncompressed.includes(encoding);
  if (!isUncompressed) doubts.push(`its sound is not PCM, but has the format tag ${encoding}`);
  // The header of a compressed recording often states a wrong length, so its length does not count as measured.
  return judged("wav", isUncompressed ? byteSeconds.map((seconds) => seconds * dataBytes) : [], doubts);
}

interface WavFile {
  /** The format tag of the encoding, e.g. 1 for PCM. For WAVE_FORMAT_EXTENSIBLE, the tag in the extension. */
  encoding: number;
  channels: number;
  rate: number;
  bytesPerSecond: number;
  bitsPerSample: number;
  /** The number of bytes of audio data that the file contains. */
  dataBytes: number;
  /** The number of bytes of audio data that the header states and the file does not contain. */
  missingBytes: number;
  /** Whether the header states no size of the audio data. */
  isOpen: boolean;
}

/**
 * A size of zero, or of this number or more, is a placeholder: a program that writes to a pipe does not know the size
 * beforehand, and writes zero, all ones, or another huge number.
 */
const placeholderBytes = 1e9;
const isPlaceholder = (size: number) => size === 0 || size >= placeholderBytes;

/**
 * Reads the chunks `fmt` and `data` (the audio data), which RIFF allows in either order. Each chunk has a name and a
 * size, and begins at an even offset. Undefined if one of the two is missing.
 */
function readWav(content: Buffer): WavFile | undefined {
  let format: Buffer | undefined;
  let data: Pick<WavFile, "dataBytes" | "missingBytes" | "isOpen"> | undefined;
  for (let at = 12; at + 8 <= content.length && (format === undefined || data === undefined);) {
    const name = content.toString("latin1", at, at + 4);
    const size = content.readUInt32LE(at + 4);
    const bodyAt = at + 8;
    const isOpen = isPlaceholder(size);
    const body = content.subarray(bodyAt, isOpen ? content.length : bodyAt + size);
    if (name === "fmt " && body.length >= 16) format ??= body;
    if (name === "data") data ??= { dataBytes: body.length, missingBytes: isOpen ? 0 : size - body.length, isOpen };
    at += 8 + size + (size % 2);
  }
  return format && data && { ...readFormat(format), ...data };
}

function readFormat(format: Buffer) {
  const at = (offset: number) => (offset + 2 <= format.length ? format.readUInt16LE(offset) : 0);
  const isExtensible = at(0) === 0xfffe && format.length >= 26;
  return {
    encoding: isExtensible ? at(24) : at(0),
    channels: at(2),
    rate: format.readUInt32LE(4),
    bytesPerSecond: format.readUInt32LE(8),
    bitsPerSample: at(14),
  };
}
