import { emulate } from "../support/emulate";
import { counted, Stack } from "../support/stack";
import { resourceNamed } from "./yaml-stack";

/** `pulumi-cloudvoice/native`. What both kinds of classes do, `CLOUDVOICE_FACE=native npx jest test/engine` tests with these. */
process.env.CLOUDVOICE_FACE = "native";

test("accounts by providers: classes, catalogs and functions; keys by envVarMappings stay out of the state", async () => {
  const emulator = await emulate({ accounts: { studio: "studio-key", other: "other-key" } });
  const stack = await Stack.create(emulator, { CLOUDVOICE_API_KEY: "", CLOUDVOICE_BASE_URL: "" });
  const mapped = stack.with({ STUDIO_KEY: "studio-key", OTHER_KEY: "other-key", THE_URL: emulator.url });
  mapped.program(`
    const provider = (name) => new cv.Provider(name, { voiceQuota: 5 }, { envVarMappings: {
      [name.toUpperCase() + "_KEY"]: "CLOUDVOICE_API_KEY", THE_URL: "CLOUDVOICE_BASE_URL" } });
    const [studio, other] = [provider("studio"), provider("other")];
    const narrator = new cv.CloudVoice("narrator", { targetModel: model, audio: "c.m4a" }, { provider: other });
    const voices = { one: { audio: "a.wav" }, two: { audio: "b.mp3", text: narrator.voice } };
    const catalog = new cv.VoiceCatalog("voices", { voices, defaults: { targetModel: model } }, { provider: studio });
    exports.voices = cv.getVoicesOutput({}, { provider: studio, dependsOn: [catalog] });`);
  await mapped.ok(mapped.up());
  await mapped.ok(mapped.preview("--expect-no-changes"));
  const held = [emulator.voices("studio").length, emulator.voices("other").length];
  expect(held).toEqual([2, 1]);
  const { urn } = await resourceNamed(mapped, "narrator");
  expect((await resourceNamed(mapped, "voices-two")).dependencies).toEqual([urn]);
  const state = await mapped.state();
  for (const hidden of ["studio-key", "other-key"]) expect(state).not.toContain(hidden);
  expect((await mapped.outputs()).voices).toMatchObject({ total: 2, quota: 5, remaining: 3 });
});

test("`CloudVoice.get` is free, and holds nothing", async () => {
  const emulator = await emulate();
  const [byHand = ""] = emulator.seedVoices("default", 1, { preferredName: "by_hand" });
  const stack = await Stack.create(emulator);
  stack.program(`exports.read = cv.CloudVoice.get("read", "${byHand}").voice;`);
  await stack.ok(stack.up());
  expect((await stack.outputs()).read).toBe(byHand);
  await stack.ok(stack.destroy());
  expect(emulator.voices()).toMatchObject([{ voice: byHand }]);
  expect(emulator.summary().voicesBilled).toBe(0);
});

test("the voices of a catalog are resources: their outputs, their secrets, and what depends on one of them", async () => {
  const stack = await Stack.create(await emulate());
  const declare = (more: string, audioOfTwo = "b.mp3") =>
    stack.program(`
      const catalog = new cv.VoiceCatalog("voices", { defaults: { targetModel: model }, voices: {
        one: { audio: new pulumi.asset.FileAsset("a.wav"), text: pulumi.secret("hush") }, two: { audio: "${audioOfTwo}" }, ${more} } });
      const { one, two } = catalog.voices;
      new cv.CloudVoice("after", { targetModel: model, audio: "c.m4a", triggers: [two.voice] }, { dependsOn: one });
      Object.assign(exports, { voice: one.voice, id: one.id, model: two.targetModel, text: one.text });
      Object.assign(exports, { seconds: two.audioSeconds, manifest: catalog.manifest,
        are: [cv.CloudVoice.isInstance(one), pulumi.CustomResource.isInstance(two)] });
      ${more && "exports.three = catalog.voices.three.voice;"}`);
  const first = await stack.ok(declare("").preview());
  expect(first.output).toMatch(/voice *: \[unknown\]/);
  // What the program declares is known before the voice is there.
  expect(first.output).toMatch(/model *: "svc3-tts-vc-2026-01-22"/);
  await stack.ok(stack.up());
  const outputs = await stack.outputs();
  const encrypted = { ciphertext: expect.any(String) as string };
  const [one, two] = [await resourceNamed(stack, "voices-one"), await resourceNamed(stack, "voices-two")];
  expect(outputs).toMatchObject({ voice: one.id, id: one.id, text: encrypted, seconds: 14.258, are: [true, true] });
  const { dependencies } = await resourceNamed(stack, "after");
  expect(dependencies).toEqual(expect.arrayContaining([one.urn, two.urn]));

  const more = await stack.ok(declare(`three: { audio: "b.mp3", text: "x" }`).preview());
  expect(counted(more, "create")).toBe(1);
  expect(more.output).toMatch(/three *: \[unknown\]/);
  // What exists is known.
  expect(more.output).not.toMatch(/ voice *: /);
  // A preview names what the program says.
  const changed = await stack.ok(declare("", "c.m4a").preview());
  expect(changed.output).toMatch(/voices-two replace \[diff: ~audio\]/);
});
