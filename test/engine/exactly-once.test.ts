import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { counted, Stack } from "../support/stack";

/**
 * A voice is billed once, whatever the user or a crash does to a run. The decisions are tested in
 * test/pulumi/voice-kept.test.ts; aliases and renames of stacks in moves.test.ts.
 */

const inputs = `{ targetModel: model, audio: "a.wav" }`;
const idsOf = (emulator: Emulator) =>
  emulator
    .voices()
    .map(({ voice }) => voice)
    .sort();
const held = async (stack: Stack) => (await stack.resources()).map(({ id }) => id).sort();

test("equal resources, also under components of different types, have a voice each, and keep it when names change", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const program = `
    new cv.CloudVoice("v", ${inputs});
    new cv.CloudVoice("w", ${inputs});
    for (const type of ["my:index:One", "my:index:Two"]) {
      const parent = new pulumi.ComponentResource(type, "parent");
      new cv.CloudVoice("v", ${inputs}, { parent });
    }`;
  await stack.ok(stack.program(program).up());
  const voices = idsOf(emulator);
  expect(new Set(voices).size).toBe(4);

  // Another state with the same project and stack, and a namespace of its own.
  const theirs = await Stack.create(emulator, { CLOUDVOICE_NAMESPACE: "them" });
  await theirs.ok(theirs.program(`new cv.CloudVoice("v", ${inputs});`).up());
  expect(emulator.summary().voicesBilled).toBe(5);
  await theirs.ok(theirs.destroy());

  // A change of the namespace, of the stack's name, and of the rule that generates names.
  stack.env.CLOUDVOICE_NAMESPACE = "another";
  await stack.ok(stack.pulumi("stack", "rename", "other"));
  const older = (await stack.state())
    .replaceAll('"nameVersion": 1', '"nameVersion": 0')
    .replaceAll(/"preferredName": "\w+"/g, '"preferredName": "v_of_old"');
  await stack.setState(older);
  const run = await stack.ok(stack.program(`${program} new cv.CloudVoice("x", ${inputs});`).up("--refresh"));
  expect(counted(run, "created")).toBe(1);
  expect(emulator.summary().voicesBilled).toBe(6);
  expect(idsOf(emulator)).toEqual(expect.arrayContaining(voices));
  expect(await held(stack)).toEqual(idsOf(emulator));
});
