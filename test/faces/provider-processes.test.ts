import { Stack as AnyStack } from "../../tools/stack";
import { emulate } from "../support/emulate";
import { listed } from "../support/held";
import { Stack } from "../support/stack";

/**
 * One operation with two provider processes: classes and plugin in one program. Each process knows its own calls only, and
 * has read the states at a time of its own. test/simulation has lives with two processes.
 */

test("a class `x` and a plugin resource `y` beside it have a voice each", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  AnyStack.writeProject(stack.folder, "program", { native: true });
  const voices = async () => (await stack.resources()).map(({ id = "" }) => id);
  const inputs = `{ targetModel: model, audio: "a.wav" }`;
  const ofClass = `new cv.CloudVoice("x", ${inputs});`;
  await stack.ok(stack.program(ofClass).up());
  const [mine = ""] = await voices();
  stack.program(`${ofClass} new pulumi.CustomResource("cloudvoice:index:CloudVoice", "y", ${inputs});`);
  await stack.ok(stack.up());
  expect(await voices()).toContain(mine);
  expect((await voices()).sort()).toEqual(listed(emulator));
  expect(listed(emulator)).toHaveLength(2);
  await stack.ok(stack.preview("--expect-no-changes"));
});
