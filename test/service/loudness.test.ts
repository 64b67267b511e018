import { wavPeaks } from "../../provider/src/service/audio/loudness";
import { put, temporaryFolder } from "../support/files";
import { wavOf } from "../media/wav";

const folder = temporaryFolder();

/** Full scale in one channel, and nothing in the others, in the second half. */
function inChannel(channel: number, channels: number, bits: number): Buffer {
  const bytes = wavOf({ channels, bits, rate: 1000 });
  const sampleBytes = bits / 8;
  const frames = (bytes.length - 44) / (channels * sampleBytes);
  bytes.fill(bits === 8 ? 128 : 0, 44);
  for (let frame = frames / 2; frame < frames; frame++)
    bytes[44 + (frame * channels + channel + 1) * sampleBytes - 1] = bits === 8 ? 255 : 0x7f;
  return bytes;
}

test.each([
  [0, 1, 16],
  [0, 2, 16],
  [1, 2, 16],
  [2, 6, 16],
  [1, 2, 8],
  [1, 2, 24],
  [1, 2, 32],
])("the waveform shows what channel %i of %i has, in %i bits", async (channel, channels, bits) => {
  expect(await wavPeaks(put(folder, "a.wav", inChannel(channel, channels, bits)))).toBe(
    "0".repeat(60) + "z".repeat(60),
  );
});

test("a WAV file whose header has no sizes has a waveform", async () => {
  const path = put(folder, "b.wav", wavOf({ dataSize: 0x7fffffbf, riffSize: 0x7fffffbf }));
  expect(await wavPeaks(path)).toMatch(/^[0-9a-z]{120}$/);
});

test("what is no PCM has no waveform, and neither has a damaged file", async () => {
  expect(await wavPeaks(put(folder, "c.wav", wavOf({ encoding: 0x11 })))).toBeUndefined();
  expect(await wavPeaks(put(folder, "d.wav", "RIFF"))).toBeUndefined();
});
