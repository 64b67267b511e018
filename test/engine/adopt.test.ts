import { emulate } from "../support/emulate";
import { said, Stack } from "../support/stack";
import { heldBy, listed } from "../support/held";

/**
 * Adopting an existing voice is free, and the state never refers to a voice that this program deleted. Here is what
 * takes a real engine; `test/pulumi/adoption.test.ts` has the rest.
 */

test("a voice is adopted free of charge, kept by --replace, handed over, and deleted only when it is replaced for good", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const [byHand = "", second = ""] = emulator.seedVoices("default", 2, { preferredName: "by_hand" });
  const voice = (name: string, fields = "", opts = "{}") =>
    `const ${name} = new cv.CloudVoice("${name}", { targetModel: model, audio: "a.wav", ${fields} }, ${opts});`;
  const adopting = (name: string, existing: string | undefined, opts?: string) =>
    voice(name, `adopt: ${JSON.stringify(existing)}`, opts);
  const deleteFirst = "{ deleteBeforeReplace: true }";

  await stack.ok(stack.program(adopting("v", byHand) + adopting("w", second, deleteFirst) + voice("own")).up());
  const before = await heldBy(stack);
  expect(before).toMatchObject({ v: byHand, w: second });
  const voices = listed(emulator);
  expect(voices).toHaveLength(3);

  // A forced replacement reuses each voice, in whichever order the engine deletes and creates.
  const urns = (await stack.resources()).map(({ urn }) => urn);
  const replaced = await stack.ok(stack.up(...urns.flatMap((urn) => ["--replace", urn])));
  expect(said(replaced, `the voice ${before.own ?? ""} is kept: it was made for this resource`)).toBe(1);
  expect([await heldBy(stack), listed(emulator)]).toEqual([before, voices]);

  // A voice that a resource keeps is not taken from it, also if `--target` leaves that out, so that nothing calls it.
  const heir = urns.find((urn) => urn.endsWith("::own"))?.replace(/own$/, "heir") ?? "";
  stack.program(adopting("heir", before.own) + voice("own"));
  const targeted = await stack.up("--target", heir);
  expect(targeted.code).not.toBe(0);
  expect(targeted.output).toMatch(
    new RegExp(`own(\\.\\w+)? of the stack organization/program/dev holds the voice ${before.own}`),
  );
  expect(await heldBy(stack)).toEqual(before);

  // Without adopt, `w` keeps its voice. `heir` takes that of `own` over, and `v` gets another recording.
  stack.program(voice("v").replace("a.wav", "b.mp3") + voice("w", "", deleteFirst) + adopting("heir", before.own));
  await stack.ok(stack.up());
  const after = await heldBy(stack);
  expect(after).toEqual({ v: expect.any(String) as string, w: second, heir: before.own });
  expect(after.v).not.toBe(byHand);
  expect(listed(emulator)).toEqual(Object.values(after).sort());
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2 });
  await stack.ok(stack.preview("--expect-no-changes"));
});
