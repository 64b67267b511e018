import { open } from "node:fs/promises";
import { readWav, type WavFile } from "./wav";

/** The most bytes of a file that are read. The service accepts only smaller files. */
const mostBytes = 10_000_000;

async function wavAt(path: string): Promise<{ wav: WavFile; content: Buffer } | undefined> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const content = Buffer.alloc(Math.min(size, mostBytes));
    await file.read(content, 0, content.length, 0);
    const wav = readWav(content);
    return wav && { wav, content };
  } finally {
    await file.close();
  }
}

/** Returns a function that reads a PCM or float sample as a number from -1 to 1. Undefined for any other encoding. */
function sampleReader({ encoding, bitsPerSample }: WavFile, content: Buffer): ((at: number) => number) | undefined {
  if (encoding === 3 && bitsPerSample === 32) return (at) => content.readFloatLE(at);
  if (encoding === 3 && bitsPerSample === 64) return (at) => content.readDoubleLE(at);
  if (encoding !== 1) return undefined;
  const bytes = Math.ceil(bitsPerSample / 8);
  if (bytes === 1) return (at) => (content.readUInt8(at) - 128) / 128;
  const full = 2 ** (bytes * 8 - 1);
  return bytes >= 2 && bytes <= 4 ? (at) => content.readIntLE(at, bytes) / full : undefined;
}

/**
 * Calls `each` with every sample of all channels. `position`: its place in the recording, from 0 to 1. Returns false if
 * the file can't be decoded.
 */
function forSamples(
  { wav, content }: { wav: WavFile; content: Buffer },
  each: (value: number, position: number, channel: number) => void,
): boolean {
  const read = sampleReader(wav, content);
  const sampleBytes = Math.ceil(wav.bitsPerSample / 8);
  const frames = Math.floor(wav.dataBytes / (sampleBytes * wav.channels));
  if (read === undefined || !Number.isFinite(frames) || frames === 0) return false;
  let at = wav.dataAt;
  for (let frame = 0; frame < frames; frame++)
    for (let channel = 0; channel < wav.channels; channel++, at += sampleBytes) each(read(at), frame / frames, channel);
  return true;
}

const bars = 120;

/**
 * The waveform of a WAV file, all channels together: one digit from 0 to z (base 36) per bar, relative to the loudest
 * bar. Undefined for other formats and encodings, because Node.js can't decode them.
 */
export async function wavPeaks(path: string): Promise<string | undefined> {
  try {
    const file = await wavAt(path);
    if (file === undefined) return undefined;
    const peaks = new Array<number>(bars).fill(0);
    const isDecoded = forSamples(file, (value, position) => {
      const bar = Math.floor(position * bars);
      peaks[bar] = Math.max(peaks[bar] ?? 0, Math.abs(value) || 0);
    });
    const loudest = Math.max(...peaks, Number.EPSILON);
    return isDecoded ? peaks.map((peak) => Math.round((peak / loudest) * 35).toString(36)).join("") : undefined;
  } catch {
    return undefined;
  }
}

/** Levels in decibels below full scale. */
export interface Loudness {
  peakDb: number;
  averageDb: number;
  remark?: string;
}

const db = (value: number) => Math.max(-99, Math.round(200 * Math.log10(value)) / 10);
/** A channel whose peak is at most this counts as silent. The noise of any room is louder. */
const silentDb = -60;
/** If a larger share of the samples is at full scale, the recording counts as clipped. */
const clippedShare = 0.001;

export async function loudnessOf(path: string): Promise<Loudness | undefined> {
  const file = await wavAt(path).catch(() => undefined);
  if (file === undefined) return undefined;
  const { channels } = file.wav;
  const peaks = new Array<number>(channels).fill(0);
  let squares = 0;
  let samples = 0;
  let clipped = 0;
  const isDecoded = forSamples(file, (value, _, channel) => {
    const size = Math.abs(value) || 0;
    if (size > (peaks[channel] ?? 0)) peaks[channel] = size;
    if (size >= 0.999) clipped++;
    squares += size * size;
    samples++;
  });
  if (!isDecoded) return undefined;
  const peakDb = db(Math.max(...peaks));
  const heard = peaks.flatMap((peak, channel) => (db(peak) > silentDb ? [channel] : []));
  const sides = channels === 2 ? ["left", "right"] : [];
  const [only = 0] = heard;
  const remark =
    peakDb <= silentDb
      ? "silent"
      : clipped / samples > clippedShare
        ? "clipped"
        : channels > 1 && heard.length === 1
          ? `${sides[only] ?? `${only + 1}.`} channel only`
          : undefined;
  return { peakDb, averageDb: db(Math.sqrt(squares / samples)), ...(remark !== undefined && { remark }) };
}
