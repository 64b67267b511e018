import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { inspectAudio } from "../../provider/src/service/audio/inspect";
import { beginningOf, copy, put, recordings, temporaryFolder, wav } from "../support/files";

const folder = temporaryFolder();
const state = async (path: string) => (await inspectAudio(path)).state;

test.each([
  [recordings.wav, "wav", 13.738],
  [recordings.mp3, "mp3", 14.258],
  [recordings.m4a, "mp4", 14.461],
] as const)("%s is measured by its frames", async (path, kind, seconds) => {
  const facts = await inspectAudio(path);
  const bytes = readFileSync(path);
  expect(facts).toEqual({
    state: "audio",
    kind,
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    seconds,
  });
});

test("the content tells the kind, not the name", async () => {
  expect(await inspectAudio(copy(recordings.mp3, folder, "named.wav"))).toMatchObject({ kind: "mp3" });
  expect(await inspectAudio(copy(recordings.wav, folder, "named.txt"))).toMatchObject({ kind: "wav" });
});

test("a WAV that was written to a pipe, its header left open, is whole", async () => {
  const bytes = readFileSync(recordings.wav);
  bytes.writeUInt32LE(0xffffffff, 4);
  bytes.writeUInt32LE(0xffffffff, bytes.indexOf("data") + 4);
  expect(await inspectAudio(put(folder, "piped.wav", bytes))).toMatchObject({ state: "audio", kind: "wav" });
});

test.each([
  ["wav", recordings.wav, 0.95],
  ["wav's header", recordings.wav, 0.00006],
  ["mp3", recordings.mp3, 0.75],
  ["m4a", recordings.m4a, 0.95],
])("a %s cut short is told as such, long enough or not", async (what, path, share) => {
  expect(await state(put(folder, `cut-${what}`, beginningOf(path, share)))).toBe("cut-short");
});

test("a WAV of another coding than plain PCM is told as that, and not as cut short", async () => {
  const bytes = wav(12);
  bytes.writeUInt16LE(0x11, 20); // IMA ADPCM
  expect(await inspectAudio(put(folder, "adpcm.wav", bytes))).toMatchObject({
    state: "other",
    found: expect.stringMatching(/not plain PCM/) as string,
  });
});

test("an MP4 with its table in front, cut in its sound, is told as cut short", async () => {
  // Moves `moov` before `mdat`, with its chunk offsets, as a faststart encoder writes it.
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

test("what is no audio file is told as what it is", async () => {
  mkdirSync(join(folder, "dir"));
  expect(await state(join(folder, "none.wav"))).toBe("missing");
  expect(await state(join(recordings.wav, "below.wav"))).toBe("missing");
  expect(await state(join(folder, "dir"))).toBe("folder");
  expect(await state(put(folder, "empty.wav", ""))).toBe("empty");
  expect(await state(put(folder, "lfs.wav", "version https://git-lfs.github.com/spec/v1\noid sha256:1\n"))).toBe(
    "git-lfs-pointer",
  );
  expect(await inspectAudio(put(folder, "words.wav", "hello"))).toEqual({ state: "other", found: "text" });
  expect(await inspectAudio(put(folder, "noise.wav", Buffer.from([0, 1, 2, 3, 0, 5])))).toEqual({
    state: "other",
    found: "a file of an unknown kind",
  });
  const flac = Buffer.concat([Buffer.from("fLaC"), Buffer.from([0x80, 0, 0, 34]), Buffer.alloc(34)]);
  expect(await inspectAudio(put(folder, "lossless.mp3", flac))).toEqual({ state: "other", found: "FLAC (audio/flac)" });
});

test("a file far too large is not read", async () => {
  const path = join(folder, "film.wav");
  writeFileSync(path, "");
  execFileSync("truncate", ["-s", "100M", path]);
  expect(await inspectAudio(path)).toEqual({ state: "huge", bytes: 100 * 1024 * 1024 });
});

test("a file that changes is read anew", async () => {
  const path = put(folder, "changing.wav", wav(11));
  expect(await inspectAudio(path)).toMatchObject({ seconds: 11 });
  put(folder, "changing.wav", wav(12));
  expect(await inspectAudio(path)).toMatchObject({ seconds: 12 });
});
