export interface WavFile {
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
export const isPlaceholder = (size: number) => size === 0 || size >= placeholderBytes;

/**
 * Reads the chunks `fmt` and `data` (the audio data), which RIFF allows in either order. Each chunk has a name and a
 * size, and begins at an even offset. Undefined if one of the two is missing.
 */
export function readWav(content: Buffer): WavFile | undefined {
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
