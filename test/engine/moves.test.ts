import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { counted, renameProject, Stack } from "../support/stack";
import { held, listed } from "../support/held";

/** A resource that moves keeps its voice: nothing is paid, nothing is deleted, and no other resource takes the voice. */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate();
  stack = await Stack.create(emulator);
});

const args = `{ targetModel: model, audio: "a.wav" }`;
const one = `new cv.CloudVoice("one", ${args});`;

test("a resource is renamed, and one moves into a catalog, with aliases", async () => {
  await stack.ok(stack.program(`${one} new cv.CloudVoice("two", ${args});`).up());
  const before = listed(emulator);
  const intoCatalog = `({ name, props, opts }) => name !== "voices-one" ? undefined : { props, opts:
    pulumi.mergeOptions(opts, { aliases: [{ name: "one", parent: pulumi.rootStackResource }] }) }`;
  await stack.ok(
    stack
      .program(
        `new cv.VoiceCatalog("voices", { voices: { one: ${args} } }, { transforms: [${intoCatalog}] });
         new cv.CloudVoice("deux", ${args}, { aliases: [{ name: "two" }] });`,
      )
      .up(),
  );
  expect(await held(stack)).toEqual(before);
  expect(emulator.summary().calls.create).toBe(2);
  expect(listed(emulator)).toEqual(before);
});

test("equal resources, also under components, have a voice each, and keep it when stack and project are renamed", async () => {
  const program = (more = "") =>
    stack.program(`
      ${one} new cv.CloudVoice("two", ${args}); ${more}
      for (const type of ["my:index:One", "my:index:Two"]) {
        const parent = new pulumi.ComponentResource(type, "parent");
        new cv.CloudVoice("one", ${args}, { parent });
      }`);
  await stack.ok(program().up());
  const voices = listed(emulator);
  expect([voices.length, await held(stack)]).toEqual([4, voices]);

  await stack.ok(stack.pulumi("stack", "rename", "organization/renamed/live"));
  renameProject(stack, "renamed");
  const elsewhere = stack.with({ CLOUDVOICE_NAMESPACE: "another" });
  program(`new cv.CloudVoice("three", ${args});`);
  const run = await stack.ok(elsewhere.up("--refresh", "--stack", "live"));
  expect([counted(run, "created"), listed(emulator).length]).toEqual([1, 5]);
  expect(listed(emulator)).toEqual(expect.arrayContaining(voices));

  // The old names are used again.
  renameProject(stack, "program");
  await stack.ok(stack.pulumi("stack", "init", "dev"));
  const asked = await stack.program(one).up("--stack", "dev");
  expect(asked.code).not.toBe(0);
  expect(asked.output).toMatch(/CLOUDVOICE_ACCEPT=take-/);
  expect(listed(emulator)).toHaveLength(5);
  await stack.ok(stack.with({ CLOUDVOICE_NAMESPACE: "mine" }).up("--stack", "dev"));
  expect(listed(emulator)).toHaveLength(6);
});
