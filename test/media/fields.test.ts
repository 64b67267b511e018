import { measure } from "../../provider/src/service/audio/measure";
import { measureWav } from "../../provider/src/service/audio/measure-wav";
import { fragmentedMp4 } from "./endless";
import { box, mp4, numbers } from "./mp4";
import { id3, mp3Frames, xing } from "./mp3";
import { wavOf } from "./wav";

/**
 * Each number of each table of each container, with every value that a count, a size or an offset may wrongly have: none
 * keeps the process busy.
 */

const frames = 47;
const bytesOfFrames = frames * 24;
const mp4Sound = Buffer.alloc(bytesOfFrames, 1);
const each = Array.from({ length: frames }, () => 24);

/** The same sound by other tables. */
const tables: Record<string, (at: number) => Buffer[]> = {
  "one size for all samples": (at) => [
    box("stts", numbers(0, 1, frames, 1024)),
    box("stsc", numbers(0, 1, 1, frames, 1)),
    box("stsz", numbers(0, 24, frames)),
    box("stco", numbers(0, 1, at)),
  ],
  "a size for each sample, and places of 64 bits": (at) => [
    box("stts", numbers(0, 2, 1, 1024, frames - 1, 1024)),
    box("stsc", numbers(0, 2, 1, 7, 1, 2, frames - 7, 1)),
    box("stsz", numbers(0, 0, frames, ...each)),
    box("co64", numbers(0, 2, 0, at, 0, at + 7 * 24)),
  ],
  "shifted and small samples": (at) => [
    box("stts", numbers(0, 1, frames, 1024)),
    box("ctts", numbers(0, 2, 1, 0, frames - 1, 1024)),
    box("stss", numbers(0, 2, 1, 9)),
    box("stsc", numbers(0, 1, 1, frames, 1)),
    box("stz2", numbers(0, 8, frames), Buffer.alloc(frames, 24)),
    box("stco", numbers(0, 1, at)),
    box("sbgp", numbers(0, 0x726f6c6c, 1, frames, 1)),
    box("saiz", numbers(0), Buffer.from([8]), numbers(frames)),
    box("saio", numbers(0, 1, at)),
  ],
};

const fragmented = fragmentedMp4(frames, 1);

const wrong = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff];

/** A library repeats a step as often as these tables say. measure-thread.test.ts tests that its thread is ended. */
const counting = ["stts", "ctts", "stsc", "trun"];

function isCount(file: Buffer, at: number): boolean {
  return counting.some((type) => {
    const begin = file.indexOf(type);
    return begin >= 0 && at > begin && at < begin - 4 + file.readUInt32BE(begin - 4);
  });
}

/** The file with each number replaced, except inside the sound, and counts by small numbers only. */
function* changed(file: Buffer, write: "writeUInt32BE" | "writeUInt32LE", sound: Buffer = mp4Sound) {
  const from = file.indexOf(sound);
  for (let at = 0; at + 4 <= file.length; at += 2) {
    if (from >= 0 && at > from - 4 && at < from + sound.length) continue;
    for (const value of wrong) {
      if (value > 1 && isCount(file, at)) continue;
      const bytes = Buffer.from(file);
      bytes[write](value, at);
      yield { bytes, what: `${value} at ${at}` };
    }
  }
}

// The real thread has no output.
beforeEach(() => {
  jest.spyOn(console, "warn").mockImplementation();
  jest.spyOn(console, "error").mockImplementation();
});
afterEach(() => jest.restoreAllMocks());

/** Of the processor, because other processes take the time of the clock. */
async function judged(bytes: Buffer, measured: (bytes: Buffer) => unknown): Promise<string | undefined> {
  const before = process.cpuUsage();
  const { state, seconds = 1 } = (await measured(bytes)) as { state: string; seconds?: number };
  const ms = process.cpuUsage(before).user / 1000;
  if (ms > 2000) return `takes ${ms} ms`;
  if (!["audio", "cut-short", "other"].includes(state)) return `is ${state}`;
  return seconds >= 0 && Number.isFinite(seconds) ? undefined : `has ${seconds} s`;
}

async function mistakes(
  files: Iterable<{ bytes: Buffer; what: string }>,
  measured: (file: Buffer) => unknown = measure,
) {
  const found: string[] = [];
  for (const { bytes, what } of files) {
    const mistake = await judged(bytes, measured);
    if (mistake !== undefined) found.push(`${what} ${mistake}`);
  }
  return found;
}

/** The file, cut short at each place, and at every tenth inside the sound, which is the same everywhere. */
function* cut(file: Buffer) {
  const from = file.indexOf(mp4Sound);
  for (let length = 0; length < file.length; length++)
    if (from < 0 || length < from || length > from + mp4Sound.length || length % 10 === 0)
      yield { bytes: file.subarray(0, length), what: `cut at ${length}` };
}

test.each([
  ["MP4", mp4({ seconds: 2, tableFirst: true })],
  ["MP4, in fragments", fragmented],
  ["MP3", Buffer.concat([id3(64), ...mp3Frames({ seconds: 0.2 })])],
])("each place at which a file is cut short: %s", async (_, file) => {
  expect(await mistakes(cut(file))).toEqual([]);
});

test.each(Object.entries(tables))("each number of an MP4 file with %s", async (_, own) => {
  const file = mp4({ seconds: 2, tables: own, shows: [2] });
  expect(await measure(file)).toMatchObject({ state: "audio", kind: "mp4", seconds: 2 });
  expect(await mistakes(changed(file, "writeUInt32BE"))).toEqual([]);
});

test("each number of an MP4 file in fragments", async () => {
  expect(await measure(fragmented)).toMatchObject({ state: "audio", kind: "mp4", seconds: 2.005 });
  expect(await mistakes(changed(fragmented, "writeUInt32BE"))).toEqual([]);
});

test("each number of an MP3 file with tags", async () => {
  const all = mp3Frames({ seconds: 2 });
  const file = Buffer.concat([id3(64), xing(all.length, { padding: [576, 1000] }), ...all]);
  expect(await measure(file)).toMatchObject({ state: "audio", kind: "mp3", trimmed: true });
  const sound = Buffer.from(Buffer.concat(all.slice(1)));
  expect(await mistakes(changed(file, "writeUInt32BE", sound))).toEqual([]);
});

test.each([
  ["PCM", wavOf({ seconds: 1 })],
  ["an extensible format", wavOf({ seconds: 1, encoding: 0xfffe, inside: 1 })],
  ["a compressed encoding", wavOf({ seconds: 1, encoding: 0x11 })],
])("each number of a WAV file of %s", async (_, file) => {
  const sound = file.subarray(file.indexOf("data") + 8);
  const isWav = ({ bytes }: { bytes: Buffer }) => /^RIFF....WAVE/s.test(bytes.toString("latin1", 0, 12));
  const files = [...changed(file, "writeUInt32LE", sound)].filter(isWav);
  expect(await mistakes(files, measureWav)).toEqual([]);
});
