import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import fs from "node:fs/promises";
import { join } from "node:path";
import { audioProblem } from "../../provider/src/rules/audio";
import { beginningOf, copy, inspectAudio, put, recordings, temporaryFolder, wav } from "../support/files";

const folder = temporaryFolder();
const state = async (path: string) => (await inspectAudio(path)).state;

test.each([
  [recordings.wav, "wav", 13.738, {}],
  [recordings.mp3, "mp3", 14.258, { trimmed: true }],
  [recordings.m4a, "mp4", 14.461, { trimmed: true }],
] as const)("measures the duration of %s from its frames", async (path, kind, seconds, more) => {
  const facts = await inspectAudio(path);
  const bytes = readFileSync(path);
  expect(facts).toEqual({
    state: "audio",
    kind,
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    seconds,
    ...more,
  });
});

test("detects the format from the content and not from the file name", async () => {
  expect(await inspectAudio(copy(recordings.mp3, folder, "named.wav"))).toMatchObject({ kind: "mp3" });
  expect(await inspectAudio(copy(recordings.wav, folder, "named.txt"))).toMatchObject({ kind: "wav" });
});

test("accepts a WAV file without sizes in its header, as encoders write it to a pipe", async () => {
  const bytes = readFileSync(recordings.wav);
  bytes.writeUInt32LE(0xffffffff, 4);
  bytes.writeUInt32LE(0xffffffff, bytes.indexOf("data") + 4);
  expect(await inspectAudio(put(folder, "piped.wav", bytes))).toMatchObject({ state: "audio", kind: "wav" });
});

test.each([
  ["wav", recordings.wav, 0.95],
  ["wav header", recordings.wav, 0.00006],
  ["mp3", recordings.mp3, 0.75],
  ["m4a", recordings.m4a, 0.95],
])("detects a %s that was cut short", async (what, path, share) => {
  expect(await state(put(folder, `cut-${what}`, beginningOf(path, share)))).toBe("cut-short");
});

test.each([
  ["float", 0x0003],
  ["A-law", 0x0006],
  ["IMA ADPCM", 0x0011],
  ["an extensible format", 0xfffe],
  ["an encoding that nobody knows", 0x4242],
])("measures WAV with %s from its header", async (_, encoding) => {
  const bytes = wav(12);
  bytes.writeUInt16LE(encoding, 20);
  const facts = await inspectAudio(put(folder, "encoded.wav", bytes));
  expect(facts).toMatchObject({ state: "audio", kind: "wav" });
  expect(audioProblem(facts)).toBeUndefined();
});

test("accepts a WAV file whose length can't be measured", async () => {
  const bytes = wav(12);
  bytes.writeUInt16LE(0x0011, 20);
  bytes.writeUInt32LE(0, 28); // The bytes a second.
  const facts = await inspectAudio(put(folder, "unmeasured.wav", bytes));
  expect(facts).toEqual(expect.not.objectContaining({ seconds: expect.anything() as unknown }));
  expect(facts).toMatchObject({ state: "audio", kind: "wav" });
  expect(audioProblem(facts)).toBeUndefined();
});

test.each([0x0006, 0x0001])("measures a WAV file of 9 seconds as too short, with the encoding %i", async (encoding) => {
  const bytes = wav(9);
  bytes.writeUInt16LE(encoding, 20);
  expect(audioProblem(await inspectAudio(put(folder, "short.wav", bytes)))).toMatch(/is 9 s long, shorter/);
});

test("detects an MP4 file that was cut short behind its table of contents", async () => {
  // Moves `moov` before `mdat` and adjusts the chunk offsets, as an encoder with faststart does.
  const bytes = readFileSync(recordings.m4a);
  const boxes: { type: string; bytes: Buffer }[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = bytes.readUInt32BE(at);
    boxes.push({ type: bytes.toString("latin1", at + 4, at + 8), bytes: bytes.subarray(at, at + size) });
    at += size;
  }
  const moov = Buffer.from(boxes.find((box) => box.type === "moov")?.bytes ?? []);
  const stco = moov.indexOf("stco");
  for (let entry = 0; entry < moov.readUInt32BE(stco + 8); entry++) {
    const at = stco + 12 + entry * 4;
    moov.writeUInt32BE(moov.readUInt32BE(at) + moov.length, at);
  }
  const order = [
    ...boxes.filter((box) => box.type === "ftyp").map((box) => box.bytes),
    moov,
    ...boxes.filter((box) => !["ftyp", "moov"].includes(box.type)).map((box) => box.bytes),
  ];
  const whole = Buffer.concat(order);
  expect(await inspectAudio(put(folder, "fast.m4a", whole))).toMatchObject({ state: "audio", kind: "mp4" });
  expect(await state(put(folder, "fast-cut.m4a", whole.subarray(0, whole.length * 0.6)))).toBe("cut-short");
});

test("reports what a path is if it is not an audio file", async () => {
  mkdirSync(join(folder, "dir"));
  expect(await state(join(folder, "none.wav"))).toBe("missing");
  expect(await state(join(recordings.wav, "below.wav"))).toBe("missing");
  expect(await state(join(folder, "dir"))).toBe("folder");
  expect(await state(put(folder, "empty.wav", ""))).toBe("empty");
  expect(await state(put(folder, "lfs.wav", "version https://git-lfs.github.com/spec/v1\noid sha256:1\n"))).toBe(
    "git-lfs-pointer",
  );
  expect(await inspectAudio(put(folder, "words.wav", "hello"))).toEqual({
    state: "other",
    found: "text",
    extension: "txt",
  });
  expect(await inspectAudio(put(folder, "noise.wav", Buffer.from([0, 1, 2, 3, 0, 5])))).toEqual({
    state: "other",
    found: "a file of an unknown kind",
  });
  const flac = Buffer.concat([Buffer.from("fLaC"), Buffer.from([0x80, 0, 0, 34]), Buffer.alloc(34)]);
  expect(await inspectAudio(put(folder, "lossless.mp3", flac))).toEqual({
    state: "other",
    found: "FLAC (audio/flac)",
    extension: "flac",
  });
});

test("does not read a file that is far too large", async () => {
  const path = join(folder, "film.wav");
  writeFileSync(path, "");
  execFileSync("truncate", ["-s", "100M", path]);
  expect(await inspectAudio(path)).toEqual({ state: "huge", bytes: 100 * 1024 * 1024 });
});

test("reads a file again after it has changed", async () => {
  const path = put(folder, "changing.wav", wav(11));
  expect(await inspectAudio(path)).toMatchObject({ seconds: 11 });
  put(folder, "changing.wav", wav(12));
  expect(await inspectAudio(path)).toMatchObject({ seconds: 12 });
});

/** A WAV file whose header is followed by a million bytes of zeros: 131,072 chunks without a length. */
function endlessChunks(encoding: number): Buffer {
  const bytes = Buffer.concat([wav(12).subarray(0, 36), Buffer.alloc(1024 * 1024)]);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.writeUInt16LE(encoding, 20);
  return bytes;
}

test.each([0x0001, 0x0011])(
  "a WAV file of empty chunks, with the encoding %i, is not opened for each",
  async (encoding) => {
    const path = put(folder, "chunks.wav", endlessChunks(encoding));
    const opened = jest.spyOn(fs, "open");
    try {
      expect(await inspectAudio(path)).toEqual(expect.not.objectContaining({ seconds: expect.anything() as unknown }));
      expect(opened.mock.calls.filter(([file]) => file === path).length).toBeLessThanOrEqual(3);
    } finally {
      opened.mockRestore();
    }
  },
);

test("a recording of many thousand frames is measured by its first minutes only, and is too long anyway", async () => {
  // 116,509 frames of 36 ms: more than an hour in 4 MB.
  const bytes = Buffer.alloc(4 * 1024 * 1024);
  for (let at = 0; at + 4 < bytes.length; at += 4) bytes.writeUInt32BE(0xfff318c4, at);
  const facts = await inspectAudio(put(folder, "frames.mp3", bytes));
  expect(facts).toMatchObject({ state: "audio", kind: "mp3" });
  const { seconds = 0 } = facts as { seconds?: number };
  expect(seconds).toBeGreaterThan(600);
  expect(seconds).toBeLessThan(700);
});

test("a long WAV file is not measured to its end, and its header says how long it is", async () => {
  expect(await inspectAudio(put(folder, "long.wav", wav(900, { rate: 4000 })))).toMatchObject({ seconds: 900 });
});

test("a file that is too large before it is encoded is not read", async () => {
  const path = put(folder, "large.wav", Buffer.alloc(10_000_000));
  expect(await inspectAudio(path)).toEqual({ state: "huge", bytes: 10_000_000 });
});
