/** The facts in the header of a WAV file, and the position of its audio data. */
export interface WavFile {
  /** The number of the encoding; for an extensible format, of the encoding inside. */
  encoding: number;
  channels: number;
  rate: number;
  bytesPerSecond: number;
  blockBytes: number;
  bitsPerSample: number;
  samplesPerBlock: number;
  /** The samples of each channel, from the chunk `fact`. */
  statedSamples: number;
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
  let statedSamples = 0;
  let data64 = 0;
  let at = 12;
  for (let chunks = 0; at + 8 <= content.length; chunks++) {
    if (chunks === mostChunks) return "endless";
    const name = content.toString("latin1", at, at + 4);
    const size = content.readUInt32LE(at + 4);
    const body = content.subarray(at + 8, at + 8 + size);
    if (name === "fmt " && body.length >= 16) format = body;
    if (name === "fact" && body.length >= 4) statedSamples = body.readUInt32LE(0);
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
        statedSamples,
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
    blockBytes: at(12),
    bitsPerSample: at(14),
    samplesPerBlock: at(18),
  };
}

const uncompressed: Partial<Record<number, string>> = { 1: "PCM", 3: "float", 6: "A-law", 7: "µ-law" };
const compressed: Partial<Record<number, string>> = {
  0x02: "Microsoft ADPCM",
  0x11: "IMA ADPCM",
  0x31: "GSM 6.10",
  0x50: "MPEG layer 2",
  0x55: "MP3",
  0x65: "G.722",
  0x28f: "G.722",
};

export function encodingName(encoding: number): string {
  return uncompressed[encoding] ?? compressed[encoding] ?? `the encoding ${encoding}`;
}

export function isUncompressed({ encoding }: WavFile): boolean {
  return uncompressed[encoding] !== undefined;
}

/** The length in seconds by each way to calculate it from the header. */
export function wavLengths(wav: WavFile): number[] {
  const { encoding, channels, rate, bytesPerSecond, blockBytes, bitsPerSample, samplesPerBlock } = wav;
  const lengths = [wav.dataBytes / bytesPerSecond];
  if (isUncompressed(wav)) lengths.unshift(wav.dataBytes / (rate * channels * Math.ceil(bitsPerSample / 8)));
  else {
    if (wav.statedSamples < placeholderBytes && wav.statedSamples > 0) lengths.unshift(wav.statedSamples / rate);
    const hasBlocks = (encoding === 0x02 || encoding === 0x11) && samplesPerBlock > 0;
    if (hasBlocks) lengths.push(((wav.dataBytes / blockBytes) * samplesPerBlock) / rate);
  }
  return lengths.filter(Number.isFinite);
}
