import { audioProblem, type AudioFacts, type AudioFile, audioPlace, looksSigned } from "../../provider/src/rules/audio";

const file = (bytes: number, seconds: number): AudioFile => ({
  state: "audio",
  kind: "wav",
  bytes,
  sha256: "",
  seconds,
});

test.each<[string, AudioFacts, RegExp | undefined]>([
  ["10 s exactly", file(1, 10), undefined],
  ["20 s exactly", file(1, 20), undefined],
  ["a hair too short", file(1, 9.99), /9\.99 s long, shorter/],
  ["a hair too long", file(1, 20.01), /20\.01 s long, longer/],
  ["20 s, and the silence that an encoder added", { ...file(1, 20.05), kind: "mp3" }, undefined],
  ["more than that", { ...file(1, 20.11), kind: "mp4" }, /20\.11 s long, longer/],
  ["the last size under the limit", file(7_499_997, 12), undefined],
  ["the first size at the limit", file(7_499_998, 12), /10\.0 MB once encoded/],
  ["too large and too long", file(8_000_000, 30), /once encoded.*and is 30 s long/],
  ["missing", { state: "missing" }, /no such file/],
  ["a folder", { state: "folder" }, /is a folder/],
  ["empty", { state: "empty" }, /is an empty file/],
  ["an LFS pointer", { state: "git-lfs-pointer" }, /git lfs pull/],
  ["not readable", { state: "unreadable", why: "EACCES" }, /can't be read: EACCES/],
  ["another kind", { state: "other", found: "FLAC (audio/flac)" }, /is FLAC .*; the service takes WAV, MP3 and MP4/],
  ["cut short", { state: "cut-short", kind: "mp3", found: "6.0 of 12.0 s" }, /is cut short: 6\.0 of 12\.0 s/],
  ["a film", { state: "huge", bytes: 2e9 }, /is 2000\.0 MB/],
])("%s", (_, facts, message) => {
  if (message) expect(audioProblem(facts)).toMatch(message);
  else expect(audioProblem(facts)).toBeUndefined();
});

test.each([
  ["audio/a.wav", { path: "audio/a.wav" }],
  ["C:\\audio\\a.wav", { path: "C:\\audio\\a.wav" }],
  ["https://example.com/a.wav", { url: "https://example.com/a.wav" }],
  ["HTTP://example.com/a.wav", { url: "HTTP://example.com/a.wav" }],
  ["", { problem: expect.stringContaining("empty") as unknown }],
  ["http://", { problem: expect.stringContaining("not a valid URL") as unknown }],
  ["https://user:pass@example.com/a.wav", { problem: expect.stringContaining("credentials") as unknown }],
  ["s3://bucket/a.wav", { problem: expect.stringContaining("s3://") as unknown }],
  ["data:audio/wav;base64,AAAA", { problem: expect.stringContaining("data URL") as unknown }],
])("%s is taken for what it is", (audio, place) => {
  expect(audioPlace(audio)).toEqual(place);
});

test.each([
  ["https://b.s3.amazonaws.com/a.wav?X-Amz-Signature=1&X-Amz-Expires=60", true],
  ["https://b.oss.example/a.wav?Expires=1&Signature=2", true],
  ["https://example.com/a.wav?version=3", false],
])("%s looks signed: %s", (url, signed) => {
  expect(looksSigned(url)).toBe(signed);
});
