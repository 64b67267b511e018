import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { Stack } from "../support/stack";

/** The ways in docs/teams.md to replace a voice while programs speak with it. */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate();
  stack = await Stack.create(emulator);
});
const listed = () => emulator.voices().map(({ voice }) => voice);
const speaking = async () => String((await stack.outputs()).speaking);

test("declare the new beside the old, move the readers, remove the old: the voice that is spoken with always exists", async () => {
  const step = async (entries: string, speaker: string) => {
    stack.program(`
      const catalog = new cv.VoiceCatalog("voices", { defaults: { targetModel: model }, voices: { ${entries} } });
      exports.speaking = catalog.manifest.apply((voices) => voices.${speaker}.voice);`);
    await stack.ok(stack.up());
    expect(listed()).toContain(await speaking());
    return speaking();
  };
  const [old, fresh] = [`narrator: { audio: "a.wav" }`, `narrator_2: { audio: "b.mp3" }`];
  const before = await step(old, "narrator");
  expect(await step(`${old}, ${fresh}`, "narrator")).toBe(before);
  expect(await step(`${old}, ${fresh}`, "narrator_2")).not.toBe(before);
  // Programs that read the output earlier still speak.
  expect(listed()).toContain(before);
  await step(fresh, "narrator_2");
  expect(listed()).toEqual([await speaking()]);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2 });
});

test("retainOnDelete, set in an earlier update, keeps the old voice; a way back to it costs nothing", async () => {
  const update = async (audio: string, options: string) => {
    stack.program(`
      const voices = { narrator: { targetModel: model, audio: "${audio}" } };
      exports.speaking = new cv.VoiceCatalog("voices", { voices }, ${options}).voices.narrator.voice;`);
    await stack.ok(stack.up());
    return speaking();
  };
  await update("a.wav", "{}");
  // The engine goes by the option in the state.
  const first = await update("b.mp3", "{ retainOnDelete: true }");
  expect(listed()).toEqual([first]);
  const second = await update("c.m4a", "{ retainOnDelete: true }");
  expect(listed()).toEqual([second, first]);
  expect(await update("b.mp3", "{ retainOnDelete: true }")).toBe(first);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 3 });
  await stack.ok(stack.destroy());
  expect(listed()).toEqual([second, first]);
});
