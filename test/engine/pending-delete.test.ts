import { emulate } from "../support/emulate";
import { isSet, said, Stack, typeOf } from "../support/stack";
import { listed } from "../support/held";

/**
 * A replacement that is interrupted between its create and its delete leaves the old copy of the resource in the state,
 * marked for deletion. More cases are in test/pulumi/held-voices.test.ts.
 */

/** Adds old copies to the state, marked for deletion: `v`'s holds the same voice, and `w`'s another one. */
async function leaveOldCopies(stack: Stack, voiceOfW: string): Promise<void> {
  const state = JSON.parse(await stack.state()) as { deployment: { resources: { urn: string; id?: string }[] } };
  const { resources } = state.deployment;
  const live = (name: string) => resources.find(({ urn }) => urn.endsWith(`::${name}`))!;
  const copies = [live("v"), { ...live("w"), id: voiceOfW }].map((copy) => ({ ...copy, delete: true }));
  resources.push(...copies);
  await stack.setState(JSON.stringify(state));
}

test("an old copy goes without the voice that its resource keeps, through a target, an alias and destroy --run-program", async () => {
  if (isSet()) return; // a set has no old copies: it replaces its entries itself
  const emulator = await emulate();
  const stack = await Stack.create(emulator, { CLOUDVOICE_SETTLE_SECONDS: "0.5" });
  const inputs = `{ targetModel: model, audio: "a.wav" }`;
  const both = `for (const name of ["v", "w"]) new cv.CloudVoice(name, ${inputs});`;
  await stack.ok(stack.program(both).up());
  const before = listed(emulator);
  const w = (await stack.resources()).find(({ urn }) => urn.endsWith("::w"));
  const preferredName = String(w?.outputs?.preferredName);
  const [ofAnother = ""] = emulator.seedVoices("default", 1, { preferredName });
  await leaveOldCopies(stack, ofAnother);

  stack.program(`
    new cv.CloudVoice("renamed", ${inputs}, { aliases: [{ name: "v" }] });
    new cv.CloudVoice("w", ${inputs});`);
  const urn = (name: string) => `urn:pulumi:dev::program::${typeOf("CloudVoice")}::${name}`;
  const former = await stack.ok(stack.up("--target", urn("w"), "--target", urn("v")));
  expect(said(former, "not deleting the voice ")).toBe(1);
  expect(listed(emulator)).toEqual(before);

  await leaveOldCopies(stack.program(both), ofAnother);
  await stack.ok(stack.destroy("--run-program"));
  expect(listed(emulator)).toEqual([]);
  expect(await stack.resources()).toEqual([]);
});
