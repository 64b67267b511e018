import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beginningOf, put, recordings, wav } from "../support/files";
import { emulate } from "../support/emulate";
import { Stack } from "../support/stack";

/** Preview rejects inputs that the service would reject: all of them, per property, without a call or a stack trace. */

test("preview rejects every bad input at its property, without a call to the service", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const { folder } = stack;
  mkdirSync(join(folder, "folder.wav"));
  put(folder, "empty.wav", "");
  put(folder, "half.wav", beginningOf(recordings.wav, 0.9));
  put(folder, "half.m4a", beginningOf(recordings.m4a, 0.5));
  put(folder, "lfs.wav", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 659480\n");
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
  put(folder, "large.wav", wav(20, { rate: 96_000, channels: 2 }));

  const cases: [name: string, args: string, property: string, message: RegExp][] = [
    [
      "model",
      `{ targetModel: "svc3-tts-vc", audio: "a.wav" }`,
      "targetModel",
      /"svc3-tts-vc"; allowed: svc3-tts-vc-realtime-2026-01-15, .*extraTargetModels/,
    ],
    ["language", `{ targetModel: model, audio: "a.wav", language: "nl" }`, "language", /is "nl"; allowed: zh, en, de/],
    [
      "hyphen",
      `{ targetModel: model, audio: "a.wav", preferredName: "my-voice" }`,
      "preferredName",
      /"my-voice".*digits, letters/,
    ],
    [
      "lengthy",
      `{ targetModel: model, audio: "a.wav", preferredName: "a_name_of_seventeen"}`,
      "preferredName",
      /19 characters, 3 too many; allowed: 1 to 16/,
    ],
    ["missing", `{ targetModel: model, audio: "nowhere.wav" }`, "audio", /no such file/],
    ["folder", `{ targetModel: model, audio: "folder.wav" }`, "audio", /is a folder/],
    ["empty", `{ targetModel: model, audio: "empty.wav" }`, "audio", /is an empty file/],
    ["halfwav", `{ targetModel: model, audio: "half.wav" }`, "audio", /is cut short: \d+ of \d+ bytes/],
    ["halfm4a", `{ targetModel: model, audio: "half.m4a" }`, "audio", /is cut short/],
    ["lfs", `{ targetModel: model, audio: "lfs.wav" }`, "audio", /Git LFS pointer.*git lfs pull/],
    [
      "picture",
      `{ targetModel: model, audio: "picture.mp3" }`,
      "audio",
      /is a file of an unknown kind; the service takes WAV, MP3 and MP4/,
    ],
    ["short", `{ targetModel: model, audio: "short.wav" }`, "audio", /is 9\.9 s long, shorter than the 10 s/],
    ["long", `{ targetModel: model, audio: "long.wav" }`, "audio", /is 20\.1 s long, longer than the 20 s/],
    [
      "large",
      `{ targetModel: model, audio: "large.wav" }`,
      "audio",
      /10\.2 MB once encoded; the service takes under 10 MB/,
    ],
    ["nourl", `{ targetModel: model, audio: "https:// example" }`, "audio", /is not a valid URL/],
    [
      "ftp",
      `{ targetModel: model, audio: "ftp://example.com/a.wav" }`,
      "audio",
      /ftp:\/\/ URL; the service fetches http\(s\) only/,
    ],
    ["dataurl", `{ targetModel: model, audio: "data:audio/wav;base64,UklGRkNBTkFSWQ" }`, "audio", /is a data URL/],
    [
      "triggers",
      `{ targetModel: model, audio: "a.wav", triggers: [{}] }`,
      "triggers",
      /must be a text, a number or a boolean/,
    ],
    ["nothing", `{}`, "audio", /is required/],
  ];
  const programs = cases.map(([name, args]) => `${name}: () => new cv.CloudVoice("v", ${args})`);
  stack.program(`({ ${programs.join(",\n")} })[process.env.CASE]();`);
  // The engine stops a preview at the first resource that is not valid, so each case has a preview of its own.
  await concurrently(3, cases, async ([name, , property, message]) => {
    const run = await stack.with({ CASE: name }).preview();
    const output = `${name}: ${run.output.replace(/\s+/g, " ")}`;
    expect(run.code).not.toBe(0);
    expect(output).toMatch(message);
    expect(output).toContain(`property ${property}`);
    expect(run.output).not.toMatch(/\n\s+at |UklGR/);
  });
  expect(emulator.ledger()).toEqual([]);
});

/** Runs the work for every item, for at most `limit` items concurrently. */
async function concurrently<T>(limit: number, items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}

test("preview reports all bad inputs of a voice together", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const run = await stack
    .program(`new cv.CloudVoice("v", { targetModel: "x", audio: "y", preferredName: "z-z", language: "nl" });`)
    .preview();
  for (const property of ["targetModel", "audio", "preferredName", "language"])
    expect(run.output).toContain(`property ${property}`);
});

test("preview reports all bad settings together, each by the name to change", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator, {
    CLOUDVOICE_MAX_RETRIES: "many",
    CLOUDVOICE_BASE_URL: "http://example.com",
  });
  const run = await stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`).preview();
  expect(run.code).not.toBe(0);
  expect(run.output).toMatch(/CLOUDVOICE_MAX_RETRIES is "many"; it must be a whole number from 0/);
  expect(run.output).toMatch(/CLOUDVOICE_BASE_URL is "http:\/\/example.com": plain http would show the key/);
  expect(run.output).not.toMatch(/\n\s+at /);
});

test("a key in clear in the stack configuration is rejected with the command that encrypts it", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  await stack.ok(stack.pulumi("config", "set", "cloudvoice:apiKey", "sk-in-clear"));
  const run = await stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`).preview();
  expect(run.code).not.toBe(0);
  expect(run.output).toContain("pulumi config set --secret cloudvoice:apiKey");
  expect(run.output).not.toContain("sk-in-clear");
  expect(run.output).not.toMatch(/\n\s+at /);
});

test("import is rejected and points to adopt", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const run = await stack
    .program(`new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" }, { import: "some-voice" });`)
    .preview();
  expect(run.code).not.toBe(0);
  expect(run.output).toContain(`set adopt: "some-voice" instead`);
});
