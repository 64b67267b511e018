import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { killCommandLine, Stack, typeOf } from "../support/stack";
import { until } from "../support/until";
import { heldBy, listed } from "../support/held";

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

const voice = (name: string, options = "{}") =>
  `new cv.CloudVoice("${name}", { targetModel: model, audio: "a.wav" }, ${options});`;
const urn = (name: string) => `urn:pulumi:dev::program::${typeOf("CloudVoice")}::${name}`;

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

/** Writes into the state that a resource holds another voice than it does. */
async function writeHolder(name: string, voice: string | undefined): Promise<void> {
  const own = String((await heldBy(stack))[name]);
  const state = JSON.parse(await stack.state()) as { deployment: { resources: { urn: string }[] } };
  const { resources } = state.deployment;
  const index = resources.findIndex((each) => each.urn === urn(name));
  resources[index] = JSON.parse(JSON.stringify(resources[index]).replaceAll(own, String(voice))) as { urn: string };
  await stack.setState(JSON.stringify(state));
}

test("a state that gives the voice of a resource to one before or after it is put right, at no cost", async () => {
  const names = ["a", "b", "c", "d"];
  await stack.ok(stack.program(names.map((name) => voice(name)).join("")).up());
  const before = await heldBy(stack);
  await writeHolder("a", before.b);
  await writeHolder("d", before.c);
  await stack.ok(stack.up());
  expect(await heldBy(stack)).toEqual(before);
  await expectOneEach(...names);
  expect(emulator.summary().calls.create).toBe(4);
});

test("two resources that hold one voice, as an earlier release left it: a refresh names both, and an update mends it", async () => {
  await stack.ok(stack.program(voice("old") + voice("w")).up());
  const before = await heldBy(stack);
  await writeHolder("w", before.old);
  emulator.vanish("default", String(before.w));
  const refresh = await stack.refresh();
  expect(refresh.code).not.toBe(0);
  const one = String.raw`(old|w)\S* of the stack organization/program/dev`;
  expect(refresh.output).toMatch(
    new RegExp(`two resources hold the voice \\S+: ${one} and ${one}\\. Run \`pulumi up\``),
  );
  // The new voice may be `w`'s, whose former one is missing and young, so it is looked for during this time.
  await stack.ok(stack.with({ CLOUDVOICE_SETTLE_SECONDS: "0", CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "5" }).up());
  await expectOneEach("old", "w");
  expect(listed(emulator)).toContain(before.old);
});
