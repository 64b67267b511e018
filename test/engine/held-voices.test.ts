import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { killCommandLine, said, Stack, typeOf, testOfVoices } from "../support/stack";
import { until } from "../support/until";

/**
 * A voice that a resource holds is never taken and never deleted, although another resource has a claim by its name.
 * Here is what takes a real engine: aliases, states and kills. `test/pulumi/held-voices.test.ts` has the rest.
 */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate();
  stack = await Stack.create(emulator);
});

const inputs = `{ targetModel: model, audio: "a.wav" }`;
const old = `new cv.CloudVoice("old", ${inputs});`;
const ren = `new cv.CloudVoice("ren", ${inputs}, { aliases: [{ name: "old" }] });`;
const bystander = `new cv.CloudVoice("w", ${inputs});`;

const urn = (name: string) => `urn:pulumi:dev::program::${typeOf("CloudVoice")}::${name}`;
const listed = () =>
  emulator
    .voices()
    .map(({ voice }) => voice)
    .sort();
async function held(): Promise<Record<string, string | undefined>> {
  const entries = (await stack.resources()).map(({ urn: full, id }) => [full.split("::").at(-1) ?? "", id] as const);
  return Object.fromEntries(entries);
}
/** Every resource has a voice of its own, and the account has no other. */
async function expectOneEach(...names: string[]): Promise<void> {
  const voices = await held();
  expect(Object.keys(voices).sort()).toEqual(names.sort());
  expect(Object.values(voices).sort()).toEqual(listed());
}

test("`old` is renamed, and a new `old` comes in a targeted update, and again in one that is killed: none takes the voice", async () => {
  await stack.ok(stack.program(old).up());
  await stack.ok(stack.program(ren).up());
  const { ren: voice } = await held();
  const preview = await stack.ok(stack.program(old + ren).preview());
  expect(preview.output).toMatch(
    /ren of the stack organization\/program\/dev holds it: this resource gets a voice of its own/,
  );
  expect(preview.output).not.toMatch(/replace/);

  const run = await stack.ok(stack.program(ren + old).up("--target", urn("old")));
  expect(said(run, "ren of the stack organization/program/dev holds it: this resource gets a voice of its own")).toBe(
    1,
  );
  await stack.ok(stack.up());
  await expectOneEach("old", "ren");
  expect((await held()).ren).toBe(voice);
  await stack.ok(stack.destroy("--target", urn("old")));
  expect(listed()).toEqual([voice]);

  const release = emulator.hold("create");
  const { child, done } = stack.program(old + ren).start(["up", "--yes", "--skip-preview"]);
  await until(() => emulator.underWay("create") > 0);
  killCommandLine(child);
  release();
  await done;
  await stack.pulumi("cancel", "--yes");
  await stack.ok(stack.with({ CLOUDVOICE_SETTLE_SECONDS: "5", CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "5" }).up());
  await expectOneEach("old", "ren");
  expect((await held()).ren).toBe(voice);
});

testOfVoices(
  "two resources that hold one voice are mended by one ordinary update, and a refresh names both",
  async () => {
    await stack.ok(stack.program(old + bystander).up());
    const { old: voice, w } = await held();
    // As an earlier release left it.
    const state = (await stack.state()).replaceAll(String(w), String(voice));
    emulator.vanish("default", String(w));
    await stack.setState(state);

    const refresh = await stack.refresh();
    expect(refresh.code).not.toBe(0);
    expect(refresh.output).toMatch(
      /(old of the stack organization\/program\/dev and w|w of the stack organization\/program\/dev and old) of the stack organization\/program\/dev\. Run `pulumi up`/,
    );
    // The new voice may be `w`'s, whose former one is missing and young, so it is looked for during this time.
    await stack.ok(stack.with({ CLOUDVOICE_SETTLE_SECONDS: "0", CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "5" }).up());
    await expectOneEach("old", "w");
    expect(listed()).toContain(voice);
    await stack.ok(stack.preview("--expect-no-changes"));
  },
);

test.each(["old", "w"])(
  "a state that gives the voice of `%s` to the other resource is put right, at no cost",
  async (rightful) => {
    const changedIn = { old: "w", w: "old" }[rightful] ?? "";
    await stack.ok(stack.program(old + bystander).up());
    const before = await held();
    const state = JSON.parse(await stack.state()) as {
      deployment: { resources: { urn: string; id?: string | undefined; outputs?: { voice?: string | undefined } }[] };
    };
    for (const resource of state.deployment.resources.filter((each) => each.urn === urn(changedIn)))
      [resource.id, resource.outputs] = [before[rightful], { ...resource.outputs, voice: before[rightful] }];
    await stack.setState(JSON.stringify(state));
    await stack.ok(stack.up());
    expect(await held()).toEqual(before);
    await expectOneEach("old", "w");
    expect(emulator.summary().calls.create).toBe(2);
  },
);
