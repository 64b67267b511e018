import { emulate } from "../support/emulate";
import { said, Stack, testOfVoices, typeOf } from "../support/stack";

/**
 * A replacement that is interrupted between its create and its delete leaves the old copy of the resource in the state,
 * marked for deletion. More cases are in test/pulumi/old-copies.test.ts.
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

testOfVoices(
  "an old copy goes without the voice that its resource keeps, through targets, an alias and destroy --run-program",
  async () => {
    const emulator = await emulate();
    const stack = await Stack.create(emulator);
    const inputs = `{ targetModel: model, audio: "a.wav" }`;
    const target = (name: string) => ["--target", `urn:pulumi:dev::program::${typeOf("CloudVoice")}::${name}`];
    const voices = () =>
      emulator
        .voices()
        .map(({ voice }) => voice)
        .sort();
    await stack.ok(stack.program(`for (const name of ["v", "w"]) new cv.CloudVoice(name, ${inputs});`).up());
    const before = voices();
    const w = (await stack.resources()).find(({ urn }) => urn.endsWith("::w"));
    const preferredName = String(w?.outputs?.preferredName);
    const [ofAnother = ""] = emulator.seedVoices("default", 1, { preferredName });
    await leaveOldCopies(stack, ofAnother);

    stack.program(`
    new cv.CloudVoice("renamed", ${inputs}, { aliases: [{ name: "v" }] });
    new cv.CloudVoice("w", ${inputs});`);
    await stack.ok(stack.up(...target("w")));
    expect(voices()).toEqual(before);
    const former = await stack.ok(stack.up(...target("v")));
    expect(said(former, "not deleting the voice ")).toBe(1);
    expect(voices()).toEqual(before);

    await leaveOldCopies(
      stack.program(`for (const name of ["v", "w"]) new cv.CloudVoice(name, ${inputs});`),
      ofAnother,
    );
    await stack.ok(stack.destroy("--run-program"));
    expect(voices()).toEqual([]);
    expect(await stack.resources()).toEqual([]);
  },
);
