import { emulate } from "../support/emulate";
import { said, Stack, testOfVoices } from "../support/stack";

/**
 * Adopting an existing voice is free, and the state never refers to a voice that this program deleted. Here is what
 * takes a real engine; `test/pulumi/adoption.test.ts` has the rest.
 */

testOfVoices(
  "a voice is adopted free of charge, kept by --replace, handed over, and deleted only when it is replaced for good",
  async () => {
    const emulator = await emulate();
    const stack = await Stack.create(emulator);
    const [byHand = "", second = ""] = emulator.seedVoices("default", 2, { preferredName: "by_hand" });
    const voice = (name: string, fields = "", opts = "{}") =>
      `const ${name} = new cv.CloudVoice("${name}", { targetModel: model, audio: "a.wav", ${fields} }, ${opts});`;
    const adopting = (name: string, existing: string | undefined, opts?: string) =>
      voice(name, `adopt: ${JSON.stringify(existing)}`, opts);
    const held = async () => {
      const entries = (await stack.resources()).map(({ urn, id }) => [urn.split("::").at(-1), id] as const);
      return Object.fromEntries(entries) as Record<string, string | undefined>;
    };
    const listed = () =>
      emulator
        .voices()
        .map((row) => row.voice)
        .sort();
    const deleteFirst = "{ deleteBeforeReplace: true }";

    await stack.ok(
      stack.program(adopting("v", byHand) + adopting("w", second, deleteFirst) + voice("own", "", "{}")).up(),
    );
    const before = await held();
    expect(before).toMatchObject({ v: byHand, w: second });
    expect((await stack.resources()).map(({ outputs }) => outputs?.adopted).sort()).toEqual([false, true, true]);
    const voices = listed();
    expect(voices).toHaveLength(3);

    // A forced replacement reuses each voice, in whichever order the engine deletes and creates.
    const urns = (await stack.resources()).map(({ urn }) => urn);
    const replaced = await stack.ok(stack.up(...urns.flatMap((urn) => ["--replace", urn])));
    expect(said(replaced, `the voice ${before.own ?? ""} is kept: it was made for this resource`)).toBe(1);
    expect([await held(), listed()]).toEqual([before, voices]);

    // Without adopt, the voices stay.
    const mine = voice("own");
    await stack.ok(stack.program(voice("v") + voice("w", "", deleteFirst) + mine).up("--refresh"));
    expect([await held(), listed()]).toEqual([before, voices]);
    expect(emulator.summary()).toMatchObject({ voicesBilled: 1 });

    const conflict = await stack.program(mine + adopting("heir", before.own, "{ dependsOn: own }")).preview();
    expect(conflict.code).not.toBe(0);
    expect(conflict.output).toMatch(/belongs to another resource of this stack; two resources can't share a voice/);

    // Also if `--target` leaves `own` out, so that nothing calls it.
    const [base = ""] = urns.filter((urn) => urn.endsWith("::own"));
    const heir = base.replace(/own$/, "heir");
    for (const order of [mine + adopting("heir", before.own), adopting("heir", before.own) + mine]) {
      const targeted = await stack.program(order).up("--target", heir);
      expect(targeted.code).not.toBe(0);
      expect(targeted.output).toContain(`own of the stack organization/program/dev holds the voice ${before.own}`);
    }
    expect(await held()).toEqual(before);

    // `heir` takes the voice of `own` over, and `v` gets another recording.
    stack.program(voice("v").replace("a.wav", "b.mp3") + voice("w", "", deleteFirst) + adopting("heir", before.own));
    await stack.ok(stack.up());
    const after = await held();
    expect(after).toEqual({ v: expect.any(String) as string, w: second, heir: before.own });
    expect(after.v).not.toBe(byHand);
    expect(listed()).toEqual(Object.values(after).sort());
    expect(emulator.summary()).toMatchObject({ voicesBilled: 2 });
    await stack.ok(stack.preview("--expect-no-changes"));
  },
);
