import type { Props } from "../../provider/src/lifecycle/lifecycle";
import { emulate } from "../support/emulate";
import { copy, put, recordings, temporaryFolder, wav } from "../support/files";
import { newOperation } from "../support/operation";

/** A check rejects inputs that the service would reject, each at its property, without a call. */

const model = "svc3-tts-vc-2026-01-22";
const identity = { urn: "urn:pulumi:dev::p::t::v" };

const before = process.cwd();
const folder = temporaryFolder();
afterAll(() => process.chdir(before));
beforeAll(() => {
  process.chdir(folder);
  copy(recordings.wav, folder, "a.wav");
  put(folder, "short.wav", wav(9.9));
  put(folder, "rather-large.wav", wav(20, { rate: 96_000, channels: 2 }));
});

// The rules have the other inputs: test/rules/audio.test.ts, voice.test.ts; test/service/inspect.test.ts has the files.
test.each<[what: string, inputs: Props, property: string, message: RegExp]>([
  ["an unknown language", { audio: "a.wav", language: "nl" }, "language", /is "nl"; allowed: zh, en, de/],
  ["a recording that is too short", { audio: "short.wav" }, "audio", /is 9\.9 s long, shorter than the 10 s/],
  [
    "a URL with a password, which the engine must not print with the property",
    { audio: "https://user:UklGR@example.com/a.wav" },
    "",
    /^audio has credentials in its URL/,
  ],
  ["a data URL", { audio: "data:audio/wav;base64,UklGRkNBTkFSWQ" }, "audio", /is a data URL/],
])("%s is rejected at its property, without a call to the service", async (_, inputs, property, message) => {
  const emulator = await emulate();
  const { failures } = await newOperation(emulator).voice.check(
    {},
    { targetModel: model, ...inputs, identity },
    new Set(),
  );
  expect(failures).toContainEqual({ property, reason: expect.stringMatching(message) as unknown });
  expect(JSON.stringify(failures)).not.toContain("UklGR");
  expect(emulator.ledger()).toEqual([]);
});

test("a recording over 10,000,000 bytes and under 10 MiB, once encoded, is a warning: the service decides", async () => {
  const { voice, lines } = newOperation(await emulate());
  const inputs = { targetModel: model, audio: "rather-large.wav", identity };
  expect((await voice.check({}, inputs, new Set())).failures).toEqual([]);
  expect(lines.join()).toMatch(
    /rather-large\.wav is 7\.7 MB, 10\.2 MB once encoded; the service accepts less than 10 MB, and may/,
  );

  const hidden = newOperation(await emulate());
  await hidden.voice.check({}, { ...inputs, secretInputs: ["audio"] }, new Set());
  expect(hidden.lines.join()).toMatch(/the audio file is 7\.7 MB/);
});
