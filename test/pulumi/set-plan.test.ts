import fc from "fast-check";
import { recover } from "../../provider/src/pulumi/provider/voice-set/recover";
import {
  changesOf,
  isPaid,
  plannedEntries,
  roomLine,
  type Step,
  stepsLine,
  stepsOf,
} from "../../provider/src/pulumi/provider/voice-set/plan";
import { runSteps } from "../../provider/src/pulumi/provider/voice-set/run";
import type { VoiceOutputs } from "../../provider/src/rules/voice";
import {
  afterOutcomes,
  type Outcome,
  type SetInputs,
  type SetVoices,
  voiceIds,
} from "../../provider/src/rules/voice-set";

/** The pure parts of a set: what was interrupted becomes state, a plan is a list of steps, and outcomes become state. */

const voice = (id: string, audio: string) =>
  ({ voice: id, targetModel: "m", audio, degraded: false, adopted: false, account: "acc" }) as VoiceOutputs;
const held = (voices: Record<string, string>, superseded: [key: string, audio: string][] = []): SetVoices => ({
  voices: new Map(Object.entries(voices).map(([key, audio]) => [key, voice(`${key}-${audio}`, audio)])),
  superseded: superseded.map(([key, audio]) => ({ key, state: voice(`old-${key}-${audio}`, audio) })),
  released: [],
});
const program = (contents: Record<string, string>): SetInputs => ({
  defaults: { targetModel: "m" },
  voices: Object.fromEntries(Object.entries(contents).map(([key, audio]) => [key, { audio }])),
});
type Options = { deleteBeforeReplace?: boolean; keepRemoved?: boolean; room?: number };
const plan = (before: SetVoices, contents: Record<string, string>, { room = 9, ...options }: Options = {}) =>
  stepsOf(before, plannedEntries(before, program(contents), []), options, room);
const shown = (steps: readonly Step[]) =>
  steps.map((step) => {
    if (step.action === "keep") return `keep ${step.key} ${step.keeps.state.voice}`;
    if (step.action === "create") return `create ${step.key}`;
    return `${step.why === "superseded" ? "drop" : step.action} ${step.state.voice}`;
  });

type Contents = Record<string, string>;
test.each<[what: string, before: SetVoices, now: Contents, options: Options, steps: string[]]>([
  ["nothing new", held({ a: "1" }), { a: "1" }, {}, ["keep a a-1"]],
  ["a new entry", held({}), { a: "1" }, {}, ["create a"]],
  ["a removed entry", held({ a: "1" }), {}, {}, ["delete a-1"]],
  ["new content", held({ a: "1" }), { a: "2" }, {}, ["create a", "delete a-1"]],
  [
    "new content, the old voice first",
    held({ a: "1" }),
    { a: "2" },
    { deleteBeforeReplace: true },
    ["delete a-1", "create a"],
  ],
  ["a new key", held({ a: "1" }), { b: "1" }, {}, ["keep b a-1"]],
  ["keys that swap", held({ a: "1", b: "2" }), { a: "2", b: "1" }, {}, ["keep a b-2", "keep b a-1"]],
  [
    "content that moves while its key gets new content",
    held({ a: "1" }),
    { a: "2", b: "1" },
    {},
    ["keep b a-1", "create a"],
  ],
  ["a superseded voice", held({ a: "2" }, [["a", "1"]]), { a: "2" }, {}, ["keep a a-2", "drop old-a-1"]],
  ["one that is wanted again", held({ a: "2" }, [["a", "1"]]), { a: "1" }, {}, ["keep a old-a-1", "delete a-2"]],
  [
    "a full account: superseded voices, removed entries, and then replaced ones, one after the other",
    held({ a: "1", b: "1", c: "1" }, [["c", "0"]]),
    { a: "2", b: "2" },
    { room: -2 },
    ["drop old-c-0", "delete c-1", "delete a-1", "create a", "delete b-1", "create b"],
  ],
  [
    "old voices that stay make no room",
    held({ a: "1", b: "1" }),
    { a: "2" },
    { room: 0, keepRemoved: true },
    ["create a", "release a-1", "release b-1"],
  ],
])("the steps for %s", (_, before, now, options, steps) => {
  expect(shown(plan(before, now, options))).toEqual(steps);
});

const prices = { voicePrice: 0.01, imagePrice: undefined, decisionPricePerMillionTokens: undefined, currency: "USD" };
const six = { a: "1", b: "1", c: "1", d: "1", e: "1", f: "1" };
test.each<[what: string, before: SetVoices, now: Contents, options: Options, line: string]>([
  ["nothing", held({ a: "1" }), { a: "1" }, {}, ""],
  ["a removed entry alone", held({ a: "1" }), {}, {}, ""],
  [
    "a replacement",
    held({ narrator: "1" }),
    { narrator: "2" },
    {},
    "1 voice is created, at most $0.01; 1 voice is replaced (created, then the old one deleted): narrator",
  ],
  [
    "six replacements, the old voices first",
    held(six),
    { a: "2", b: "3", c: "4", d: "5", e: "6", f: "7" },
    { deleteBeforeReplace: true },
    "6 voices are created, at most $0.06; 6 voices are replaced (the old one deleted, then created): a, b, c, d, e and 1 more",
  ],
  [
    "a replacement whose old voice stays",
    held({ a: "1" }),
    { a: "2" },
    { keepRemoved: true },
    "1 voice is created, at most $0.01; 1 voice is replaced (created, and the old one stays in the account): a",
  ],
  ["a rename", held({ a: "1", c: "2" }), { b: "1" }, {}, "renamed at no cost: a to b; 1 removed"],
])("the line about %s", (_, before, now, options, line) => {
  expect(stepsLine(plan(before, now, options), prices)).toBe(line);
});

test("the line about old voices that go first counts those that make room", () => {
  expect(roomLine(plan(held({ a: "1", b: "1" }), { a: "2" }, { room: 0 }))).toMatch(
    /: 1 of 2 old voices are deleted before new voices are created$/,
  );
  expect(roomLine(plan(held({ a: "1" }), { a: "2" }, { room: 1 }))).toBeUndefined();
  expect(roomLine(plan(held({ a: "1" }), { a: "2" }, { deleteBeforeReplace: true }))).toBeUndefined();
});

test.each<[what: string, saved: SetVoices, recovered: SetVoices, now: Contents, changes: string[]]>([
  ["nothing", held({ a: "1" }), held({ a: "1" }), { a: "1" }, []],
  [
    "a swap",
    held({ a: "1", b: "2" }),
    held({ a: "1", b: "2" }),
    { a: "2", b: "1" },
    ["UPDATE voices.a.audio", "UPDATE voices.b.audio"],
  ],
  ["what a killed update made for it", held({}), held({ a: "1" }), { a: "1" }, ["ADD voices.a"]],
  ["a removed entry", held({ a: "1" }), held({ a: "1" }), {}, ["DELETE voices.a"]],
])("the engine sees of %s: %s", (_, saved, recovered, now, changes) => {
  const found = changesOf(saved, plannedEntries(recovered, program(now), []));
  expect(found.map(({ kind, path }) => `${kind} ${path}`)).toEqual(changes);
});

test.each<
  [what: string, before: SetVoices, outcomes: Outcome[], voices: Contents, superseded: string[], released: string[]]
>([
  ["an entry gets its first voice", held({}), [{ key: "a", has: voice("v", "1") }], { a: "v" }, [], []],
  ["its next one", held({ a: "1" }), [{ key: "a", has: voice("v", "2") }], { a: "v" }, ["a-1"], []],
  ["the voice of another", held({ a: "1" }), [{ key: "b", has: voice("a-1", "1") }], { b: "a-1" }, [], []],
  ["a superseded one", held({}, [["a", "1"]]), [{ key: "a", has: voice("old-a-1", "1") }], { a: "old-a-1" }, [], []],
  ["none any more", held({ a: "1" }), [{ key: "a", left: "a-1" }], {}, [], []],
  ["none, and it stays", held({ a: "1" }), [{ key: "a", left: "a-1", stays: true }], {}, [], ["a-1"]],
  [
    "what another one gives up by adopting it",
    held({ a: "1" }),
    [
      { key: "b", has: voice("a-1", "1") },
      { key: "a", left: "a-1" },
    ],
    { b: "a-1" },
    [],
    [],
  ],
  [
    "two that swap",
    held({ a: "1", b: "2" }),
    [
      { key: "a", has: voice("b-2", "2") },
      { key: "b", has: voice("a-1", "1") },
    ],
    { a: "b-2", b: "a-1" },
    [],
    [],
  ],
])("after outcomes: %s", (_, before, outcomes, voices, superseded, released) => {
  const after = afterOutcomes(before, outcomes);
  expect(Object.fromEntries([...after.voices].map(([key, state]) => [key, state.voice]))).toEqual(voices);
  expect(after.superseded.map(({ state }) => state.voice)).toEqual(superseded);
  expect(after.released).toEqual(released);
});

test.each<
  [
    what: string,
    before: SetVoices,
    made: [key: string, ...voices: string[]][],
    deleted: string[],
    voices: Contents,
    superseded: string[],
  ]
>([
  ["it had sent nothing", held({ a: "1" }), [["a"]], [], { a: "a-1" }, []],
  ["it had made a voice", held({ a: "1" }), [["a", "v"]], [], { a: "v" }, ["a-1"]],
  ["and deleted the old one", held({ a: "1" }), [["a", "v"]], ["a-1"], { a: "v" }, []],
  ["it had deleted the old one first", held({ a: "1" }), [["a"]], ["a-1"], {}, []],
  ["it had made two of one name", held({}), [["a", "v", "w"]], [], { a: "w" }, ["v"]],
  ["the state has its voice, and a late second one", held({ a: "1" }), [["a", "a-1", "w"]], [], { a: "a-1" }, ["w"]],
  [
    "the state has its voice as superseded",
    held({ a: "2" }, [["a", "1"]]),
    [["a", "old-a-1"]],
    [],
    { a: "a-2" },
    ["old-a-1"],
  ],
])("after an interruption: %s", (_, before, made, deleted, voices, superseded) => {
  const states = made.map(([key, ...ids]) => ({ key, states: ids.map((id) => voice(id, "9")) }));
  const after = recover(before, states, new Set(deleted));
  expect(Object.fromEntries([...after.voices].map(([key, state]) => [key, state.voice]))).toEqual(voices);
  expect(after.superseded.map(({ state }) => state.voice)).toEqual(superseded);
});

let ids = 0;
/** An account in which the steps are done. */
async function doneIn(
  account: Set<string>,
  before: SetVoices,
  steps: readonly Step[],
  isFailing: (step: Step) => boolean,
) {
  let made = 0;
  let peak = account.size;
  const perform = (step: Step): Promise<Outcome> => {
    if (step.action !== "keep" && isFailing(step)) return Promise.reject(new Error("refused"));
    if (step.action === "keep") return Promise.resolve({ key: step.key, has: step.keeps.state });
    if ("state" in step) {
      account.delete(step.state.voice);
      return Promise.resolve({ key: step.key, left: step.state.voice });
    }
    made++;
    const id = `made-${ids++}`;
    account.add(id);
    peak = Math.max(peak, account.size);
    return Promise.resolve({
      key: step.key,
      has: { ...voice(id, ""), ...step.entry.wanted.inputs, voice: id },
    });
  };
  const { results } = await runSteps(steps, perform, new Promise(() => undefined));
  const outcomes = results.flatMap((result) => ("outcome" in result ? [result.outcome] : []));
  return { after: afterOutcomes(before, outcomes), made, peak };
}

test("drawn states and programs: each wanted entry has one voice, nothing else is left, and the next plan is empty", async () => {
  const contents = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom("1", "2", "3"));
  const old = fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.constantFrom("1", "2", "3")), { maxLength: 2 });
  const failing = fc.array(fc.boolean(), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      contents,
      old,
      contents,
      fc.boolean(),
      fc.nat(3),
      failing,
      async (voices, superseded, now, deleteBeforeReplace, room, fails) => {
        const before = held(voices, [...new Map(superseded.map((each) => [each.join(), each])).values()]);
        const account = new Set(voiceIds(before));
        const options = { deleteBeforeReplace, room };
        const steps = plan(before, now, options);
        const paid = steps.filter(isPaid).length;
        // Some requests of the first update fail. The state says what exists.
        const left = [...fails];
        const first = await doneIn(account, before, steps, () => left.shift() === true);
        expect([...voiceIds(first.after)].sort()).toEqual([...account].sort());
        expect(first.made).toBeLessThanOrEqual(paid);
        const again = plan(first.after, now, options);
        const size = account.size;
        const second = await doneIn(account, first.after, again, () => false);
        expect(second.made).toBe(again.filter(isPaid).length);
        // The peak of the list is that of the account, and within its room where old voices can make it.
        const peaks = again.reduce<number[]>(
          (all, step) => [...all, (all.at(-1) ?? size) + Number(isPaid(step)) - Number(step.action === "delete")],
          [size],
        );
        expect(second.peak).toBeLessThanOrEqual(Math.max(...peaks));
        const wanted = Object.fromEntries([...second.after.voices].map(([key, { audio }]) => [key, audio]));
        expect(wanted).toEqual({ ...now });
        expect([...account].sort()).toEqual([...second.after.voices.values()].map(({ voice: id }) => id).sort());
        expect(plan(second.after, now, options).every(({ action }) => action === "keep")).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

test("a step waits for the earlier ones of its entry, removed entries wait for all, and a stop ends the wait", async () => {
  const before = held({ a: "1", b: "1", c: "1" }, [["z", "0"]]);
  const steps = plan(before, { a: "2", b: "2" });
  const done: string[] = [];
  const perform = (step: Step): Promise<Outcome> => {
    done.push(`${step.action} ${step.key}`);
    if (step.key === "z" || (step.key === "a" && step.action === "create")) return Promise.reject(new Error("refused"));
    return Promise.resolve({ key: step.key, left: "" });
  };
  const { results, isWhole } = await runSteps(steps, perform, new Promise(() => undefined));
  expect(done).toEqual(["delete z", "create a", "create b", "delete b"]);
  expect([isWhole, results.filter((result) => "error" in result).length]).toEqual([true, 2]);
  const stopped = await runSteps(steps, () => new Promise(() => undefined), Promise.resolve());
  expect(stopped).toEqual({ results: [], isWhole: false });
});
