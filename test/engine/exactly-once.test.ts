import type { Emulator } from "../../provider/src/emulator";
import { emulate } from "../support/emulate";
import { put } from "../support/files";
import { killCommandLine, said, Stack } from "../support/stack";
import { until, untilSettled } from "../support/until";

/** A voice is billed once and never deleted while a resource holds it, whatever the user or a crash does to a run. */

let emulator: Emulator;
let stack: Stack;
async function setUp(options: Parameters<typeof emulate>[0] = {}) {
  emulator = await emulate(options);
  stack = await Stack.create(emulator);
}
beforeEach(() => setUp());

const billed = () => emulator.summary().voicesBilled;
const voices = () =>
  emulator
    .voices()
    .map((row) => row.voice)
    .sort();
const held = async () => (await stack.resources()).map((voice) => voice.id).sort();
const one = (fields = "", opts = "{}") =>
  stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "a.wav", ${fields} }, ${opts});`);
const urn = async (name = "v") => (await stack.resources()).find((voice) => voice.urn.endsWith(`::${name}`))?.urn ?? "";

describe("a voice is kept, and nothing is billed, after", () => {
  const inputs = `{ targetModel: model, audio: "a.wav" }`;

  test.each<[string, string, string]>([
    [
      "an alias",
      `new cv.CloudVoice("v", ${inputs});`,
      `new cv.CloudVoice("renamed", ${inputs}, { aliases: [{ name: "v" }] });`,
    ],
    [
      "a move into a catalog, with an alias",
      `new cv.CloudVoice("v", ${inputs});`,
      `const aliases = [{ name: "v", parent: pulumi.rootStackResource }];
       const moved = ({ name, props, opts }) =>
         name === "voices-v" ? { props, opts: pulumi.mergeOptions(opts, { aliases }) } : undefined;
       new cv.VoiceCatalog("voices", { voices: { v: ${inputs} } }, { transformations: [moved] });`,
    ],
    [
      "the removal of a preferredName that the program had chosen",
      `new cv.CloudVoice("v", { ...${inputs}, preferredName: "chosen" });`,
      `new cv.CloudVoice("v", ${inputs});`,
    ],
  ])("%s", async (_, before, after) => {
    await stack.ok(stack.program(before).up());
    const [id] = await held();
    await stack.ok(stack.program(after).up());
    expect(await held()).toEqual([id]);
    await stack.ok(stack.preview("--expect-no-changes"));
    expect(billed()).toBe(1);
    expect(voices()).toEqual([id]);
  });

  test("a change of the namespace", async () => {
    await stack.ok(one().up());
    const [id] = await held();
    stack.env.CLOUDVOICE_NAMESPACE = "another";
    await stack.ok(stack.up("--refresh"));
    expect([await held(), voices(), billed()]).toEqual([[id], [id], 1]);
  });

  test("a rename of the stack", async () => {
    await stack.ok(one().up());
    const [id] = await held();
    await stack.ok(stack.pulumi("stack", "rename", "other"));
    await stack.ok(stack.up());
    expect([await held(), billed()]).toEqual([[id], 1]);
  });

  test("an update to a later version of the naming rule", async () => {
    await stack.ok(one().up());
    const [id] = await held();
    const older = (await stack.state())
      .replaceAll('"nameVersion": 2', '"nameVersion": 1')
      .replaceAll(/"preferredName": "\w+"/g, '"preferredName": "v_of_old"');
    await stack.ok(stack.pulumi("stack", "import", "--file", put(stack.folder, "state.json", older)));
    await stack.ok(stack.up());
    expect([await held(), billed()]).toEqual([[id], 1]);
  });
});

test("two resources with the same inputs have two voices, also under components of different types", async () => {
  stack.program(`
    const inputs = { targetModel: model, audio: "a.wav" };
    new cv.CloudVoice("v", inputs);
    new cv.CloudVoice("w", inputs);
    for (const type of ["my:index:One", "my:index:Two"]) {
      const parent = new pulumi.ComponentResource(type, "parent");
      new cv.CloudVoice("v", inputs, { parent });
    }
  `);
  await stack.ok(stack.up());
  expect(new Set(await held()).size).toBe(4);
  expect(billed()).toBe(4);
});

test.each(["before", "after"])(
  "a new resource with the former name of a renamed one, declared %s it, has its own voice",
  async (place) => {
    await stack.ok(one().up());
    const [id] = await held();
    const renamed = `new cv.CloudVoice("renamed", { targetModel: model, audio: "a.wav" });`;
    await stack.ok(stack.program(renamed.replace(");", `, { aliases: [{ name: "v" }] });`)).up());
    const fresh = `const fresh = new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`;
    // The second resource waits for the first, so that the engine sees them in this order.
    const program = place === "before" ? `${fresh} fresh.id.apply(() => { ${renamed} });` : `${renamed} ${fresh}`;
    await stack.ok(stack.program(program).up());
    expect(new Set(await held()).size).toBe(2);
    expect(await held()).toEqual(voices());
    expect(voices()).toContain(id);
    expect(billed()).toBe(2);
    await stack.ok(stack.preview("--expect-no-changes"));
  },
);

test("the run after a kill reuses the voices that were created and bills nothing twice", async () => {
  await setUp({ createDelayMs: 400 });
  stack.program(`for (let i = 0; i < 6; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav" });`);
  const { child, done } = stack.start(["up", "--yes", "--skip-preview", "--parallel", "4"]);
  await until(() => billed() >= 3);
  killCommandLine(child);
  await done;
  // The next run can reuse only the voices that the service has finished by then.
  await untilSettled(() => emulator.underWay("create") === 0);
  await stack.pulumi("cancel", "--yes");
  const run = await stack.ok(stack.up());
  expect(run.output).toMatch(/took the voice .* instead of paying for another/);
  expect(billed()).toBe(6);
  expect(await held()).toEqual(voices());
});

test("a refresh reports the orphan of a create that the service finished after the next run had started", async () => {
  await stack.ok(one().up());
  const [voice] = await stack.resources();
  const [stray = ""] = emulator.seedVoices("default", 1, { preferredName: String(voice?.outputs?.preferredName) });
  const run = await stack.ok(stack.refresh());
  expect(said(run, `a second voice with the name of ${voice?.id ?? ""}: ${stray}`)).toBe(1);
});

describe("--replace", () => {
  test.each([
    ["in the usual order", "{}"],
    ["with deleteBeforeReplace", "{ deleteBeforeReplace: true }"],
  ])("without new triggers bills and deletes nothing, %s", async (_, opts) => {
    await stack.ok(one("", opts).up());
    const [id] = await held();
    const run = await stack.ok(stack.up("--replace", await urn()));
    expect(said(run, `took the voice ${id ?? ""}`)).toBe(1);
    expect([await held(), voices(), billed()]).toEqual([[id], [id], 1]);
    expect(emulator.summary().calls.delete).toBeUndefined();
  });

  test.each([
    ["in the usual order", "{}"],
    ["with deleteBeforeReplace", "{ deleteBeforeReplace: true }"],
  ])("of a voice older than a day is an error that names triggers, and keeps the voice, %s", async (_, opts) => {
    await setUp({ now: () => Date.now() - 48 * 3600 * 1000 });
    await stack.ok(one("", opts).up());
    const [id] = await held();
    const run = await stack.up("--replace", await urn());
    expect(run.code).not.toBe(0);
    expect(run.output).toMatch(/is 2 days old|is 48 h old/);
    expect(run.output).toMatch(/triggers/);
    expect([await held(), voices(), billed()]).toEqual([[id], [id], 1]);
  });

  test("with new triggers creates a new voice, in either order", async () => {
    for (const [index, opts] of ["{}", "{ deleteBeforeReplace: true }"].entries()) {
      await stack.ok(one(`triggers: [${index}]`, opts).up());
      await stack.ok(one(`triggers: ["new ${index}"]`, opts).up());
      expect(await held()).toEqual(voices());
      expect(voices()).toHaveLength(1);
    }
    expect(billed()).toBe(4);
  });
});

test("up after destroy bills a new voice", async () => {
  await stack.ok(one().up());
  await stack.ok(stack.destroy());
  expect(voices()).toEqual([]);
  await stack.ok(stack.up());
  expect([billed(), voices()]).toEqual([2, await held()]);
});

test("a replacement that is reverted bills another voice", async () => {
  await stack.ok(one(`triggers: [1]`).up());
  const [first] = await held();
  await stack.ok(one(`triggers: [2]`).up());
  const [second = ""] = await held();
  expect(second).not.toBe(first);
  await stack.ok(one(`triggers: [1]`).up());
  expect(voices()).toEqual(await held());
  expect(billed()).toBe(3);
});

test("a second state with the same project and stack reuses a voice only with a warning, or a namespace", async () => {
  await stack.ok(one().up());
  const [mine] = await held();
  const same = `new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`;

  // Their state does not contain my voice. A voice of the same day is reused, with a warning that names the namespace.
  const theirs = (await Stack.create(emulator)).program(same);
  const taking = await theirs.ok(theirs.up());
  expect(taking.output).toContain(`took the voice ${mine ?? ""}`);
  expect(taking.output).toMatch(/if it belongs to someone else, set cloudvoice:namespace/i);
  expect(billed()).toBe(1);

  const separate = (await Stack.create(emulator, { CLOUDVOICE_NAMESPACE: "them" })).program(same);
  await separate.ok(separate.up());
  expect((await separate.resources())[0]?.id).not.toBe(mine);
  expect(voices()).toHaveLength(2);
});

test("an existing voice older than a day with the same name is an error that lists all options", async () => {
  await setUp({ now: () => Date.now() - 48 * 3600 * 1000 });
  await stack.ok(one().up());
  const other = await Stack.create(emulator);
  const run = await other.program(`new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`).up();
  expect(run.code).not.toBe(0);
  expect(run.output.replace(/\s+/g, " ")).toMatch(
    /may belong to someone else.*set adopt to it.*cloudvoice:namespace.*delete it.*triggers/,
  );
  expect(billed()).toBe(1);
});
