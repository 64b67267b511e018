import { Journal, type JournalNote } from "../../provider/src/service/journal/journal";
import { EarlierRuns, leftIn, type LeftRequest } from "../../provider/src/voices/earlier-runs";
import { journalIn } from "../support/journal";
import { fakeClock } from "../support/service";

/** What a run concludes from what an earlier run left of a billed request. */

const startedAtMs = Date.parse("2026-06-01T12:00:00Z");
const inputs = { targetModel: "m", preferredName: "studio_0a1b2c3", nameVersion: 1 };

/** A run after one that has written these notes. */
function run({ saved = "", isOneOfSeveral = false, hasBackend = true, pending = [] as string[] } = {}) {
  const clock = fakeClock(startedAtMs);
  const journal = new Journal(journalIn(new Map()), clock, () => undefined, { apiKey: "k" });
  const states = {
    backend: () => Promise.resolve(hasBackend ? "b" : undefined),
    place: (stack: string) => Promise.resolve(`b ${stack}`),
    isOneOfSeveral: () => Promise.resolve(isOneOfSeveral),
    hasSaved: (id: string) => Promise.resolve(id === saved),
    interruptedCreates: () => Promise.resolve(pending.map((preferredName) => ({ preferredName }))),
    isOwnKnown: () => Promise.resolve(true),
  };
  const earlier = new EarlierRuns({ journal, states: states as never, fingerprint: () => "f", startedAtMs });
  const waits: number[] = [];
  const request = () => earlier.request("key", 60_000, (leftMs) => waits.push(leftMs));
  const create = async (note?: Omit<JournalNote, "sentAtMs">) => {
    const key = (await earlier.noteKey(inputs, "p/dev")) ?? "";
    if (note) await journal.write(key, { sentAtMs: startedAtMs - 1000, ...note });
    return earlier.create(inputs, "p/dev");
  };
  return { clock, journal, earlier, request, create, waits };
}

test.each<[what: string, note: Omit<JournalNote, "sentAtMs">, expected: Partial<LeftRequest>]>([
  ["without an outcome", {}, { end: "sent", isOurs: true }],
  ["of a run that ended without one", { lost: true }, { end: "lost" }],
  ["of a success that was not understood", { lost: true, answered: true }, { end: "answered" }],
  ["whose answers were too long to keep", { id: "i", answered: true }, { end: "answered", id: "i" }],
  ["with what the service made", { id: "i", result: "{}" }, { end: "made", id: "i", result: "{}" }],
  ["of several stacks", { id: "i", isShared: true }, { end: "made", isOurs: false }],
  ["that is not sealed with this key", { unproven: true }, { end: "unproven", isOurs: false }],
])("a note %s", (_, note, expected) => {
  expect(leftIn({ sentAtMs: 7, ...note })).toMatchObject({ sentMs: 7, ...expected });
});

describe("a request that no list shows", () => {
  test("is left until the state has its result", async () => {
    for (const saved of ["", "task"]) {
      const { journal, request } = run({ saved });
      await journal.write("key", { sentAtMs: startedAtMs, id: "task" });
      expect((await request())?.id).toBe(saved === "" ? "task" : undefined);
    }
    expect(await run().request()).toBeUndefined();
  });

  test("is not certainly ours if several stacks may be this one", async () => {
    for (const isOneOfSeveral of [true, false]) {
      const { journal, request } = run({ isOneOfSeveral });
      await journal.write("key", { sentAtMs: startedAtMs, id: "task" });
      expect((await request())?.isOurs).toBe(!isOneOfSeveral);
    }
  });

  test("is waited for if its run may still note the outcome, and not if that run has ended without one", async () => {
    const ended = run();
    await ended.journal.write("key", { sentAtMs: startedAtMs, lost: true });
    expect([(await ended.request())?.end, ended.clock.slept, ended.waits]).toEqual(["lost", [], []]);
    const interrupted = run();
    await interrupted.journal.write("key", { sentAtMs: startedAtMs });
    expect((await interrupted.request())?.end).toBe("sent");
    expect(interrupted.waits).toEqual([60_000]);
    expect(interrupted.clock.slept.reduce((sum, ms) => sum + ms, 0)).toBe(60_000);
  });
});

describe("the create of a voice", () => {
  const named = { pending: [inputs.preferredName] };
  test.each<[string, Parameters<typeof run>[0], Partial<JournalNote> | undefined, Partial<LeftRequest> | undefined]>([
    ["left nothing", {}, undefined, undefined],
    ["has a note", {}, { id: "v" }, { end: "made", isOurs: true, id: "v" }],
    ["has a note, and several stacks may be this one", { isOneOfSeveral: true }, {}, { end: "sent", isOurs: false }],
    ["has a note, and the backend is not known", { hasBackend: false }, {}, { end: "sent", isOurs: false }],
    ["is in the state, although another operation is pending", { saved: "v", ...named }, { id: "v" }, undefined],
    ["is pending in the state only", named, undefined, { end: "pending", isOurs: true, sentMs: startedAtMs }],
    ["is pending in the state, with a note that proves nothing", named, { unproven: true }, { end: "pending" }],
  ])("%s", async (_, world, note, expected) => {
    const { create, journal } = run(world);
    const isUnproven = note?.unproven === true;
    if (isUnproven) Object.assign(journal, { find: () => Promise.resolve({ ...note, sentAtMs: 1 }) });
    const left = await create(isUnproven ? undefined : note);
    if (expected === undefined) expect(left).toBeUndefined();
    else expect(left).toMatchObject(expected);
  });

  test("is never looked for under a name that the program chose", async () => {
    const { earlier } = run();
    expect(await earlier.noteKey({ targetModel: "m", preferredName: "chosen" }, "p/dev")).toBeUndefined();
  });
});
