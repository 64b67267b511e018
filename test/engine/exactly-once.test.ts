import type { Emulator } from "../../provider/src/emulator";
import { emulate } from "../support/emulate";
import { put } from "../support/files";
import { said, Stack } from "../support/stack";

/** A voice is paid for once and never deleted while a resource holds it, whatever the engine is made to do. */

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

/** The state as an interruption between the create and the delete of a replacement leaves it: an old copy waits for its delete. */
async function withPendingDelete(name: string, oldId?: string): Promise<void> {
  const state = JSON.parse(await stack.state()) as {
    deployment: { resources: { urn: string; id?: string; delete?: boolean }[] };
  };
  const live = state.deployment.resources.find((resource) => resource.urn.endsWith(`::${name}`));
  if (!live) throw new Error(`no resource ${name}`);
  state.deployment.resources.push({ ...live, ...(oldId !== undefined && { id: oldId }), delete: true });
  await stack.ok(stack.pulumi("stack", "import", "--file", put(stack.folder, "state.json", JSON.stringify(state))));
}

describe("a voice keeps its name, and costs nothing, through", () => {
  const inputs = `{ targetModel: model, audio: "a.wav" }`;

  test.each<[string, string, string]>([
    [
      "an alias",
      `new cv.CloudVoice("v", ${inputs});`,
      `new cv.CloudVoice("renamed", ${inputs}, { aliases: [{ name: "v" }] });`,
    ],
    [
      "a move into a catalog",
      `new cv.CloudVoice("v", ${inputs});`,
      `const moved = ({ name, props, opts }) => name === "voices-v" && { props, opts: pulumi.mergeOptions(opts, { aliases: [{ name: "v", parent: pulumi.rootStackResource }] }) };
       new cv.VoiceCatalog("voices", { voices: { v: ${inputs} } }, { transformations: [(args) => moved(args) || undefined] });`,
    ],
    [
      "explicit removal of a name that the program had chosen",
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

  test("another namespace", async () => {
    await stack.ok(one().up());
    const [id] = await held();
    stack.env.CLOUDVOICE_NAMESPACE = "another";
    await stack.ok(stack.up("--refresh"));
    expect([await held(), voices(), billed()]).toEqual([[id], [id], 1]);
  });

  test("a rename of the stack and of the project", async () => {
    await stack.ok(one().up());
    const [id] = await held();
    await stack.ok(stack.pulumi("stack", "rename", "other"));
    await stack.ok(stack.up());
    expect([await held(), billed()]).toEqual([[id], 1]);
  });

  test("a later version of the name's formula", async () => {
    await stack.ok(one().up());
    const [id] = await held();
    const older = (await stack.state())
      .replaceAll('"nameVersion": 1', '"nameVersion": 0')
      .replaceAll(/"preferredName": "\w+"/g, '"preferredName": "v_of_old"');
    await stack.ok(stack.pulumi("stack", "import", "--file", put(stack.folder, "state.json", older)));
    await stack.ok(stack.up());
    expect([await held(), billed()]).toEqual([[id], 1]);
  });
});

test("two resources with the same content are two voices, also under components of different types", async () => {
  stack.program(`
    const inputs = { targetModel: model, audio: "a.wav" };
    new cv.CloudVoice("v", inputs);
    new cv.CloudVoice("w", inputs);
    for (const type of ["my:index:One", "my:index:Two"]) new cv.CloudVoice("v", inputs, { parent: new pulumi.ComponentResource(type, "parent") });
  `);
  await stack.ok(stack.up());
  expect(new Set(await held()).size).toBe(4);
  expect(billed()).toBe(4);
});

test.each(["before", "after"])(
  "a new resource under the name of a renamed one, declared %s it, has a voice of its own",
  async (place) => {
    await stack.ok(one().up());
    const [id] = await held();
    const renamed = `new cv.CloudVoice("renamed", { targetModel: model, audio: "a.wav" });`;
    await stack.ok(stack.program(renamed.replace(");", `, { aliases: [{ name: "v" }] });`)).up());
    const fresh = `const fresh = new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`;
    // The one that comes second waits for the first, so that the order is what it says.
    const program = place === "before" ? `${fresh} fresh.id.apply(() => { ${renamed} });` : `${renamed} ${fresh}`;
    await stack.ok(stack.program(program).up());
    expect(new Set(await held()).size).toBe(2);
    expect(await held()).toEqual(voices());
    expect(voices()).toContain(id);
    expect(billed()).toBe(2);
    await stack.ok(stack.preview("--expect-no-changes"));
  },
);

test("a run that was killed in its create, or after it, is taken up: nothing is paid again", async () => {
  await setUp({ createDelayMs: 400 });
  stack.program(`for (let i = 0; i < 6; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav" });`);
  const { child, done } = stack.start(["up", "--yes", "--skip-preview", "--parallel", "4"]);
  while (billed() < 3) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill("SIGKILL");
  await done;
  // What the service was still working on comes to its end before the next run looks.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await stack.pulumi("cancel", "--yes");
  const run = await stack.ok(stack.up());
  expect(run.output).toMatch(/took the voice .* instead of paying for another/);
  expect(billed()).toBe(6);
  expect(await held()).toEqual(voices());
});

test("a create that the service still worked on when the next run looked leaves a stray, which a refresh names", async () => {
  await stack.ok(one().up());
  const [voice] = await stack.resources();
  const [stray = ""] = emulator.seedVoices("default", 1, { preferredName: String(voice?.outputs?.preferredName) });
  const run = await stack.ok(stack.refresh());
  expect(said(run, `a second voice under the name of ${voice?.id ?? ""}: ${stray}`)).toBe(1);
});

describe("--replace without new triggers bills and deletes nothing", () => {
  test.each([
    ["in the usual order", "{}"],
    ["with deleteBeforeReplace", "{ deleteBeforeReplace: true }"],
  ])("%s", async (_, opts) => {
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
  ])("an older voice is an error that names triggers, and stays, %s", async (_, opts) => {
    emulator.advance(-48 * 3600 * 1000);
    await stack.ok(one("", opts).up());
    const [id] = await held();
    const run = await stack.up("--replace", await urn());
    expect(run.code).not.toBe(0);
    expect(run.output).toMatch(/is 2 days old|is 48 h old/);
    expect(run.output).toMatch(/triggers/);
    expect([await held(), voices(), billed()]).toEqual([[id], [id], 1]);
  });

  test("with new triggers it is made anew, in either order", async () => {
    for (const [index, opts] of ["{}", "{ deleteBeforeReplace: true }"].entries()) {
      await stack.ok(one(`triggers: [${index}]`, opts).up());
      await stack.ok(one(`triggers: ["new ${index}"]`, opts).up());
      expect(await held()).toEqual(voices());
      expect(voices()).toHaveLength(1);
    }
    expect(billed()).toBe(4);
  });
});

test("destroy, then up, pays anew", async () => {
  await stack.ok(one().up());
  await stack.ok(stack.destroy());
  expect(voices()).toEqual([]);
  await stack.ok(stack.up());
  expect([billed(), voices()]).toEqual([2, await held()]);
});

describe("an old copy that waits for its delete and holds the same voice", () => {
  beforeEach(async () => {
    await stack.ok(
      stack
        .program(`for (const name of ["v", "w"]) new cv.CloudVoice(name, { targetModel: model, audio: "a.wav" });`)
        .up(),
    );
    await withPendingDelete("v");
  });

  test("goes, and the voice stays", async () => {
    const before = voices();
    await stack.ok(stack.up());
    expect(voices()).toEqual(before);
    expect(await held()).toEqual(before);
  });

  test("goes, and the voice stays, when the update refreshes first", async () => {
    const before = voices();
    await stack.ok(stack.up("--refresh"));
    expect(voices()).toEqual(before);
  });

  test.each(["--refresh", "--run-program"])("goes together with the voice in a destroy %s", async (option) => {
    await stack.ok(stack.destroy(option));
    expect(voices()).toEqual([]);
  });

  test("does not cost the voice in an update that is targeted at another", async () => {
    const before = voices();
    await stack.ok(stack.up("--target", await urn("w")));
    expect(voices()).toEqual(before);
    await stack.ok(stack.up());
    expect(voices()).toEqual(before);
  });

  test("does not cost the voice when the resource has a new name by alias, targeted or not", async () => {
    const before = voices();
    const oldUrn = await urn("v");
    stack.program(`
      new cv.CloudVoice("renamed", { targetModel: model, audio: "a.wav" }, { aliases: [{ name: "v" }] });
      new cv.CloudVoice("w", { targetModel: model, audio: "a.wav" });`);
    await stack.up("--target", await urn("w"));
    expect(voices()).toEqual(before);
    const former = await stack.ok(stack.up("--target", oldUrn));
    expect(said(former, "stays: another copy of its resource holds it")).toBe(1);
    expect(voices()).toEqual(before);
    await stack.up("--target", oldUrn.replace("::v", "::renamed"));
    expect(voices()).toEqual(before);
    await stack.ok(stack.up());
    expect(voices()).toEqual(before);
    expect(await held()).toEqual(before);
  });
});

test("an old copy of another voice that waits for its delete is deleted", async () => {
  await stack.ok(one().up());
  const [old = ""] = emulator.seedVoices("default", 1);
  await withPendingDelete("v", old);
  await stack.ok(stack.up());
  expect(voices()).toEqual(await held());
});

test("a replacement that is taken back takes its first voice back", async () => {
  await stack.ok(one(`triggers: [1]`).up());
  const [first] = await held();
  await stack.ok(one(`triggers: [2]`).up());
  const [second = ""] = await held();
  expect(second).not.toBe(first);
  await stack.ok(one(`triggers: [1]`).up());
  expect(voices()).toEqual(await held());
  expect(billed()).toBe(3);
});

test("two people with the same project and stack do not share a voice unknowingly", async () => {
  await stack.ok(one().up());
  const [mine] = await held();
  const same = `new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`;

  // Their state knows nothing of mine; on the same day the voice is taken, and said with the way to separate.
  const theirs = (await Stack.create(emulator)).program(same);
  const taking = await theirs.ok(theirs.up());
  expect(taking.output).toContain(`took the voice ${mine ?? ""}`);
  expect(taking.output).toMatch(/if it is somebody else's, set cloudvoice:namespace/i);
  expect(billed()).toBe(1);

  const separate = (await Stack.create(emulator, { CLOUDVOICE_NAMESPACE: "them" })).program(same);
  await separate.ok(separate.up());
  expect((await separate.resources())[0]?.id).not.toBe(mine);
  expect(voices()).toHaveLength(2);
});

test("a voice under one's own name that is older than a day is an error with every way on", async () => {
  emulator.advance(-48 * 3600 * 1000);
  await stack.ok(one().up());
  const other = await Stack.create(emulator);
  const run = await other.program(`new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`).up();
  expect(run.code).not.toBe(0);
  expect(run.output.replace(/\s+/g, " ")).toMatch(
    /may be somebody else's.*set adopt to it.*cloudvoice:namespace.*delete it.*triggers/,
  );
  expect(billed()).toBe(1);
});
