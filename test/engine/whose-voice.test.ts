import { asked } from "../support/asked";
import { emulate } from "../support/emulate";
import { held, listed } from "../support/held";
import { Stack } from "../support/stack";

/**
 * Whose a voice is, on the real engine: voices of a person, of another stack and of another backend in one account.
 * test/lifecycle has each case with the simulated engine.
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

test("in a full account, a preview refuses the replacement of an adopted voice, because that voice stays", async () => {
  const emulator = await emulate();
  const [voice = ""] = emulator.seedVoices("default", 1000, { preferredName: "take_2english" });
  const stack = (await Stack.create(emulator, settings)).program(narrator(`, adopt: "${voice}"`));
  await stack.ok(stack.up());
  const refused = await stack.program(narrator().replace("a.wav", "b.mp3")).preview();
  expect(refused.output).toMatch(/has 1000 voices.* needs 1001 at its peak; the quota is 1000/);
  expect([refused.code === 0, emulator.summary().voicesBilled]).toEqual([false, 0]);
});

test("two backends have one project and stack: the second is asked, and pays for its own with a namespace", async () => {
  const emulator = await emulate();
  const [here, there] = await Promise.all([Stack.create(emulator, settings), Stack.create(emulator, settings)]);
  await here.ok(here.program(narrator()).up());
  const [mine] = listed(emulator);
  await asked(there, "take", there.program(narrator()).up());
  expect(emulator.summary().voicesBilled).toBe(1);
  const own = there.with({ CLOUDVOICE_NAMESPACE: "there" });
  await own.ok(own.up());
  await own.ok(own.destroy());
  expect([emulator.summary().voicesBilled, listed(emulator)]).toEqual([2, [mine]]);
});

test("prod adopts a voice that dev created: it is asked, and the destroy of dev deletes the voice", async () => {
  const emulator = await emulate();
  const [dev, prod] = await Promise.all([Stack.create(emulator), Stack.create(emulator, settings, "prod")]);
  await dev.ok(dev.program(narrator()).up());
  const [voice] = listed(emulator);
  const yes = await asked(prod, "take", prod.program(narrator(`, adopt: "${voice}"`)).up());
  await yes.ok(yes.up());
  expect([await held(prod), emulator.summary().voicesBilled]).toEqual([[voice], 1]);
  await dev.ok(dev.destroy());
  expect(listed(emulator)).toEqual([]);
});

test("a chosen name that a hand-made voice has: the resource pays for its own, and only that goes with it", async () => {
  const emulator = await emulate();
  const [voice = ""] = emulator.seedVoices("default", 1, { preferredName: "boss" });
  const stack = (await Stack.create(emulator, settings)).program(narrator(`, preferredName: "boss"`));
  const up = await stack.ok(stack.up());
  expect(up.output).toContain(`the account already has a voice named boss: ${voice}`);
  expect([emulator.summary().voicesBilled, await held(stack)]).toEqual([1, [expect.not.stringContaining(voice)]]);
  await stack.ok(stack.destroy("--refresh"));
  expect(listed(emulator)).toEqual([voice]);
});
