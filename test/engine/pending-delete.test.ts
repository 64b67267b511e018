import type { Emulator } from "../../provider/src/emulator";
import { emulate } from "../support/emulate";
import { put } from "../support/files";
import { said, Stack } from "../support/stack";

/**
 * A replacement that is interrupted between its create and its delete leaves the old copy of the resource in the state,
 * marked for deletion. If both copies hold the same voice, deleting the old copy must not delete the voice.
 */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate();
  stack = await Stack.create(emulator);
});

const voices = () =>
  emulator
    .voices()
    .map((row) => row.voice)
    .sort();
const held = async () => (await stack.resources()).map((voice) => voice.id).sort();
const urn = async (name: string) =>
  (await stack.resources()).find((voice) => voice.urn.endsWith(`::${name}`))?.urn ?? "";

/** Adds an old copy of the resource to the state, marked for deletion. It holds `oldId`, or else the same voice. */
async function withPendingDelete(name: string, oldId?: string): Promise<void> {
  const state = JSON.parse(await stack.state()) as {
    deployment: { resources: { urn: string; id?: string; delete?: boolean }[] };
  };
  const live = state.deployment.resources.find((resource) => resource.urn.endsWith(`::${name}`));
  if (!live) throw new Error(`no resource ${name}`);
  state.deployment.resources.push({ ...live, ...(oldId !== undefined && { id: oldId }), delete: true });
  await stack.ok(stack.pulumi("stack", "import", "--file", put(stack.folder, "state.json", JSON.stringify(state))));
}

describe("an old copy that holds the same voice", () => {
  beforeEach(async () => {
    await stack.ok(
      stack
        .program(`for (const name of ["v", "w"]) new cv.CloudVoice(name, { targetModel: model, audio: "a.wav" });`)
        .up(),
    );
    await withPendingDelete("v");
  });

  test("is deleted by an update, and the voice stays", async () => {
    const before = voices();
    await stack.ok(stack.up());
    expect(voices()).toEqual(before);
    expect(await held()).toEqual(before);
  });

  test("is deleted by an update with --refresh, and the voice stays", async () => {
    const before = voices();
    await stack.ok(stack.up("--refresh"));
    expect(voices()).toEqual(before);
  });

  test.each(["--refresh", "--run-program"])("is deleted together with the voice by destroy %s", async (option) => {
    await stack.ok(stack.destroy(option));
    expect(voices()).toEqual([]);
  });

  test("keeps the voice when an update targets another resource", async () => {
    const before = voices();
    await stack.ok(stack.up("--target", await urn("w")));
    expect(voices()).toEqual(before);
    await stack.ok(stack.up());
    expect(voices()).toEqual(before);
  });

  test("keeps the voice when an alias renames the resource, with and without --target", async () => {
    const before = voices();
    const oldUrn = await urn("v");
    stack.program(`
      new cv.CloudVoice("renamed", { targetModel: model, audio: "a.wav" }, { aliases: [{ name: "v" }] });
      new cv.CloudVoice("w", { targetModel: model, audio: "a.wav" });`);
    await stack.up("--target", await urn("w"));
    expect(voices()).toEqual(before);
    const former = await stack.ok(stack.up("--target", oldUrn));
    expect(said(former, " is kept: ")).toBe(1);
    expect(voices()).toEqual(before);
    await stack.up("--target", oldUrn.replace("::v", "::renamed"));
    expect(voices()).toEqual(before);
    await stack.ok(stack.up());
    expect(voices()).toEqual(before);
    expect(await held()).toEqual(before);
  });
});

test("an old copy that holds another voice is deleted with its voice", async () => {
  await stack.ok(stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`).up());
  const [old = ""] = emulator.seedVoices("default", 1);
  await withPendingDelete("v", old);
  await stack.ok(stack.up());
  expect(voices()).toEqual(await held());
});
