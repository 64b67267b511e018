import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { recordings } from "../support/files";
import { emulate } from "../support/emulate";
import { counted, Stack } from "../support/stack";
import { held, listed } from "../support/held";

/**
 * Creates, changes and deletes voices on the real engine. The assertions read what the service received. More cases are
 * in test/pulumi/voices.test.ts.
 */

test("voices are created once, stay unchanged, are replaced and created again where they must, and are deleted", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const two = (audio: string) =>
    stack.program(`
      new cv.CloudVoice("narrator", { targetModel: model, audio: ${JSON.stringify(audio)}, language: "en", text: "Welcome." });
      new cv.CloudVoice("support", { targetModel: model, audio: "b.mp3" });`);
  await stack.ok(two(join(stack.folder, "a.wav")).up());
  expect(emulator.voices().map((row) => row.language)).toEqual(expect.arrayContaining(["en", undefined]));
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2, charge: 0.02, calls: { create: 2 } });
  // It prints differences of inputs while it refreshes, and counts none.
  await stack.ok(stack.up("--refresh", "--run-program", "--expect-no-changes"));

  // The state holds no audio data, no data URL and no absolute path.
  const saved = await stack.state();
  expect(saved).toContain('"audio": "a.wav"');
  expect(saved).toMatch(/"audioSha256": "[0-9a-f]{64}"/);
  expect(saved).not.toMatch(/base64|data:|\/tmp\//);

  const before = listed(emulator);
  renameSync(join(stack.folder, "a.wav"), join(stack.folder, "moved.wav"));
  await stack.ok(two("moved.wav").up());
  expect([listed(emulator), emulator.summary().voicesBilled]).toEqual([before, 2]);

  copyFileSync(recordings.otherMp3, join(stack.folder, "moved.wav"));
  await stack.ok(stack.up());
  expect(emulator.summary().calls).toMatchObject({ create: 3, delete: 1 });
  expect(listed(emulator).filter((voice) => before.includes(voice))).toHaveLength(1);

  const [gone = ""] = listed(emulator);
  emulator.vanish("default", gone);
  // A young voice that is missing is looked for during this time.
  const run = await stack.ok(stack.with({ CLOUDVOICE_SETTLE_SECONDS: "0" }).up("--refresh"));
  expect(run.output).toContain(`${gone} no longer exists`);
  expect(emulator.summary().calls).toMatchObject({ create: 4 });
  expect(await held(stack)).toEqual(listed(emulator));

  await stack.ok(stack.destroy("--refresh"));
  expect(listed(emulator)).toEqual([]);
});

test("audio can be an asset or an Output that preview does not know yet", async () => {
  const stack = await Stack.create(await emulate());
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
});
