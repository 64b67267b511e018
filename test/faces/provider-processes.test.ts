import { Stack as AnyStack } from "../../tools/stack";
import { emulate } from "../support/emulate";
import { listed } from "../support/held";
import { Stack } from "../support/stack";

/**
 * One operation with two provider processes: classes and plugin in one program. Each process knows its own calls only, and
 * has read the states at a time of its own. test/simulation has lives with two processes.
 */

test("a class `x` and a plugin resource `x` beside it have a voice each, and a state in which they share one is mended", async () => {
  const emulator = await emulate();
  // A young voice that is missing is looked for during this time.
  const stack = await Stack.create(emulator, {
    CLOUDVOICE_SETTLE_SECONDS: "0",
    CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "5",
  });
  AnyStack.writeProject(stack.folder, "program", { native: true });
  const voices = async () => (await stack.resources()).map(({ id = "" }) => id);
  const inputs = `{ targetModel: model, audio: "a.wav" }`;
  const ofClass = `new cv.CloudVoice("x", ${inputs});`;
  await stack.ok(stack.program(ofClass).up());
  const [mine = ""] = await voices();
  stack.program(`${ofClass} new pulumi.CustomResource("cloudvoice:index:CloudVoice", "x", ${inputs});`);
  await stack.ok(stack.up());
  const other = (await voices()).find((id) => id !== mine) ?? "";
  expect(listed(emulator)).toEqual([mine, other].sort());

  // As an earlier release left it.
  emulator.vanish("default", other);
  await stack.setState((await stack.state()).replaceAll(other, mine));
  const refresh = await stack.refresh();
  expect(refresh.code).not.toBe(0);
  expect(refresh.output).toContain(`two resources hold the voice ${mine}`);
  await stack.ok(stack.up());
  const after = await voices();
  expect([after.length, new Set(after).size]).toEqual([2, 2]);
  expect(listed(emulator)).toEqual(after.sort());
  await stack.ok(stack.preview("--expect-no-changes"));
});
