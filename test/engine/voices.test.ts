import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../provider/src/emulator";
import { recordings } from "../support/files";
import { emulate } from "../support/emulate";
import { counted, said, Stack } from "../support/stack";

/** Creates, changes and deletes voices on the real engine. The assertions read what the service received. */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate();
  stack = await Stack.create(emulator);
});

const two = `
  new cv.CloudVoice("narrator", { targetModel: model, audio: "a.wav", language: "en", text: "Welcome." });
  new cv.CloudVoice("support", { targetModel: model, audio: "b.mp3" });
`;
const calls = (action: "create" | "list" | "delete") => emulator.summary().calls[action] ?? 0;

test("voices are created once, stay unchanged in preview, update and refresh, and are deleted", async () => {
  await stack.ok(stack.program(two).up());
  expect(emulator.voices().map((row) => row.language)).toEqual(expect.arrayContaining(["en", undefined]));
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2, charge: 0.02, calls: { create: 2 } });

  const second = await stack.ok(stack.preview("--expect-no-changes"));
  expect(counted(second, "unchanged")).toBe(3);
  await stack.ok(stack.up("--expect-no-changes"));
  await stack.ok(stack.refresh("--expect-no-changes"));
  await stack.ok(stack.preview("--refresh", "--expect-no-changes"));
  expect(calls("create")).toBe(2);

  await stack.ok(stack.destroy());
  expect(emulator.voices()).toEqual([]);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2, calls: { create: 2, delete: 2 } });
});

test("a destroy with --refresh deletes every voice", async () => {
  await stack.ok(stack.program(two).up());
  await stack.ok(stack.destroy("--refresh"));
  expect(emulator.voices()).toEqual([]);
});

test("a refresh of many voices makes one list call", async () => {
  await stack.ok(
    stack
      .program(`for (let i = 0; i < 12; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav" });`)
      .up(),
  );
  const before = calls("list");
  await stack.ok(stack.refresh());
  expect(calls("list") - before).toBe(1);
});

test("a changed recording replaces the voice; a moved recording does not", async () => {
  await stack.ok(stack.program(two).up());
  renameSync(join(stack.folder, "a.wav"), join(stack.folder, "moved.wav"));
  await stack.ok(stack.program(two.replace("a.wav", "moved.wav")).up());
  expect(emulator.summary().calls).toMatchObject({ create: 2 });
  expect((await stack.resources()).find((voice) => voice.urn.endsWith("narrator"))?.outputs?.audio).toBe("moved.wav");

  const old = emulator.voices().find((row) => row.language === "en")?.voice;
  copyFileSync(recordings.otherMp3, join(stack.folder, "moved.wav"));
  const preview = await stack.ok(stack.preview());
  expect(counted(preview, "replace")).toBe(1);
  await stack.ok(stack.up());
  expect(emulator.summary().calls).toMatchObject({ create: 3, delete: 1 });
  expect(emulator.voices().map((row) => row.voice)).not.toContain(old);
  expect((await stack.resources()).map((voice) => voice.id).sort()).toEqual(
    emulator
      .voices()
      .map((row) => row.voice)
      .sort(),
  );
});

test("up --refresh recreates a voice that was deleted outside Pulumi", async () => {
  await stack.ok(stack.program(two).up());
  const gone = emulator.voices()[0]?.voice ?? "";
  emulator.vanish("default", gone);
  const run = await stack.ok(stack.up("--refresh"));
  expect(said(run, `${gone} no longer exists`)).toBe(1);
  expect(emulator.voices()).toHaveLength(2);
  expect(calls("create")).toBe(3);
});

test("a destroy succeeds when the voices have already been deleted", async () => {
  await stack.ok(stack.program(two).up());
  for (const { voice } of emulator.voices()) emulator.vanish("default", voice);
  await stack.ok(stack.destroy());
});

test("a degraded voice is reported once and marked in the state", async () => {
  const poor = await emulate({ degradeEvery: 1 });
  const here = await Stack.create(poor);
  const run = await here.ok(
    here.program(`new cv.CloudVoice("narrator", { targetModel: model, audio: "a.wav" });`).up(),
  );
  expect(said(run, "is degraded")).toBe(1);
  expect((await here.resources())[0]?.outputs).toMatchObject({ degraded: true, degradedReason: "noisy audio" });
});

test("a refresh whose list call fails is an error and keeps the state", async () => {
  await stack.ok(stack.program(two).up());
  const savedVoices = async () => (await stack.resources()).map(({ id, inputs, outputs }) => ({ id, inputs, outputs }));
  const before = await savedVoices();
  emulator.setFaults([{ kind: "500", on: ["list"] }]);
  stack.env.CLOUDVOICE_MAX_RETRIES = "1";
  const run = await stack.refresh();
  expect(run.code).not.toBe(0);
  expect(run.output).toMatch(
    /listing the account's voices failed: An internal error has occurred \(HTTP 500, InternalError, request id/,
  );
  expect(run.output).not.toMatch(/\n\s+at /);
  expect(await savedVoices()).toEqual(before);
});

test("the state holds no audio data, no data URL and no absolute path", async () => {
  const absolute = JSON.stringify(join(stack.folder, "a.wav"));
  await stack.ok(stack.program(`new cv.CloudVoice("narrator", { targetModel: model, audio: ${absolute} });`).up());
  const [voice] = await stack.resources();
  expect(voice?.inputs).toMatchObject({
    audio: "a.wav",
    audioSha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
  });
  expect(JSON.stringify(voice)).not.toMatch(/base64|data:|\/tmp\//);
});

test("audio can be an asset or an Output that preview does not know yet", async () => {
  const run = await stack.ok(
    stack
      .program(
        `
        const first = new cv.CloudVoice("first", { targetModel: model, audio: new pulumi.asset.FileAsset("a.wav") });
        const remote = new pulumi.asset.RemoteAsset("https://example.com/voice.wav");
        new cv.CloudVoice("remote", { targetModel: model, audio: remote });
        new cv.CloudVoice("later", { targetModel: model, audio: first.voice.apply(() => "b.mp3"), text: first.voice });
      `,
      )
      .pulumi("up", "--yes"),
  );
  expect(counted(run, "created")).toBe(4);
  expect((await stack.resources()).map((voice) => voice.inputs?.audio)).toEqual(
    expect.arrayContaining(["a.wav", "https://example.com/voice.wav", "b.mp3"]),
  );
  await stack.ok(stack.preview("--expect-no-changes"));
});
