import { createHash } from "node:crypto";

/** The length of the recording. The service accepts 10 to 20 s. */
const seconds = 12;
const rate = 24_000;

/**
 * Computes a recording for trying programs with the emulator: a WAV file (mono, 16 bits, 24 kHz) that sounds like
 * humming. Because it is computed, the package does not contain a person's voice. The name determines the pitch.
 */
export function sampleRecording(name: string): Buffer {
  const pitch = 110 + (createHash("sha256").update(name).digest().readUInt32LE(0) / 2 ** 32) * 120;
  const samples = seconds * rate;
  const data = Buffer.alloc(samples * 2);
  let phase = 0;
  for (let index = 0; index < samples; index++) {
    const time = index / rate;
    // The recording has four syllables per second, and its pitch rises and falls.
    phase += (2 * Math.PI * (pitch + 25 * Math.sin(time * 1.7))) / rate;
    const loudness = Math.sin(Math.PI * ((time * 4) % 1)) ** 2;
    const tone = Math.sin(phase) + Math.sin(2 * phase) / 2 + Math.sin(5 * phase) / 3 + Math.sin(9 * phase) / 6;
    data.writeInt16LE(Math.round(7000 * loudness * tone), index * 2);
  }
  return Buffer.concat([wavHeader({ rate, channels: 1, dataBytes: data.length }), data]);
}

/** The header of a WAV file with 16 bits per sample. */
export function wavHeader({ rate, channels, dataBytes }: Record<"rate" | "channels" | "dataBytes", number>): Buffer {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * channels * 2, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(dataBytes, 40);
  return header;
}
