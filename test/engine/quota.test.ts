import { emulate } from "../support/emulate";
import { said, Stack } from "../support/stack";

/**
 * Preview compares the planned voices with the quota of the account before anything is billed. More cases are in
 * test/pulumi/quota.test.ts.
 */

test("a preview over the quota fails once, with the numbers and the options; voices within it are counted once", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator, { CLOUDVOICE_VOICE_QUOTA: "5" });
  emulator.seedVoices("default", 3);
  stack.program('for (let i = 0; i < 4; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav" });');
  const run = await stack.preview();
  expect(run.code).not.toBe(0);
  expect(said(run, "the account is too small for this update")).toBe(1);
  expect(run.output).toMatch(
    /it has 3 voices, and with 3 to create so far the update needs 6 at its peak; the quota is 5\. .*deleteBeforeReplace.*voiceQuota.*quotaCheck/,
  );
  // One page, and the proof that it is the whole list.
  expect(emulator.summary().calls).toEqual({ list: 2 });

  // getVoices returns the voices and the quota of the account.
  stack.program(`
    const voices = ["v", "w"].map((name) => new cv.CloudVoice(name, { targetModel: model, audio: "a.wav" }));
    exports.account = cv.getVoicesOutput({}, { dependsOn: voices });
    exports.of = cv.getVoicesOutput({ targetModel: pulumi.output(model) }, { dependsOn: voices }).voices.length;
    exports.none = cv.getVoices({ targetModel: "other" }).then(({ voices, total }) => [voices.length, total]);`);
  await stack.ok(stack.up());
  expect(emulator.summary().voicesBilled).toBe(2);
  const createdAt = expect.any(String) as unknown;
  expect(await stack.outputs()).toMatchObject({
    account: { voices: [{ createdAt }, {}, {}, {}, {}], total: 5, quota: 5, remaining: 0 },
    of: 5,
    none: [0, 3],
  });
});

test("a catalog changes entry by entry, and its manifest lists what speech programs need", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const entries = {
    narrator: `{ audio: "a.wav", language: "en" }`,
    support: `{ audio: "b.mp3", targetModel: "svc3-tts-vc-realtime-2026-01-15" }`,
    guide: `{ audio: "c.m4a", language: undefined }`,
  };
  const catalog = (...keys: (keyof typeof entries)[]) =>
    stack.program(`
      const catalog = new cv.VoiceCatalog("voices", {
        defaults: { targetModel: model, language: "de" },
        voices: { ${keys.map((key) => `${key}: ${entries[key]}`).join(", ")} },
      });
      exports.manifest = catalog.manifest;
      exports.first = catalog.voices.narrator.voice;`);
  await stack.ok(catalog("narrator", "support").up());
  const before = await stack.outputs();
  expect(before.manifest).toEqual({
    narrator: {
      voice: expect.stringContaining("-voice-") as unknown,
      targetModel: "svc3-tts-vc-2026-01-22",
      language: "en",
    },
    support: { voice: expect.any(String) as unknown, targetModel: "svc3-tts-vc-realtime-2026-01-15", language: "de" },
  });

  await stack.ok(catalog("guide", "narrator").up());
  const { narrator } = before.manifest as Record<string, unknown>;
  expect(await stack.outputs()).toMatchObject({
    first: before.first,
    manifest: { narrator, guide: { language: "de" } },
  });
  expect(emulator.summary().calls).toMatchObject({ create: 3, delete: 1 });
  expect((await stack.resources()).map((resource) => resource.urn.split("::").at(-1)).sort()).toEqual([
    "voices",
    "voices-guide",
    "voices-narrator",
  ]);
});
