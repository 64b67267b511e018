import { mkdirSync, readFileSync, truncateSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
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
