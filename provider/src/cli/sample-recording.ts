/** 12 s: the service takes 10 to 20 s. */
const seconds = 12;
const rate = 24_000;

/**
 * A WAV file (mono, 16 bits, 24 kHz) that sounds like humming, for trying programs against the emulator. It is
 * computed, so that the package need not contain a recording and nobody's voice is in it.
 */
export function sampleRecording(): Buffer {
  const samples = seconds * rate;
  const file = Buffer.alloc(44 + samples * 2);
  file.write("RIFF", 0);
  file.writeUInt32LE(36 + samples * 2, 4);
  file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36);
  file.writeUInt32LE(samples * 2, 40);
  let phase = 0;
  for (let index = 0; index < samples; index++) {
    const time = index / rate;
    // Four syllables a second, at a pitch that rises and falls.
    phase += (2 * Math.PI * (130 + 25 * Math.sin(time * 1.7))) / rate;
    const loudness = Math.sin(Math.PI * ((time * 4) % 1)) ** 2;
    const tone = Math.sin(phase) + Math.sin(2 * phase) / 2 + Math.sin(5 * phase) / 3 + Math.sin(9 * phase) / 6;
    file.writeInt16LE(Math.round(7000 * loudness * tone), 44 + index * 2);
  }
  return file;
}
