import type { Emulator } from "../../provider/emulator";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { renameProject, said, Stack, testOfVoices, typeOf } from "../support/stack";

/** A resource that moves keeps its voice: nothing is paid, nothing is deleted, and no other resource takes the voice. */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate();
  stack = await Stack.create(emulator);
});

const args = `{ targetModel: model, audio: "a.wav" }`;
const one = `new cv.CloudVoice("one", ${args});`;
const urn = `urn:pulumi:dev::program::${typeOf("CloudVoice")}::one`;

/** From now on, the folder is that of another project. */
const asProject = (name: string) => renameProject(stack, name);
const listed = () => emulator.voices().map(({ voice }) => voice);
const heldBy = async (name: string) =>
  [...(await stack.ok(stack.pulumi("stack", "export", "--stack", name))).stdout.matchAll(/"id": "(svc-.*)"/g)].map(
    ([, id]) => id,
  );
const changed = () => {
  const { create, delete: deletes } = emulator.summary().calls;
  return { create, delete: deletes };
};

testOfVoices("a resource is renamed, and one moves into a catalog, with aliases", async () => {
  await stack.ok(stack.program(`${one} new cv.CloudVoice("two", ${args});`).up());
  const before = listed();
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
  expect([changed(), listed()]).toEqual([{ create: 2, delete: undefined }, before]);
  await stack.ok(stack.preview("--expect-no-changes"));
});

test("a stack is renamed together with its project, and the old names are used again", async () => {
  await stack.ok(stack.program(one).up());
  const [voice] = listed();
  await stack.ok(stack.pulumi("stack", "rename", "organization/renamed/live"));
  asProject("renamed");
  await stack.ok(stack.up("--stack", "live", "--expect-no-changes"));
  await stack.ok(stack.refresh("--stack", "live", "--expect-no-changes"));

  asProject("program");
  await stack.ok(stack.pulumi("stack", "init", "dev"));
  const again = await stack.ok(stack.up("--stack", "dev"));
  expect(
    said(again, "one of the stack organization/renamed/live holds it: this resource gets a voice of its own"),
  ).toBe(1);
  expect(listed()).toHaveLength(2);
  await stack.ok(stack.destroy("--stack", "dev"));
  expect(listed()).toEqual([voice]);
});

test("`pulumi state move` to a stack of another project, and the old stack is used again first", async () => {
  await stack.ok(stack.program(one).up());
  const [voice] = listed();
  const [source, dest] = ["organization/program/dev", "organization/other/prod"];
  asProject("other");
  await stack.ok(stack.pulumi("stack", "init", dest, "--no-select"));
  await stack.ok(stack.pulumi("state", "move", "--yes", "--source", source, "--dest", dest, urn));

  asProject("program");
  const review = await cloudvoice(stack, ["review", "--stack", source, "--max-cost", "0"]);
  expect([review.code, review.stdout]).toEqual([3, expect.stringMatching(/one.*new in the program.*\$0\.01/)]);
  const again = await stack.ok(stack.up("--stack", source));
  expect(again.output).toMatch(
    /one of the stack organization\/other\/prod holds it: this resource gets a voice of its own/,
  );
  expect(listed()).toHaveLength(2);
  const orphans = await cloudvoice(stack, ["voices", "--stack", "dev", "--orphans", "--json"]);
  expect(JSON.parse(orphans.stdout)).toMatchObject({ voices: [] });
  asProject("other");
  await stack.ok(stack.up("--stack", dest));
  expect(changed()).toEqual({ create: 2, delete: undefined });
  expect(await heldBy(dest)).toEqual([voice]);

  asProject("program");
  await stack.ok(stack.destroy("--stack", source));
  expect(listed()).toEqual([voice]);
  asProject("other");
  await stack.ok(stack.destroy("--stack", dest));
  expect(listed()).toEqual([]);
});
