import {
  audioProblem,
  type AudioFacts,
  type AudioFile,
  audioPlace,
  audioWarning,
  looksSigned,
  mayHoldSecret,
} from "../../provider/src/rules/audio";

const file = (bytes: number, seconds: number): AudioFile => ({
  state: "audio",
  kind: "wav",
  bytes,
  sha256: "",
  seconds,
});

test.each<[string, AudioFacts]>([
  ["of exactly 10 s", file(1, 10)],
  ["of exactly 20 s", file(1, 20)],
  ["whose length can't be measured", { state: "audio", kind: "mp4", bytes: 1, sha256: "" }],
  ["of the largest size under 10 MiB", file(7_864_317, 12)],
])("accepts a recording %s", (_, facts) => {
  expect(audioProblem(facts)).toBeUndefined();
});

test.each<[string, AudioFacts, RegExp]>([
  ["a recording that is slightly too short", file(1, 9.99), /^is 9\.99 s long, shorter[^,]*$/],
  ["a recording that is slightly too long", file(1, 20.01), /^is 20\.01 s long, longer[^,]*$/],
  ["a recording of 10 MiB, encoded", file(7_864_320, 12), /^is 7\.9 MB, 10\.5 MB once encoded[^,]*$/],
  ["a recording that is too large and too long", file(8_000_000, 30), /once encoded.*and is 30 s long/],
  ["a missing file", { state: "missing" }, /^does not exist: the path is relative to the program's folder/],
  ["a folder", { state: "folder" }, /is a folder/],
  ["an empty file", { state: "empty" }, /is an empty file/],
  ["a Git LFS pointer", { state: "git-lfs-pointer" }, /git lfs pull/],
  ["an unreadable file", { state: "unreadable", why: "EACCES" }, /EACCES/],
  [
    "another kind of file",
    { state: "other", detail: "FLAC (audio/flac)" },
    /^is FLAC \(audio\/flac\); the service takes WAV, MP3 and MP4/,
  ],
  ["what FFmpeg can convert", { state: "other", detail: "FLAC" }, /`ffmpeg -i in\.file -ac 1 -ar 24000 out/],
  ["an incomplete file", { state: "cut-short", kind: "mp3", detail: "6.0 of 12.0 s" }, /cut short: 6\.0 of 12\.0 s/],
  ["a film", { state: "huge", bytes: 2e9 }, /2000\.0 MB, 2666\.7 MB once encoded/],
])("rejects %s", (_, facts, message) => {
  expect(audioProblem(facts)).toMatch(message);
});

test.each<[string, AudioFacts, RegExp | undefined]>([
  ["the largest size that is certainly accepted", file(7_499_997, 12), undefined],
  ["10,000,000 bytes, encoded", file(7_499_998, 12), /^is 7\.5 MB, 10\.0 MB once encoded; .* may refuse the file/],
  ["a missing file", { state: "missing" }, undefined],
  [
    "a length between what encoders usually add and at most",
    { ...file(1, 20.2), kind: "mp4" },
    /^is 20\.2 s long, including/,
  ],
  ["what encoders usually add", { ...file(1, 20.1), kind: "mp4" }, undefined],
  ["a length where the silence is known", { ...file(1, 20.2), kind: "mp4", trimmed: true }, undefined],
  ["a length of WAV, which has no silence", file(1, 20.2), undefined],
  ["no length", { state: "audio", kind: "mp4", bytes: 1, sha256: "" }, /its length can't be measured.*service decides/],
  ["what is odd", { ...file(1, 12), doubts: ["it is 3GP", "it is old"] }, /^is unusual: it is 3GP; it is old\. The/],
  [
    "two lengths",
    { state: "audio", kind: "mp4", bytes: 1, sha256: "", doubts: ["its length is 14.0 s or 7.0 s"] },
    /^is unusual: its length is 14\.0 s or 7\.0 s\. The/,
  ],
])("warns of what the service may refuse: %s", (_, facts, warning) => {
  const expected = warning === undefined ? undefined : (expect.stringMatching(warning) as unknown);
  expect(audioWarning(facts)).toEqual(expected);
});

test("allows for the silence that encoders add, and not a second time where it is known", () => {
  const compressed = (seconds: number): AudioFile => ({ ...file(1, seconds), kind: "mp3" });
  expect(audioProblem(compressed(20.3))).toBeUndefined();
  expect(audioProblem(compressed(20.301))).toMatch(/longer/);
  expect(audioProblem({ ...compressed(20.3), trimmed: true })).toMatch(/longer/);
});

test.each([
  "audio/a.wav",
  "C:\\audio\\a.wav",
  "c://a.wav",
  "1a://a.wav",
  "audio/data:a.wav",
  "a/https://a.wav",
  "a b.wav",
])("reads %s as a path", (audio) => {
  expect(audioPlace(audio)).toEqual({ path: audio });
});

test.each(["https://example.com/a.wav", "HTTP://example.com/a.wav"])("reads %s as a URL", (audio) => {
  expect(audioPlace(audio)).toEqual({ url: audio });
});

test.each([
  ["", /empty/],
  [" \t", /empty/],
  ["http://", /not a valid URL/],
  ["https://example.com/a b.wav", /not a valid URL/],
  ["https://:pass@example.com/a.wav", /credentials/],
  ["s3://bucket/a.wav", /s3:/],
  ["gs+x.y-z1://bucket/a.wav", /gs\+x\.y-z1:/],
  ["data:audio/wav;base64,AAAA", /data URL/],
  ["DATA:audio/wav;base64,AAAA", /data URL/],
])("rejects %j as a place of audio", (audio, message) => {
  expect(audioPlace(audio)).toEqual({ problem: expect.stringMatching(message) as unknown });
});

test.each([
  ["https://user:pass@a.example/a.wav", true],
  ["user:pass@a.example", true],
  [":pass@a.example", true],
  ["https://a.example/a.wav?sig=1", true],
  ["://a.example/a.wav?sig=1", true],
  ["a.wav?sig=1", false],
  ["a@b.wav", false],
  ["C:\\audio\\a.wav", false],
  ["https://a.example/a.wav", false],
])("a refused place %s may hold a secret: %s", (audio, may) => {
  expect(mayHoldSecret(audio)).toBe(may);
});

test.each([
  "X-Amz-Signature=1&X-Amz-Expires=60",
  "x-goog-signature=1",
  "x-oss-security-token=1",
  "x-cos-security-token=1",
  "x-tos-signature=1",
  "Expires=1",
  "Signature=1",
  "sig=1",
  "token=1",
  "version=3&se=1",
])("a URL with the query %s looks signed", (query) => {
  expect(looksSigned(`https://example.com/a.wav?${query}`)).toBe(true);
});

test.each(["", "?version=3", "?design=1", "?signal=1", "?x-amz-date=1", "?x-other-signature=1", "?kind=token"])(
  "a URL that ends in %j does not look signed",
  (query) => {
    expect(looksSigned(`https://example.com/a.wav${query}`)).toBe(false);
  },
);
