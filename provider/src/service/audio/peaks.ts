import { AudioSampleSink, FilePathSource, Input, WAVE } from "mediabunny";

/** Bars of a waveform. */
const bars = 120;

/**
 * The waveform of a WAV file: one digit from 0 to z (base 36) per bar, relative to the loudest bar. Undefined for other
 * formats and encodings: Node.js has no decoder for them.
 */
export async function wavPeaks(path: string): Promise<string | undefined> {
  const input = new Input({ source: new FilePathSource(path), formats: [WAVE] });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (!track || !(await track.canDecode())) return undefined;
    const seconds = await track.computeDuration();
    const peaks = new Array<number>(bars).fill(0);
    for await (const sample of new AudioSampleSink(track).samples()) {
      const format = { planeIndex: 0, format: "f32-planar" } as const;
      const values = new Float32Array(sample.allocationSize(format) / Float32Array.BYTES_PER_ELEMENT);
      sample.copyTo(values, format);
      for (const [index, value] of values.entries()) {
        const at = (sample.timestamp + index / sample.sampleRate) / seconds;
        const bar = Math.min(bars - 1, Math.floor(at * bars));
        peaks[bar] = Math.max(peaks[bar] ?? 0, Math.abs(value));
      }
      sample.close();
    }
    const loudest = Math.max(...peaks, Number.EPSILON);
    return peaks.map((peak) => Math.round((peak / loudest) * 35).toString(36)).join("");
  } catch {
    return undefined;
  } finally {
    input.dispose();
  }
}
