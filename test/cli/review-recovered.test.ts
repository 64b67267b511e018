import type { Emulator } from "../../provider/emulator";
import { parsePreview } from "../../provider/src/cli/review/preview";
import { voiceSetType } from "../../provider/src/rules/resource-types";
import { nameInVoice } from "../../provider/src/rules/naming";
import { entryUrn } from "../../provider/src/rules/voice-set";
import { emulate, voicesIn } from "../support/emulate";
import { holder, review, targetModel } from "../support/review-steps";
import { SimulatedSet, url } from "../support/simulated-set";

/** The review of a set counts no voice that the update keeps although no entry of the state has it. */

type Program = Record<string, { audio: string }>;

let emulator: Emulator;
async function setUp(program: Program) {
  emulator = await emulate();
  const set = new SimulatedSet(emulator);
  await set.ok(set.up(program));
  return set;
}

/** The review of the update, from what the provider reports to the engine's preview. */
async function reviewed(set: SimulatedSet, program: Program, facts: Parameters<typeof review>[1] = {}) {
  const { changes } = await set.ok(set.preview(program));
  const urn = `urn:pulumi:dev::p::${voiceSetType}::${set.name}`;
  const { inputs, outputs } = set.saved!;
  const step = {
    ...{ op: "update", urn },
    oldState: { urn, type: voiceSetType, id: "voices", inputs, outputs },
    newState: { urn, type: voiceSetType, inputs: set.checked },
    detailedDiff: Object.fromEntries(changes.map((change) => [change.slice(2), {}])),
  };
  const preview = parsePreview(Buffer.from(JSON.stringify({ steps: [step], changeSummary: { update: 1 } })));
  const account = emulator.voices().map((row) => ({ ...row, targetModel }));
  const held = (outputs.superseded ?? []).map(({ key, state }) => {
    return { ...holder(key, state.voice), savedUrn: entryUrn(urn, key), isOld: true };
  });
  return review([], { preview, account, held, ...facts });
}

/** Runs the update, and compares the review with it. */
async function expectAsReviewed(set: SimulatedSet, program: Program, facts: Parameters<typeof review>[1] = {}) {
  const { charge, questions, goingVoices, changes } = await reviewed(set, program, facts);
  const before = { billed: emulator.summary().voicesBilled, account: voicesIn(emulator) };
  await set.ok(set.up(program));
  const deleted = before.account.filter((voice) => !voicesIn(emulator).includes(voice));
  expect(Object.values(set.held()).sort()).toEqual(voicesIn(emulator));
  expect(questions).toEqual([]);
  expect(charge.voices).toBe(emulator.summary().voicesBilled - before.billed);
  // The killed update has already deleted some voices of the state.
  const going = goingVoices.map(({ voice }) => voice).filter((voice) => before.account.includes(voice));
  expect(going.sort()).toEqual(deleted);
  return { paid: charge.voices, changes };
}

test("a killed update made two voices for an entry: the review takes the one that the update keeps, whatever the note says", async () => {
  const set = await setUp({ a: url("0"), b: url("1") });
  const { a: old } = set.held();
  await set.up({ a: url("2"), b: url("1") }, { killedAfter: 1 });
  const made = voicesIn(emulator).find((voice) => !Object.values(set.held()).includes(voice))!;
  const preferredName = nameInVoice(made)!;
  const [again = ""] = emulator.seedVoices("default", 1, { preferredName });
  for (const id of [made, again]) {
    const unfinished = new Map([[preferredName, { end: "made" as const, sentMs: 0, isOurs: true, id }]]);
    const { changes, charge, questions } = await reviewed(set, { a: url("2") }, { unfinished });
    expect(changes.map(({ action, id: voice }) => [action, voice])).toContainEqual(["replace", old]);
    expect([charge.voices, questions]).toEqual([0, []]);
  }
  expect((await expectAsReviewed(set, { a: url("2") })).paid).toBe(0);
});

test("a killed update made a voice, and then the set and the entry get other names: the entry takes the voice at no cost", async () => {
  const set = await setUp({ a: url("0"), b: url("1") });
  await set.up({ a: url("0"), b: url("2"), x: url("3") }, { killedAfter: 2 });
  set.name = "speakers";
  set.pending = [];
  const { paid, changes } = await expectAsReviewed(set, { b: url("0"), y: url("3"), z: url("4") });
  expect(paid).toBe(1);
  expect(changes.map(({ action, name }) => `${action} ${name}`)).toEqual(
    expect.arrayContaining(["take speakers.y", "create speakers.z", "update speakers.b"]),
  );
});

test("an entry with the content of a recovered voice is a copy, which is paid for", async () => {
  const set = await setUp({ a: url("0") });
  await set.up({ a: url("0"), x: url("1") }, { killedAfter: 1 });
  expect((await expectAsReviewed(set, { a: url("0"), x: url("1"), y: url("1") })).paid).toBe(1);
});

test("an entry gets a recovered voice, and another entry the former voice: nothing is paid or deleted", async () => {
  const set = await setUp({ a: url("0") });
  await set.up({ a: url("1") }, { killedAfter: 1 });
  const { paid, changes } = await expectAsReviewed(set, { a: url("1"), b: url("0") });
  expect([paid, changes.map(({ action, name }) => `${action} ${name}`)]).toEqual([
    0,
    ["take voices.a", "update voices.b"],
  ]);
});

test("an entry takes a replaced voice that could not be deleted: nothing is paid", async () => {
  const set = await setUp({ a: url("0") });
  emulator.setFaults([{ kind: "500", on: ["delete"] }]);
  await set.up({ a: url("1") });
  emulator.setFaults([]);
  expect((await expectAsReviewed(set, { a: url("1"), b: url("0") })).paid).toBe(0);
});

test("a killed update deleted the voice of one of three equal entries: an entry that gets another entry's voice is free", async () => {
  const equal = { a: url("0"), b: url("0"), c: url("0") };
  const set = await setUp(equal);
  await set.up({ c: url("0") }, { killedAfter: 1 });
  const [gone = ""] = Object.entries(set.held()).flatMap(([key, voice = ""]) =>
    voicesIn(emulator).includes(voice) ? [] : [key],
  );
  const program = { [gone]: url("0"), late: url("0") };
  expect((await expectAsReviewed(set, program)).paid).toBe(0);
});

test("a replaced set creates its added entries, and only deletes the voices of its removed entries", async () => {
  const set = await setUp({ a: url("0"), b: url("1") });
  const urn = `urn:pulumi:dev::p::${voiceSetType}::${set.name}`;
  const { inputs, outputs } = set.saved!;
  await set.ok(set.preview({ a: url("0"), c: url("2") }));
  const step = {
    ...{ op: "replace", urn },
    oldState: { urn, type: voiceSetType, id: "voices", inputs, outputs },
    newState: { urn, type: voiceSetType, inputs: { ...set.checked, keepRemoved: true } },
  };
  const { steps, createdSets } = parsePreview(
    Buffer.from(JSON.stringify({ steps: [step], changeSummary: { replace: 1 } })),
  );
  expect(steps.map(({ op, urn: entry }) => [entry, op])).toEqual([
    [entryUrn(urn, "a"), "replace"],
    [entryUrn(urn, "c"), "create"],
    [entryUrn(urn, "b"), "delete"],
  ]);
  expect(createdSets).toEqual([{ urn, keepsRemoved: false }]);
});
