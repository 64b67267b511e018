import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Props } from "../../provider/src/pulumi/provider/lifecycle";
import { emulate } from "../support/emulate";
import { beginningOf, copy, put, recordings, temporaryFolder, wav } from "../support/files";
import { newOperation } from "../support/operation";

/** A check rejects inputs that the service would reject, each at its property, without a call. */

const model = "svc3-tts-vc-2026-01-22";
const identity = { urn: "urn:pulumi:dev::p::t::v" };

const before = process.cwd();
const folder = temporaryFolder();
afterAll(() => process.chdir(before));
beforeAll(() => {
  process.chdir(folder);
  mkdirSync(join(folder, "folder.wav"));
  put(folder, "empty.wav", "");
  put(folder, "half.wav", beginningOf(recordings.wav, 0.9));
  put(folder, "half.m4a", beginningOf(recordings.m4a, 0.5));
  put(folder, "lfs.wav", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 659480\n");
  copy(recordings.wav, folder, "a.wav");
  put(
    folder,
    "picture.mp3",
    Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==",
      "base64",
    ),
  );
  put(folder, "short.wav", wav(9.9));
  put(folder, "long.wav", wav(20.1));
  put(folder, "large.wav", wav(20, { rate: 100_000, channels: 2 }));
  put(folder, "rather-large.wav", wav(20, { rate: 96_000, channels: 2 }));
});

test.each<[what: string, inputs: Props, property: string, message: RegExp]>([
  [
    "an unknown model",
    { targetModel: "svc3-tts-vc", audio: "a.wav" },
    "targetModel",
    /"svc3-tts-vc"; allowed: svc3-tts-vc-realtime-2026-01-15, .*extraTargetModels/,
  ],
  [
    "an unknown language",
    { targetModel: model, audio: "a.wav", language: "nl" },
    "language",
    /is "nl"; allowed: zh, en, de/,
  ],
  [
    "a name with a hyphen",
    { targetModel: model, audio: "a.wav", preferredName: "my-voice" },
    "preferredName",
    /"my-voice".*digits, letters/,
  ],
  [
    "a name that is too long",
    { targetModel: model, audio: "a.wav", preferredName: "a_name_of_seventeen" },
    "preferredName",
    /19 characters, 3 too many; allowed: 1 to 16/,
  ],
  ["a missing file", { targetModel: model, audio: "nowhere.wav" }, "audio", /no such file/],
  ["a folder", { targetModel: model, audio: "folder.wav" }, "audio", /is a folder/],
  ["an empty file", { targetModel: model, audio: "empty.wav" }, "audio", /is an empty file/],
  [
    "a WAV file that is cut short",
    { targetModel: model, audio: "half.wav" },
    "audio",
    /is cut short: \d+ of \d+ bytes/,
  ],
  ["an MP4 file that is cut short", { targetModel: model, audio: "half.m4a" }, "audio", /is cut short/],
  ["a Git LFS pointer", { targetModel: model, audio: "lfs.wav" }, "audio", /Git LFS pointer.*git lfs pull/],
  [
    "a picture",
    { targetModel: model, audio: "picture.mp3" },
    "audio",
    /is PNG \(image\/png\); the service takes WAV, MP3 and MP4/,
  ],
  [
    "a recording that is too short",
    { targetModel: model, audio: "short.wav" },
    "audio",
    /is 9\.9 s long, shorter than the 10 s/,
  ],
  [
    "a recording that is too long",
    { targetModel: model, audio: "long.wav" },
    "audio",
    /is 20\.1 s long, longer than the 20 s/,
  ],
  [
    "a recording that is too large",
    { targetModel: model, audio: "large.wav" },
    "audio",
    /10\.7 MB once encoded; the service takes under 10 MB/,
  ],
  ["an invalid URL", { targetModel: model, audio: "https:// example" }, "audio", /is not a valid URL/],
  [
    "a URL of another protocol",
    { targetModel: model, audio: "ftp://example.com/a.wav" },
    "audio",
    /ftp:\/\/ URL; the service fetches http\(s\) only/,
  ],
  [
    "a URL with a password, which the engine must not print with the property",
    { targetModel: model, audio: "https://user:UklGR@example.com/a.wav" },
    "",
    /^audio has credentials in its URL/,
  ],
  ["a data URL", { targetModel: model, audio: "data:audio/wav;base64,UklGRkNBTkFSWQ" }, "audio", /is a data URL/],
  [
    "an object as a trigger",
    { targetModel: model, audio: "a.wav", triggers: [{}] },
    "triggers[0]",
    /must be a text, a number or a boolean/,
  ],
  ["no inputs", {}, "audio", /is required/],
])("%s is rejected at its property, without a call to the service", async (_, inputs, property, message) => {
  const emulator = await emulate();
  const { failures } = await newOperation(emulator).voice.check({}, { ...inputs, identity }, new Set());
  expect(failures).toContainEqual({ property, reason: expect.stringMatching(message) as unknown });
  expect(JSON.stringify(failures)).not.toContain("UklGR");
  expect(emulator.ledger()).toEqual([]);
});

test("a recording over 10,000,000 bytes and under 10 MiB, once encoded, is a warning: the service decides", async () => {
  const { voice, lines } = newOperation(await emulate());
  const inputs = { targetModel: model, audio: "rather-large.wav", identity };
  expect((await voice.check({}, inputs, new Set())).failures).toEqual([]);
  expect(lines.join()).toMatch(
    /rather-large\.wav is 7\.7 MB, 10\.2 MB once encoded; the service takes under 10 MB, and may/,
  );

  const hidden = newOperation(await emulate());
  await hidden.voice.check({}, { ...inputs, secretInputs: ["audio"] }, new Set());
  expect(hidden.lines.join()).toMatch(/the audio file is 7\.7 MB/);
});
