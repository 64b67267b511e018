import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../provider/src/emulator";
import { recordings } from "../support/files";
import { emulate } from "../support/emulate";
import { Stack } from "../support/stack";

/** Adopting an existing voice is free, and the state never refers to a voice that this program deleted. */

let emulator: Emulator;
let stack: Stack;
let byHand: string;
beforeEach(async () => {
  emulator = await emulate();
  stack = await Stack.create(emulator);
  [byHand = ""] = emulator.seedVoices("default", 1, { preferredName: "by_hand" });
});

const declare = (fields: string) =>
  stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "a.wav", ${fields} });`);
const idInState = async () => (await stack.resources())[0]?.id;
const voices = () => emulator.voices().map((row) => row.voice);
const adopted = () => declare(`adopt: ${JSON.stringify(byHand)}`);

test("adopting a voice is free, and removing adopt later changes nothing", async () => {
  await stack.ok(adopted().up());
  expect((await stack.resources())[0]).toMatchObject({ id: byHand, outputs: { adopted: true } });
  await stack.ok(stack.preview("--expect-no-changes"));

  await stack.ok(declare("").up());
  expect(await idInState()).toBe(byHand);
  await stack.ok(stack.up("--refresh"));
  expect(voices()).toEqual([byHand]);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 0, charge: 0 });
});

test("a change that would replace an adopted voice fails at preview until adopt is removed", async () => {
  await stack.ok(adopted().up());
  copyFileSync(recordings.otherMp3, join(stack.folder, "a.wav"));
  const run = await stack.preview();
  expect(run.code).not.toBe(0);
  expect(run.output).toMatch(/audioSha256 changed: .*take adopt out/);

  await stack.ok(declare("").up());
  expect(voices()).toEqual([await idInState()]);
  expect(voices()).not.toContain(byHand);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 1 });
});

test("--replace keeps an adopted voice", async () => {
  await stack.ok(adopted().up());
  const [{ urn } = { urn: "" }] = await stack.resources();
  await stack.ok(stack.up("--replace", urn));
  expect([await idInState()]).toEqual(voices());
  expect(voices()).toEqual([byHand]);
});

test("--replace with deleteBeforeReplace keeps an adopted voice", async () => {
  const inputs = `{ targetModel: model, audio: "a.wav", adopt: ${JSON.stringify(byHand)} }`;
  stack.program(`new cv.CloudVoice("v", ${inputs}, { deleteBeforeReplace: true });`);
  await stack.ok(stack.up());
  const [{ urn } = { urn: "" }] = await stack.resources();
  await stack.ok(stack.up("--replace", urn));
  expect([await idInState()]).toEqual(voices());
  expect(voices()).toEqual([byHand]);
});

test("two resources cannot share a voice", async () => {
  stack.program(`
    const first = new cv.CloudVoice("first", { targetModel: model, audio: "a.wav" });
    new cv.CloudVoice("second", { targetModel: model, audio: "a.wav", adopt: first.voice });`);
  const run = await stack.up();
  expect(run.code).not.toBe(0);
  expect(run.output).toMatch(/belongs to another resource of this stack/);
});

test.each(["before", "after"])(
  "preview rejects the adoption of a voice that another resource keeps, when declared %s that resource",
  async (place) => {
    await stack.ok(stack.program(`new cv.CloudVoice("kept", { targetModel: model, audio: "a.wav" });`).up());
    const kept = `const kept = new cv.CloudVoice("kept", { targetModel: model, audio: "a.wav" });`;
    const heldVoice = JSON.stringify(voices().find((voice) => voice !== byHand));
    const adopting = (opts: string) =>
      `new cv.CloudVoice("adopting", { targetModel: model, audio: "a.wav", adopt: ${heldVoice} }, ${opts});`;
    stack.program(
      place === "after"
        ? `${kept} ${adopting("{ dependsOn: kept }")}`
        : `${adopting("{}")} setTimeout(() => { ${kept} }, 1000);`,
    );
    const run = await stack.preview();
    expect(run.code).not.toBe(0);
    expect(run.output).toMatch(/belongs to another resource of this stack; two resources can't share a voice/);
  },
);

test("setting adopt on an existing resource changes nothing and logs a warning", async () => {
  await stack.ok(declare("").up());
  const id = await idInState();
  const run = await stack.ok(adopted().up());
  expect(run.output).toMatch(/changes nothing: it is read when a resource is created/);
  expect(await idInState()).toBe(id);
  expect(voices()).toContain(byHand);
});

test("a voice is handed over to the resource that adopts it, and not deleted with the old resource", async () => {
  await stack.ok(stack.program(`new cv.CloudVoice("old", { targetModel: model, audio: "a.wav" });`).up());
  const held = await idInState();
  await stack.ok(
    stack
      .program(`new cv.CloudVoice("new", { targetModel: model, audio: "a.wav", adopt: ${JSON.stringify(held)} });`)
      .up(),
  );
  expect(await idInState()).toBe(held);
  expect(voices()).toContain(held);
});

test("adopt rejects a voice that does not exist or is bound to another model, and names it", async () => {
  const none = await declare(`adopt: "svc-tts-vc-none-voice-1"`).preview();
  expect(none.output).toMatch(
    /property adopt value \{svc-tts-vc-none-voice-1\} has a problem: the account has no voice svc-tts-vc-none-voice-1/,
  );
  const [other = ""] = emulator.seedVoices("default", 1, { targetModel: "svc3-tts-vc-realtime-2026-01-15" });
  const bound = await declare(`adopt: ${JSON.stringify(other)}`).preview();
  expect(bound.output).toContain("is bound to svc3-tts-vc-realtime-2026-01-15");
  expect(emulator.summary()).toMatchObject({ voicesBilled: 0 });
});

test("a text that preview does not know yet is checked against the adopted voice by the update", async () => {
  const program = (trigger: number, text: string) =>
    stack.program(`
      const w = new cv.CloudVoice("w", { targetModel: model, audio: "a.wav", triggers: [${trigger}] });
      const text = w.voice.apply(() => "${text}");
      new cv.CloudVoice("v", { targetModel: model, audio: "a.wav", text, adopt: ${JSON.stringify(byHand)} });`);
  await stack.ok(program(1, "Hello").up());
  await stack.ok(program(2, "Hello").preview());
  await stack.ok(program(2, "Hello").up());
  expect(voices()).toContain(byHand);
  expect((await program(3, "Good-bye").up()).output).toMatch(
    /text changed: that would pay for a new voice and delete the adopted one/,
  );
  expect(voices()).toContain(byHand);
});

test("--replace of a voice that this stack created reuses it, and deletes nothing", async () => {
  await stack.ok(declare("").up());
  const [{ urn, id } = { urn: "", id: "" }] = await stack.resources();
  const run = await stack.ok(stack.up("--replace", urn));
  expect(run.output).toMatch(/took the voice .* instead of paying for another/);
  expect(await idInState()).toBe(id);
  expect(voices()).toContain(id);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 1 });
});
