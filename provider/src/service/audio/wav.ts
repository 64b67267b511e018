export interface WavFile {
  /** The format tag of the encoding, e.g. 1 for PCM. For WAVE_FORMAT_EXTENSIBLE, the tag in the extension. */
  encoding: number;
  channels: number;
  rate: number;
  bytesPerSecond: number;
  bitsPerSample: number;
  dataAt: number;
  /** The number of bytes of audio data that the file contains. `statedBytes`: their number according to the header. */
  dataBytes: number;
  statedBytes: number;
}

const mostChunks = 1000;
/**
 * A size of zero, or of this number or more, is a placeholder: a program that writes to a pipe does not know the size
 * beforehand, and writes zero, all ones, or another huge number.
 */
const placeholderBytes = 1e9;
export const isPlaceholder = (size: number) => size === 0 || size >= placeholderBytes;

/**
 * Reads the chunks up to the audio data. Each chunk has a name and a size, and begins at an even offset. Returns
 * "endless" if there is no audio data in the first `mostChunks` chunks.
 */
export function readWav(content: Buffer): WavFile | "no format" | "no sound" | "endless" {
  let format: Buffer | undefined;
  let data64 = 0;
  let at = 12;
  for (let chunks = 0; at + 8 <= content.length; chunks++) {
    if (chunks === mostChunks) return "endless";
    const name = content.toString("latin1", at, at + 4);
    const size = content.readUInt32LE(at + 4);
    const body = content.subarray(at + 8, at + 8 + size);
    if (name === "fmt " && body.length >= 16) format = body;
    // The chunk `ds64` of an RF64 file has the sizes as 64-bit numbers.
    if (name === "ds64" && body.length >= 16) data64 = Number(body.readBigUInt64LE(8));
    if (name === "data") {
      format ??= formatBehind(content, at + 8 + size + (size % 2));
      if (format === undefined) return "no format";
      const dataAt = at + 8;
      const rest = content.length - dataAt;
      const statedBytes = size === 0xffffffff && data64 > 0 ? data64 : size;
      const isEmpty = statedBytes === 0 && isChainOfChunks(content, dataAt);
      const dataBytes = isEmpty ? 0 : isPlaceholder(statedBytes) ? rest : Math.min(statedBytes, rest);
      return { ...readFormat(format), dataAt, dataBytes, statedBytes };
    }
    at += 8 + size + (size % 2);
  }
  return "no sound";
}

/** Finds the format after the audio data, where some writers put it: RIFF does not prescribe an order. */
function formatBehind(content: Buffer, at: number): Buffer | undefined {
  const isThere = at + 24 <= content.length && content.toString("latin1", at, at + 4) === "fmt ";
  return isThere ? content.subarray(at + 8, at + 8 + content.readUInt32LE(at + 4)) : undefined;
}

/** Whether the rest of the file consists of chunks. If it does, a data size of zero is real and not a placeholder. */
function isChainOfChunks(content: Buffer, from: number): boolean {
  let at = from;
  for (let chunks = 0; at + 8 <= content.length && chunks < mostChunks; chunks++) {
    if (!/^[A-Za-z][A-Za-z0-9_ ]{3}$/.test(content.toString("latin1", at, at + 4))) return false;
    const size = content.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
  }
  return at === content.length || at === content.length + 1;
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

/** Whether the encoding is PCM, float, A-law or µ-law. */
export const isUncompressed = ({ encoding }: WavFile) => [1, 3, 6, 7].includes(encoding);

/**
 * The length in seconds, calculated in each way that the header allows: by the size of a sample, and by the byte rate.
 */
export function wavLengths(wav: WavFile): number[] {
  const { channels, rate, bytesPerSecond, bitsPerSample, dataBytes } = wav;
  const bySamples = isUncompressed(wav) ? [dataBytes / (rate * channels * Math.ceil(bitsPerSample / 8))] : [];
  return [...bySamples, dataBytes / bytesPerSecond].filter(Number.isFinite);
}
