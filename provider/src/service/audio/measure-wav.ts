import { cutShort, judged, type Measured, toleratedGapSeconds } from "./measured";
import { isUncompressed, isPlaceholder, readWav, wavLengths } from "./wav";

export const isPlainWav = (content: Buffer) =>
  /^(RIFF|RF64)/.test(content.toString("latin1", 0, 4)) && content.toString("latin1", 8, 12) === "WAVE";

export function measureWav(content: Buffer): Measured {
  const wav = readWav(content);
  if (wav === "endless") return judged("wav", [], ["its first thousand chunks contain no sound"]);
  if (typeof wav === "string")
    return cutShort("wav", wav === "no sound" ? "it contains no audio data" : "its header is missing");
  const doubts: string[] = [];
  const lengths = wavLengths(wav);
  const [seconds] = lengths;
  const missingBytes = isPlaceholder(wav.statedBytes) ? 0 : Math.max(0, wav.statedBytes - wav.dataBytes);
  const missingSeconds = wav.dataBytes === 0 ? 0 : ((seconds ?? 0) / wav.dataBytes) * missingBytes;
  if (missingSeconds > toleratedGapSeconds || (missingBytes > 0 && wav.dataBytes === 0))
    return cutShort("wav", `${content.length} of ${content.length + missingBytes} bytes are in the file`);
  // The header states the size of the file after the first eight bytes.
  const riffBytes = content.readUInt32LE(4);
  const excessBytes = riffBytes + 8 - content.length;
  if (content.toString("latin1", 0, 4) === "RF64") doubts.push("it is an RF64 file (a WAV file for more than 4 GB)");
  else if (isPlaceholder(wav.statedBytes) || isPlaceholder(riffBytes))
    doubts.push("its header does not state its sizes, as is usual if a program wrote it to a pipe");
  else if (missingBytes > 0) doubts.push(`its last ${missingBytes} bytes are missing`);
  else if (excessBytes > 0) doubts.push(`the size in its header is ${excessBytes} bytes too large`);
  if (wav.channels === 0) doubts.push("its header states 0 channels");
  if (isUncompressed(wav)) return judged("wav", lengths, doubts);
  doubts.push(`its sound is not PCM, but has the format tag ${wav.encoding}`);
  // The header of a compressed recording often states a wrong length, so this length does not count as measured.
  if (seconds !== undefined) doubts.push(`its length of ${seconds.toFixed(1)} s is known from its header only`);
  return judged("wav", [], doubts);
}
