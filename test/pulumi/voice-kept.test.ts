import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { questionsIn } from "../support/operation";
import { fakeClock } from "../support/service";
import { SimulatedStack } from "../support/simulated-stack";

/** A voice is billed once and never deleted while a resource holds it, whatever the user does to a run. */

let emulator: Emulator;
let clock: ReturnType<typeof fakeClock>;
let stack: SimulatedStack;
beforeEach(async () => {
  clock = fakeClock();
  emulator = await emulate({ now: () => clock.now() });
  stack = new SimulatedStack(emulator, {}, clock);
});

const billed = () => emulator.summary().voicesBilled;
const voices = () =>
  emulator
    .voices()
    .map(({ voice }) => voice)
    .sort();
const v = { name: "v" };
const orders: [string, boolean][] = [
  ["in the usual order", false],
  ["with deleteBeforeReplace", true],
];
const days = (count: number) => count * 24 * 3600 * 1000;

describe("a voice is kept, and nothing is billed, after", () => {
  test.each([
    ["the removal of a preferredName that the program had chosen", { preferredName: "chosen" }, {}],
    ["a change of the namespace", {}, { namespace: "another" }],
  ])("%s", async (_, inputs, settings) => {
    await stack.ok(stack.up([{ ...v, inputs }]));
    const [id] = stack.held();
    stack.settings = settings;
    await stack.ok(stack.up([v], { refresh: true }));
    expect([stack.held(), voices(), billed()]).toEqual([[id], [id], 1]);
  });

  test("an update to a later version of the naming rule", async () => {
    await stack.ok(stack.up([v]));
    const [id] = stack.held();
    const [entry] = stack.state.entries;
    const older = { nameVersion: 0, preferredName: "v_of_old" };
    Object.assign(entry!, { inputs: { ...entry!.inputs, ...older }, outputs: { ...entry!.outputs, ...older } });
    await stack.ok(stack.up([v]));
    expect([stack.held(), voices(), billed()]).toEqual([[id], [id], 1]);
  });
});

test.each(["before", "after"])(
  "a new resource with the former name of a renamed one, declared %s it, has its own voice",
  async (place) => {
    await stack.ok(stack.up([v]));
    const [id] = stack.held();
    const renamed = { name: "renamed", aliases: ["v"] };
    await stack.ok(stack.up([renamed]));
    const program = place === "before" ? [v, renamed] : [renamed, v];
    await stack.ok(stack.up(program));
    expect(new Set(stack.held()).size).toBe(2);
    expect(stack.held()).toEqual(voices());
    expect(stack.outputs("renamed").voice).toBe(id);
    await stack.ok(stack.up(program));
    expect(billed()).toBe(2);
  },
);

test("a refresh reports the orphan of a create that the service finished after the next run had started", async () => {
  await stack.ok(stack.up([v]));
  const { preferredName, voice } = stack.outputs("v");
  const [orphan] = emulator.seedVoices("default", 1, { preferredName: String(preferredName) });
  const { log } = await stack.ok(stack.refresh());
  expect(log).toContain(`a second voice with the name of ${String(voice)}: ${String(orphan)}`);
});

describe("--replace", () => {
  test.each(orders)("without new triggers bills and deletes nothing, %s", async (_, deleteBeforeReplace) => {
    const program = [{ ...v, deleteBeforeReplace }];
    await stack.ok(stack.up(program));
    const [id] = stack.held();
    const { log } = await stack.ok(stack.up(program, { replaces: ["v"] }));
    expect(log.split(`the voice ${id ?? ""} is kept: it was made for this resource`)).toHaveLength(2);
    expect([stack.held(), voices(), billed()]).toEqual([[id], [id], 1]);
    expect(emulator.summary().calls.delete).toBeUndefined();
  });

  test.each(orders)("keeps a voice of any age, and says how to create another, %s", async (_, deleteBeforeReplace) => {
    const program = [{ ...v, deleteBeforeReplace }];
    await stack.ok(stack.up(program));
    const [id] = stack.held();
    await clock.sleep(days(200));
    const { log } = await stack.ok(stack.up(program, { replaces: ["v"] }));
    expect(log).toMatch(/is kept: it was made for this resource .*To create another, change triggers/);
    expect([stack.held(), voices(), billed()]).toEqual([[id], [id], 1]);
  });
});

test("new triggers create a new voice and delete the old one, in either order", async () => {
  for (const [index, deleteBeforeReplace] of [false, true].entries()) {
    await stack.ok(stack.up([{ ...v, deleteBeforeReplace, trigger: 10 * index }]));
    await stack.ok(stack.up([{ ...v, deleteBeforeReplace, trigger: 10 * index + 1 }]));
    expect(stack.held()).toEqual(voices());
    expect(voices()).toHaveLength(1);
  }
  expect(billed()).toBe(4);
});

test("up after destroy bills a new voice", async () => {
  await stack.ok(stack.up([v]));
  await stack.ok(stack.destroy());
  expect(voices()).toEqual([]);
  await stack.ok(stack.up([v]));
  expect([billed(), voices()]).toEqual([2, stack.held()]);
});

test("a replacement that is reverted bills another voice", async () => {
  for (const [index, trigger] of [1, 2, 1].entries()) {
    await stack.ok(stack.up([{ ...v, trigger }]));
    expect([billed(), voices()]).toEqual([index + 1, stack.held()]);
  }
});

describe("a second state with the same project and stack, which does not have the voice of the first,", () => {
  let theirs: SimulatedStack;
  let mine: string[];
  beforeEach(async () => {
    await stack.ok(stack.up([v]));
    mine = stack.held();
    theirs = new SimulatedStack(emulator, {}, clock);
  });

  test("has a voice of its own with a namespace of its own", async () => {
    theirs.settings = { namespace: "them" };
    await theirs.ok(theirs.up([v]));
    expect(voices()).toEqual([...mine, ...theirs.held()].sort());
    expect(billed()).toBe(2);
  });

  test.each([0, 2])("fails, with an error that lists all options, after %i days", async (count) => {
    await clock.sleep(days(count));
    const { ok, error } = await theirs.up([v]);
    expect(ok).toBe(false);
    expect(error).toMatch(
      /nothing shows that it was made for this resource.*set adopt to it.*cloudvoice:namespace.*delete it.*triggers/,
    );
    expect([theirs.held(), voices(), billed()]).toEqual([[], mine, 1]);
  });

  test("is not helped by a stored takeOver of an earlier release, which one warning names", async () => {
    await clock.sleep(days(2));
    theirs.settings = { takeOver: "always" };
    const { ok, log } = await theirs.up([v]);
    expect(ok).toBe(false);
    expect(log.split("takeOver is no setting any more")).toHaveLength(2);
    expect([theirs.held(), voices(), billed()]).toEqual([[], mine, 1]);
  });
});

describe("a refresh that finds every voice of a stack missing", () => {
  const program = ["a", "b", "c"].map((name, content) => ({ name, content }));
  const vanishAll = () => {
    for (const { voice } of emulator.voices()) emulator.vanish("default", voice);
  };

  test("fails and changes nothing, and asks with one id what the next update would pay", async () => {
    await stack.ok(stack.up(program));
    const held = stack.held();
    vanishAll();
    // What an earlier release has stored accepts nothing.
    stack.settings = { acceptMissing: "all" };
    const { ok, error, log } = await stack.refresh();
    expect(ok).toBe(false);
    expect(error).toMatch(/^All 3 voices of the stack program\/dev are missing.*creates them again: 3 voices, \$0\.03/);
    expect([...questionsIn(error)]).toEqual([expect.stringMatching(/^missing-/)]);
    expect(log.split("acceptMissing is no setting any more")).toHaveLength(2);
    expect([stack.held(), billed()]).toEqual([held, 3]);
  });

  test("removes them if they are two, or if one of them is there", async () => {
    await stack.ok(stack.up(program));
    const [kept = ""] = stack.held();
    for (const { voice } of emulator.voices()) if (voice !== kept) emulator.vanish("default", voice);
    await stack.ok(stack.refresh());
    expect(stack.held()).toEqual([kept]);
    vanishAll();
    await stack.ok(stack.refresh());
    expect(stack.held()).toEqual([]);
  });
});

test.each([
  ["young", 60_000],
  ["older than a day", days(2)],
])("a %s voice that was deleted outside Pulumi is not reused by its own replacement", async (_, age) => {
  const program = [{ ...v, deleteBeforeReplace: true }];
  await stack.ok(stack.up(program));
  const [id = ""] = stack.held();
  await clock.sleep(age);
  emulator.vanish("default", id);
  await stack.ok(stack.up(program, { replaces: ["v"] }));
  expect([voices(), billed()]).toEqual([stack.held(), 2]);
});

test("an early refresh keeps a voice that the list shows late, although the service's clock is another", async () => {
  const late = await emulate({ now: () => clock.now() - 8 * 3600 * 1000, listDelayMs: 20_000 });
  const ours = new SimulatedStack(late, {}, clock);
  await ours.ok(ours.up([v]));
  await ours.ok(ours.refresh());
  await ours.ok(ours.up([v]));
  expect(ours.held()).toEqual(late.voices().map(({ voice }) => voice));
  expect(late.summary().voicesBilled).toBe(1);
});
