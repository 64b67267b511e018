import { cutShort, judged, type Measured, toleratedGapSeconds } from "./measured";
import { isPlaceholder, readWav } from "./wav";

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
