import { mkdirSync, readFileSync, truncateSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { audioProblem, audioWarning } from "../../provider/src/rules/audio";
import { box, mp4, numbers } from "../media/mp4";
import { copy, inspectAudio, put, recordings, temporaryFolder, wav } from "../support/files";

/** What is true of many recordings, whole and damaged, and of other files: `test/media`. */

const folder = temporaryFolder();
const state = async (path: string) => (await inspectAudio(path)).state;

test("measures a recording by its content, whatever its name says", async () => {
  const bytes = readFileSync(recordings.m4a);
  expect(await inspectAudio(copy(recordings.m4a, folder, "named.txt"))).toEqual({
    ...{ state: "audio", kind: "mp4", seconds: 14.461, trimmed: true, bytes: bytes.length },
    sha256: createHash("sha256").update(bytes).digest("hex"),
  });
});

test("reports what a path is if it is not an audio file", async () => {
  mkdirSync(join(folder, "dir"));
  expect(await state(join(folder, "none.wav"))).toBe("missing");
  expect(await state(join(recordings.wav, "below.wav"))).toBe("missing");
  expect(await state(join(folder, "dir"))).toBe("folder");
  expect(await state(put(folder, "empty.wav", ""))).toBe("empty");
});

test.each([10_000_000, 100 * 1024 * 1024])("does not read a file of %i bytes, which is too large", async (bytes) => {
  const path = put(folder, "film.wav", "");
  truncateSync(path, bytes);
  expect(await inspectAudio(path)).toEqual({ state: "huge", bytes });
});

test("reads a file again after it has changed", async () => {
  const path = put(folder, "changing.wav", wav(11));
  expect(await inspectAudio(path)).toMatchObject({ seconds: 11 });
  put(folder, "changing.wav", wav(12));
  expect(await inspectAudio(path)).toMatchObject({ seconds: 12 });
});

test.each([
  ["stsc", numbers(0, 1, 1, 0xffffffff, 1)],
  ["stts", numbers(0, 1, 0xffffffff, 1024)],
  ["ctts", numbers(0, 2, 0x80000000, 0, 0x80000000, 1)],
  ["stz2", numbers(0, 0, 0xffffffff)],
  ["stsz", numbers(0, 24, 0xffffffff)],
  ["trun", numbers(0, 0xffffffff)],
])(
  "an MP4 file of a few kilobytes whose table %s counts 4,294,967,295 samples is not gone through",
  async (type, body) => {
    const sizes = Array.from({ length: 281 }, () => 24);
    const tables = (at: number) => [
      ...[box(type, body), box("stts", numbers(0, 1, 281, 1024)), box("stsc", numbers(0, 1, 1, 281, 1))],
      ...[box("stsz", numbers(0, 0, 281, ...sizes)), box("stco", numbers(0, 1, at))],
    ];
    const facts = await inspectAudio(put(folder, `${type}.m4a`, mp4({ tables })));
    expect(facts).toEqual(expect.not.objectContaining({ seconds: expect.anything() as unknown }));
    expect(audioProblem(facts)).toBeUndefined();
    expect(audioWarning(facts)).toContain(`its table ${type} claims more samples than the file has bytes`);
  },
);
