import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { killCommandLine, Stack } from "../support/stack";
import { until } from "../support/until";
import { heldBy, listed } from "../support/held";

/**
 * A voice that a resource holds is never taken and never deleted, although another resource has a claim by its name.
 * Here is a kill of the real engine. `test/pulumi/held-voices.test.ts` has the rest.
 */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate();
  stack = await Stack.create(emulator);
});

const voice = (name: string, options = "{}") =>
  `new cv.CloudVoice("${name}", { targetModel: model, audio: "a.wav" }, ${options});`;

/** Every resource has a voice of its own, and the account has no other. */
async function expectOneEach(...names: string[]): Promise<void> {
  const voices = await heldBy(stack);
  expect(Object.keys(voices).sort()).toEqual(names.sort());
  expect(Object.values(voices).sort()).toEqual(listed(emulator));
}

test("`old` is renamed, and a new `old` comes in an update that is killed: neither it nor the next one takes the voice", async () => {
  const ren = voice("ren", `{ aliases: [{ name: "old" }] }`);
  await stack.ok(stack.program(voice("old")).up());
  await stack.ok(stack.program(ren).up());
  const [before] = listed(emulator);
  const preview = await stack.ok(stack.program(voice("old") + ren).preview());
  expect(preview.output).toMatch(
    /ren of the stack organization\/program\/dev holds it: this resource gets a voice of its own/,
  );
  expect(preview.output).not.toMatch(/replace/);

  const release = emulator.hold("create");
  const { child, done } = stack.start(["up", "--yes", "--skip-preview"]);
  await until(() => emulator.underWay("create") > 0);
  killCommandLine(child);
  release();
  await done;
  await stack.pulumi("cancel", "--yes");
  await stack.ok(stack.with({ CLOUDVOICE_SETTLE_SECONDS: "5", CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "5" }).up());
  await expectOneEach("old", "ren");
  expect((await heldBy(stack)).ren).toBe(before);
});
