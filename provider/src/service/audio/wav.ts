/** The facts in the header of a WAV file, and the position of its audio data. */
export interface WavFile {
  /** The number of the encoding. In an extensible format, the number of the inner encoding. */
  encoding: number;
  channels: number;
  rate: number;
  bytesPerSecond: number;
  bitsPerSample: number;
  dataAt: number;
  /** The bytes of audio data in the file. `statedBytes`: their number in the header. */
  dataBytes: number;
  statedBytes: number;
  /** By how many bytes the header overstates the size of the whole file. */
  excessBytes: number;
}

const mostChunks = 1000;
/**
 * A stated size of zero, or from this number on, is a placeholder. A program that writes to a pipe can't know the size:
 * it writes zero, all ones, or another huge number.
 */
const placeholderBytes = 1e9;
export const isPlaceholder = (size: number) => size === 0 || size >= placeholderBytes;

/** Reads the chunks: each has a name and a size, and begins at an even offset. "endless" after `mostChunks`. */
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
    // RF64 has its sizes in 64 bits here.
    if (name === "ds64" && body.length >= 16) data64 = Number(body.readBigUInt64LE(8));
    if (name === "data") {
      format ??= formatBehind(content, at + 8 + size + (size % 2));
      if (format === undefined) return "no format";
      const dataAt = at + 8;
      const rest = content.length - dataAt;
      const statedBytes = size === 0xffffffff && data64 > 0 ? data64 : size;
      const isEmpty = statedBytes === 0 && isChainOfChunks(content, dataAt);
      const dataBytes = isEmpty ? 0 : isPlaceholder(statedBytes) ? rest : Math.min(statedBytes, rest);
      const riffBytes = content.readUInt32LE(4) + 8;
      return {
        ...readFormat(format),
        dataAt,
        dataBytes,
        statedBytes,
        excessBytes: riffBytes - content.length,
      };
    }
    at += 8 + size + (size % 2);
  }
  return "no sound";
}

/** RIFF prescribes no order: some writers put the format after the data. */
function formatBehind(content: Buffer, at: number): Buffer | undefined {
  const isThere = at + 24 <= content.length && content.toString("latin1", at, at + 4) === "fmt ";
  return isThere ? content.subarray(at + 8, at + 8 + content.readUInt32LE(at + 4)) : undefined;
}

/** Whether the rest of the file consists of chunks. Then a size of zero is no placeholder. */
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

/** PCM, float, A-law and µ-law. */
const uncompressed = [1, 3, 6, 7];

export function isUncompressed({ encoding }: WavFile): boolean {
  return uncompressed.includes(encoding);
}

/** The length in seconds, calculated in each way that the header allows. */
export function wavLengths(wav: WavFile): number[] {
  const { channels, rate, bytesPerSecond, bitsPerSample, dataBytes } = wav;
  const bySamples = isUncompressed(wav) ? [dataBytes / (rate * channels * Math.ceil(bitsPerSample / 8))] : [];
  return [...bySamples, dataBytes / bytesPerSecond].filter(Number.isFinite);
}
