import { rmSync } from "node:fs";
import { join } from "node:path";
import { emulate } from "../support/emulate";
import { held, listed } from "../support/held";
import { Stack } from "../support/stack";

/**
 * Whose a voice is, on the real engine: two stacks of one account, and a state that was lost. test/lifecycle has each case
 * with the simulated engine.
 */

const settings = { CLOUDVOICE_SETTLE_SECONDS: "1" };
const narrator = (fields = "") => `new cv.CloudVoice("narrator", { targetModel: model, audio: "a.wav"${fields} });`;

test("dev and prod adopt one voice: a destroy of dev leaves it, and a new recording in prod leaves it too, and names it", async () => {
  const emulator = await emulate();
  const [voice = ""] = emulator.seedVoices("default", 1, { preferredName: "guide_english" });
  const [dev, prod] = await Promise.all([Stack.create(emulator, settings), Stack.create(emulator, settings)]);
  for (const stack of [dev, prod]) await stack.ok(stack.program(narrator(`, adopt: "${voice}"`)).up());
  const destroyed = await dev.ok(dev.destroy("--refresh"));
  expect(destroyed.output).toContain(`the voice ${voice} stays in the account: this stack adopted it`);
  expect(listed(emulator)).toEqual([voice]);
  await prod.ok(prod.preview("--expect-no-changes"));

  const replaced = await prod.ok(prod.program(narrator().replace("a.wav", "b.mp3")).up());
  expect(replaced.output).toContain(`pulumi-cloudvoice delete ${voice}`);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 1 });
  expect(listed(emulator)).toHaveLength(2);
});

test("a lost state that a preview has seen: asked once, and yes bills nothing; destroy --refresh then deletes it", async () => {
  const emulator = await emulate();
  const stack = (await Stack.create(emulator, settings)).program(narrator());
  await stack.ok(stack.up());
  await stack.ok(stack.preview("--expect-no-changes"));
  rmSync(join(stack.folder, ".local", "state", ".pulumi", "stacks"), { recursive: true });
  await stack.ok(stack.pulumi("stack", "init", "dev"));
  const asked = await stack.up();
  const [, id = ""] = /CLOUDVOICE_ACCEPT=(take-[0-9a-f]+)/.exec(asked.output) ?? [];
  await stack.ok(stack.with({ CLOUDVOICE_ACCEPT: id }).up());
  expect(await held(stack)).toEqual(listed(emulator));
  expect(emulator.summary()).toMatchObject({ voicesBilled: 1 });
  await stack.ok(stack.destroy("--refresh"));
  expect(listed(emulator)).toEqual([]);
});

test("up --refresh while the list is empty pays nothing and removes nothing, and asks", async () => {
  const emulator = await emulate();
  const stack = (await Stack.create(emulator, settings)).program(narrator());
  await stack.ok(stack.up());
  const before = await held(stack);
  const [voice = ""] = before;
  emulator.vanish("default", voice);
  const asked = await stack.up("--refresh");
  expect(asked.output).toMatch(/CLOUDVOICE_ACCEPT=missing-/);
  expect(await held(stack)).toEqual(before);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 1 });
});
