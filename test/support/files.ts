import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { wavHeader } from "../../provider/emulator/sample-recording";
import { audioInspector, type InspectAudio } from "../../provider/src/service/audio/inspect";

export const root = join(__dirname, "..", "..");

const speech = join(root, "examples", "catalog", "audio");
/** Recordings of real speech, 10 to 20 s long. */
export const recordings = {
  wav: join(speech, "narrator-en.wav"),
  mp3: join(speech, "narrator-de.mp3"),
  m4a: join(speech, "narrator-es.m4a"),
  otherMp3: join(speech, "support-fr.mp3"),
};

const folders: string[] = [];
/** A new temporary folder, which is removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cloudvoice-test-"));
  folders.push(folder);
  return folder;
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Writes a file, and the folders above it. Returns its path. */
export function put(folder: string, name: string, content: string | Buffer): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

export function copy(from: string, folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(from, path);
  return path;
}

/** The first bytes of a file, as many as the share of its size. */
export function beginningOf(file: string, share: number): Buffer {
  const bytes = readFileSync(file);
  return bytes.subarray(0, Math.floor(bytes.length * share));
}

/** A WAV file with a tone of 440 Hz in 16 bits. */
export function wav(seconds: number, { rate = 24_000, channels = 1 } = {}): Buffer {
  const data = Buffer.alloc(Math.round(seconds * rate) * channels * 2, secondOfTone(rate, channels));
  return Buffer.concat([wavHeader({ rate, channels, dataBytes: data.length }), data]);
}

const tones = new Map<string, Buffer>();
/** A tone of 440 Hz is the same in each second. */
function secondOfTone(rate: number, channels: number): Buffer {
  const known = tones.get(`${rate} ${channels}`);
  if (known !== undefined) return known;
  const second = Buffer.alloc(rate * channels * 2);
  for (let at = 0; at < rate * channels; at++) {
    const frame = Math.floor(at / channels);
    second.writeInt16LE(Math.round(8000 * Math.sin((frame / rate) * 440 * 2 * Math.PI)), at * 2);
  }
  tones.set(`${rate} ${channels}`, second);
  return second;
}

/** Reads, hashes and measures a file, also one that was inspected before. */
export const inspectAudio: InspectAudio = (path) => audioInspector()(path);

/** The lines of a file, which may not be there yet. */
export const linesOf = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
