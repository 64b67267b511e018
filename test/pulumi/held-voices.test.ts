import type { Emulator } from "../../provider/emulator";
import { emulate, voicesIn } from "../support/emulate";
import { type Ended, SimulatedStack, type Voice } from "../support/simulated-stack";

/** A voice that a resource holds is never taken and never deleted, although another resource has a claim by its name. */

let emulator: Emulator;
let stack: SimulatedStack;
beforeEach(async () => {
  emulator = await emulate();
  stack = new SimulatedStack(emulator);
});

const old: Voice = { name: "old" };
const ren: Voice = { name: "ren", aliases: ["old"] };
const listed = () => voicesIn(emulator);
const voiceOf = (name: string, of = stack) => String(of.outputs(name).voice);

/** Every resource has a voice of its own, and the account has no other. */
function expectOneEach(...names: string[]): void {
  expect(stack.held()).toEqual(names.map((name) => voiceOf(name)).sort());
  expect(new Set(stack.held()).size).toBe(names.length);
  expect(listed()).toEqual(stack.held());
}
const ownVoice = "ren of the stack dev holds it: this resource gets a voice of its own";

describe("`old` is renamed to `ren`, and a new `old` with the same content is added", () => {
  let voice: string;
  beforeEach(async () => {
    await stack.ok(stack.up([old]));
    await stack.ok(stack.up([ren]));
    voice = voiceOf("ren");
  });
  /** `ren` keeps its voice, and `old` has its own, also after further updates. */
  async function expectNoHarm(program: Voice[] = [ren, old]): Promise<void> {
    expectOneEach(...program.map(({ name }) => name));
    expect(voiceOf("ren")).toBe(voice);
    const billed = emulator.summary().voicesBilled;
    await stack.ok(stack.up(program));
    expectOneEach(...program.map(({ name }) => name));
    expect(emulator.summary().voicesBilled).toBe(billed);
  }

  test.each<[how: string, update: () => Promise<Ended>]>([
    ["in a targeted update", () => stack.up([ren, old], { targets: ["old"] })],
    ["in an update that excludes `ren`", () => stack.up([ren, old], { excludes: ["ren"] })],
    ["in one plain update with the new `old` first", () => stack.up([old, ren])],
    ["in one plain update with the new `old` last", () => stack.up([ren, old])],
  ])("%s: a line says that `ren` holds the voice, and later updates harm neither", async (_, update) => {
    const { log } = await stack.ok(update());
    expect(log.split(ownVoice)).toHaveLength(2);
    await expectNoHarm();
    await stack.ok(stack.destroy({ targets: ["old"] }));
    expect(listed()).toEqual([voice]);
  });

  test("a preview of the new `old` says the same, and bills nothing", async () => {
    const { log } = await stack.ok(stack.preview([old, ren]));
    expect(log).toContain(ownVoice);
    expect(emulator.summary().voicesBilled).toBe(1);
  });

  test("in an update that fails half way, because creates fail: the next update creates what is missing", async () => {
    const program = [old, ren, { name: "w" }];
    emulator.setFaults([{ kind: "500", on: ["create"], skip: 1 }]);
    const failed = await stack.up(program);
    expect([failed.ok, failed.error]).toEqual([false, expect.stringContaining("HTTP 500")]);
    expect(listed()).toHaveLength(2);
    emulator.setFaults([]);
    await stack.ok(stack.up(program));
    await expectNoHarm(program);
  });

  test("while `ren` is protected, and when it is replaced with deleteBeforeReplace later", async () => {
    const kept = { ...ren, protect: true };
    await stack.ok(stack.up([kept]));
    await stack.ok(stack.up([kept, old]));
    await expectNoHarm([kept, old]);
    const mine = voiceOf("old");
    await stack.ok(stack.up([{ ...ren, deleteBeforeReplace: true, content: 1 }, old]));
    expectOneEach("old", "ren");
    expect(voiceOf("old")).toBe(mine);
    expect(voiceOf("ren")).not.toBe(voice);
  });
});

test("`x` is replaced by `y`, which adopts its voice, in two targeted updates", async () => {
  await stack.ok(stack.up([{ name: "x" }]));
  const voice = voiceOf("x");
  const y = { name: "y", adopt: voice };
  await stack.ok(stack.up([y], { targets: ["y"] }));
  await stack.ok(stack.up([y], { targets: ["x"] }));
  expect([listed(), stack.held(), voiceOf("y")]).toEqual([[voice], [voice], voice]);
});

test("a voice is not adopted from a resource that keeps it and that `--target` leaves out", async () => {
  await stack.ok(stack.up([old]));
  const voice = voiceOf("old");
  const { ok, error } = await stack.up([{ name: "heir", adopt: voice }, old], { targets: ["heir"] });
  expect([ok, error]).toEqual([false, expect.stringContaining(`old of the stack dev holds the voice ${voice}`)]);
  expect([stack.held(), listed()]).toEqual([[voice], [voice]]);
});

test("a state that gives one voice to two resources: a refresh names both, and an update gives each its own again", async () => {
  const program = [{ name: "a" }, { name: "b" }, { name: "c" }];
  await stack.ok(stack.up(program));
  const before = program.map(({ name }) => voiceOf(name));
  const [first, , last] = stack.state.entries;
  for (const entry of [first!, last!]) {
    entry.id = voiceOf("b");
    entry.outputs = { ...entry.outputs, voice: entry.id };
  }
  expect((await stack.refresh()).error).toMatch(/hold the voice \S+: a of the stack dev.* and .*Run `pulumi up`/);
  await stack.ok(stack.up(program));
  expectOneEach("a", "b", "c");
  expect([program.map(({ name }) => voiceOf(name)), emulator.summary().voicesBilled]).toEqual([before, 3]);
});

test("a resource that another stack got by `pulumi state move`: the old stack gets a voice of its own, and deletes no other", async () => {
  await stack.ok(stack.up([old]));
  const voice = voiceOf("old");
  const prod = stack.init("prod");
  stack.move("old", prod);
  await stack.ok(prod.up([old]));
  expect(emulator.summary().calls).toMatchObject({ create: 1 });
  const { log } = await stack.ok(stack.up([old]));
  expect(log).toContain("old of the stack prod holds it: this resource gets a voice of its own");
  expect(voiceOf("old")).not.toBe(voice);
  expect(listed()).toHaveLength(2);
  await stack.ok(stack.destroy());
  expect([listed(), prod.held()]).toEqual([[voice], [voice]]);
});

test("a voice that its resource deletes first can't be adopted, and a preview says how it can", async () => {
  const first = { name: "first", deleteBeforeReplace: true };
  await stack.ok(stack.up([first]));
  const voice = voiceOf("first");
  const adopting = { name: "adopting", inputs: { adopt: voice } };
  const changed = { ...first, inputs: { text: "another" } };
  const { ok, error } = await stack.preview([changed, adopting]);
  expect([ok, error]).toEqual([
    false,
    expect.stringMatching(/first deletes the voice .* Take that option out of first/),
  ]);
  await stack.ok(stack.up([{ ...changed, deleteBeforeReplace: false }, adopting]));
  expect(voiceOf("adopting")).toBe(voice);
  expectOneEach("first", "adopting");
});

test("the same holds for --replace, with quotaCheck: off", async () => {
  const first = { name: "first", deleteBeforeReplace: true, inputs: { preferredName: "chosen" } };
  stack.settings = { quotaCheck: "off" };
  await stack.ok(stack.up([first]));
  const voice = voiceOf("first");
  const { ok, error } = await stack.up([first, { name: "adopting", inputs: { adopt: voice } }], {
    replaces: ["first"],
  });
  expect([ok, error]).toEqual([false, expect.stringMatching(/first deletes the voice/)]);
  expect([listed(), emulator.summary().voicesBilled]).toEqual([[voiceOf("first")], 2]);
});

test("a replacement that ended after the delete takes the voice that was kept for it", async () => {
  const always = { name: "v", deleteBeforeReplace: true };
  await stack.ok(stack.up([always]));
  const voice = voiceOf("v");
  stack.state.entries[0]!.pendingReplacement = true;
  await stack.ok(stack.up([always]));
  expect(voiceOf("v")).toBe(voice);
  expectOneEach("v");
  expect(emulator.summary()).toMatchObject({ voicesBilled: 1 });
});

test("a state that writes the id of a held voice in another way deletes nothing", async () => {
  await stack.ok(stack.up([old]));
  const voice = voiceOf("old");
  // test/service/any-hostile.test.ts has more forms.
  stack.leaveOldCopy("old", `\\u{73}${voice.slice(1)}`);
  const { ok, error } = await stack.up([old]);
  expect([ok, listed()]).toEqual([false, [voice]]);
  expect(error).toMatch(/the id .* is not written as pulumi-cloudvoice writes it.*Nothing was sent/);
  expect(emulator.summary().calls.delete).toBeUndefined();
});

/**
 * A replacement that is interrupted between its create and its delete leaves the old copy of the resource in the state,
 * marked for deletion.
 */
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
    expect([listed(), stack.held()]).toEqual([before, before]);
  });

  test.each([
    ["destroy", false],
    ["destroy --refresh", true],
  ])("is deleted together with the voice by %s", async (_, refresh) => {
    await stack.ok(stack.destroy({ refresh }));
    expect([listed(), stack.held()]).toEqual([[], []]);
  });

  test("keeps the voice when an alias renames the resource, with and without targets", async () => {
    const program = [{ name: "renamed", aliases: ["v"] }, w];
    await stack.ok(stack.up(program, { targets: ["w"] }));
    const { log } = await stack.ok(stack.up(program, { targets: ["v"] }));
    expect(log).toContain("not deleting the voice ");
    expect(listed()).toEqual(before);
    for (const options of [{ targets: ["renamed"] }, {}]) {
      await stack.ok(stack.up(program, options));
      expect([listed(), stack.held()]).toEqual([before, before]);
    }
  });
});
