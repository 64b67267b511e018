import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { SimulatedStack } from "../support/simulated-stack";

/**
 * A replacement that is interrupted between its create and its delete leaves the old copy of the resource in the state,
 * marked for deletion. If both copies hold the same voice, deleting the old copy must not delete the voice.
 */

let emulator: Emulator;
let stack: SimulatedStack;
beforeEach(async () => {
  emulator = await emulate();
  stack = new SimulatedStack(emulator);
});

const voices = () =>
  emulator
    .voices()
    .map(({ voice }) => voice)
    .sort();
const [v, w] = [{ name: "v" }, { name: "w" }];

describe("an old copy that holds the same voice", () => {
  let before: string[];
  beforeEach(async () => {
    await stack.ok(stack.up([v, w]));
    before = stack.held();
    stack.leaveOldCopy("v");
  });

  test.each([
    ["an update", {}],
    ["an update with --refresh", { refresh: true }],
  ])("is deleted by %s, and the voice stays", async (_, options) => {
    await stack.ok(stack.up([v, w], options));
    expect([voices(), stack.held()]).toEqual([before, before]);
  });

  test.each([
    ["destroy", false],
    ["destroy --refresh", true],
  ])("is deleted together with the voice by %s", async (_, refresh) => {
    await stack.ok(stack.destroy({ refresh }));
    expect([voices(), stack.held()]).toEqual([[], []]);
  });

  test("keeps the voice when an update targets another resource", async () => {
    await stack.ok(stack.up([v, w], { targets: ["w"] }));
    expect(stack.held()).toHaveLength(3);
    await stack.ok(stack.up([v, w]));
    expect([voices(), stack.held()]).toEqual([before, before]);
  });

  test("keeps the voice when an alias renames the resource, with and without targets", async () => {
    const program = [{ name: "renamed", aliases: ["v"] }, w];
    await stack.ok(stack.up(program, { targets: ["w"] }));
    const { log } = await stack.ok(stack.up(program, { targets: ["v"] }));
    expect(log).toContain("not deleting the voice ");
    expect(voices()).toEqual(before);
    for (const options of [{ targets: ["renamed"] }, {}]) {
      await stack.ok(stack.up(program, options));
      expect([voices(), stack.held()]).toEqual([before, before]);
    }
  });
});

test("an old copy that holds another voice is deleted with its voice", async () => {
  await stack.ok(stack.up([v]));
  const preferredName = String(stack.outputs("v").preferredName);
  const [old] = emulator.seedVoices("default", 1, { preferredName });
  stack.leaveOldCopy("v", old);
  await stack.ok(stack.up([v]));
  expect(voices()).toEqual(stack.held());
  expect(voices()).toHaveLength(1);
});

test("a voice of another name that somebody wrote into a state is not deleted", async () => {
  await stack.ok(stack.up([v]));
  const [boss = ""] = emulator.seedVoices("default", 1, { preferredName: "boss" });
  stack.leaveOldCopy("v", boss);
  const { ok, error } = await stack.up([v]);
  expect([ok, error]).toEqual([false, expect.stringMatching(/boss.* is not deleted: .*its name says otherwise/)]);
  expect(voices()).toContain(boss);
});
