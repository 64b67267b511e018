import type { Emulator } from "../../provider/emulator";
import { nameInVoice } from "../../provider/src/rules/naming";
import { emulate, voicesIn } from "../support/emulate";
import { setReader } from "../simulation/set-engine";
import { inFrontOf } from "../support/in-front";
import { questionsIn } from "../support/operation";
import { many, SimulatedSet, unreadStates, url } from "../support/simulated-set";

/** What a killed update of a `VoiceSet` left, and where the next one finds it. */

let emulator: Emulator;
async function setUp(settings: Record<string, string> = {}) {
  emulator = await emulate();
  return new SimulatedSet(emulator, settings);
}
const account = () => voicesIn(emulator);
const billed = () => emulator.summary().voicesBilled;

/** The list of the service without the voices whose names contain this text. */
async function hiding() {
  emulator = await emulate();
  const hidden = { name: "none", lists: 0, isDoubtful: false };
  const front = await inFrontOf(emulator, ({ body, answer }) => {
    if (!body.includes('"list"')) return undefined;
    hidden.lists++;
    const { output, ...rest } = JSON.parse(answer) as { output: { voice_list: { voice: string }[] } };
    const list = output.voice_list.filter(({ voice }) => !voice.includes(hidden.name));
    const more = hidden.isDoubtful ? { replica: "lagging" } : {};
    return { answer: JSON.stringify({ ...rest, output: { voice_list: list, ...more } }) };
  });
  return { set: new SimulatedSet(front), hidden };
}

function expectWhole(set: SimulatedSet, count: number) {
  expect(Object.values(set.held()).sort()).toEqual(account());
  expect(account()).toHaveLength(count);
}

describe.each<[what: string, rename: (set: SimulatedSet) => void]>([
  ["the set gets another name (aliases)", (set) => void (set.name = "speakers")],
  ["the stack gets another name", (set) => void (set.stack = "production")],
])("an update is killed, and then %s", (_, rename) => {
  test("with the same program: nothing is paid again", async () => {
    const set = await setUp();
    await set.ok(set.up(many(3)));
    await set.up(many(3, "b"), { killedAfter: 4 });
    expect(billed()).toBe(6);
    rename(set);
    // The pending operation has the former name.
    set.pending = [];
    await set.ok(set.up(many(3, "b")));
    expectWhole(set, 3);
    expect(billed()).toBe(6);
    expect((await set.ok(set.preview(many(3, "b")))).changes).toEqual([]);
  });

  test("and the program is reverted: nothing is left over", async () => {
    const set = await setUp();
    await set.ok(set.up(many(3)));
    const before = set.held();
    await set.up({ ...many(3), w: url("w"), x: url("x") }, { killedAfter: 2 });
    rename(set);
    set.pending = [];
    await set.ok(set.up(many(3)));
    expect(set.held()).toEqual(before);
    expectWhole(set, 3);
  });
});

test("a copy of the state in another stack concludes nothing from the log, as long as the stack of the log has the set", async () => {
  const set = await setUp();
  await set.ok(set.up(many(1)));
  const original = structuredClone(set.saved)!;
  await set.up({ ...many(1), w: url("w") }, { killedAfter: 1 });
  set.pending = [];
  set.others.dev = original;
  set.stack = "copy";
  await set.up(many(1));
  expect(account()).toHaveLength(2);
  // A rename of the stack instead: no stack has the former name.
  delete set.others.dev;
  set.saved = structuredClone(original);
  await set.ok(set.up(many(1)));
  expect(account()).toHaveLength(1);
});

test("a log never takes a voice that a state holds", async () => {
  const set = await setUp();
  await set.ok(set.up(many(1)));
  const { saved } = set;
  await set.up({ ...many(1), w: url("w") }, { killedAfter: 1 });
  const [left = ""] = account().filter((voice) => voice !== set.held().v0);
  set.pending = [];
  set.others.other = structuredClone(saved)!;
  Object.assign(set.others.other.outputs.voices, { w: { id: left, voice: left } });
  await set.ok(set.up(many(1)));
  expect(account()).toContain(left);
});

test("everything unknown is one wait, whose line names the entries and the time", async () => {
  const { set, hidden } = await hiding();
  await set.ok(set.up(many(3)));
  const added = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`w${i}`, url(`w${i}`)]));
  await set.up({ ...many(3, "b"), ...added }, { killedAfter: 25 });
  hidden.name = "-w";
  hidden.lists = 0;
  const { log } = await set.ok(set.up({ ...many(3, "b"), w0: url("w0") }));
  const waited = set.clock.slept.reduce((sum, ms) => sum + ms, 0);
  expect(log.match(/searched|looked for|looks in the list|second look/g)).toHaveLength(1);
  expect(log).toMatch(
    /an update of voices was killed while it created voices\.w0, voices\.w1, .* and 15 more.* for up to 1\d\d s/,
  );
  // The timeout of a request, and the time that a list may be late.
  expect(waited).toBeLessThanOrEqual(121_000);
  // As many as for one voice.
  expect(hidden.lists).toBeLessThan(120);
});

test("a preview neither waits nor writes, and names what may not be listed yet", async () => {
  const { set, hidden } = await hiding();
  await set.ok(set.up(many(1)));
  await set.up({ ...many(1), w: url("w") }, { killedAfter: 1 });
  hidden.name = "w_";
  const notes = JSON.stringify([...set.notes]);
  const { log, changes } = await set.ok(set.preview(many(1)));
  expect(changes).toEqual([expect.stringMatching(/^- leftBehind\.w_/)]);
  expect(log).toMatch(/not known yet whether a killed update created voices\.w: the update looks for up to \d+ s/);
  expect([set.clock.slept, JSON.stringify([...set.notes])]).toEqual([[], notes]);
});

test("what may have been created is not forgotten because a list that proves nothing lacks it", async () => {
  const { set, hidden } = await hiding();
  await set.ok(set.up(many(1)));
  await set.up({ ...many(1), w: url("w") }, { killedAfter: 1 });
  Object.assign(hidden, { name: "-w", isDoubtful: true });
  const { error } = await set.up(many(1));
  expect(error).toMatch(
    /may have created a voice with the name w_.*does not prove that there is none: .*output\.replica/,
  );
  hidden.name = "none";
  await set.ok(set.up(many(1)));
  expectWhole(set, 1);
});

test("a destroy does not take its own pending operation for that of a killed run", async () => {
  const set = await setUp();
  await set.ok(set.up(many(2)));
  const { inputs, outputs } = set.saved!;
  set.pending = [{ type: "deleting", inputs, outputs }];
  const { log } = await set.ok(set.destroy());
  expect([set.clock.slept, log, account()]).toEqual([[], "", []]);
});

test("without a log and a pending operation, nothing is sent for it", async () => {
  const set = await setUp();
  await set.ok(set.up(many(2)));
  const calls = emulator.ledger().length;
  await set.ok(set.up(many(2)));
  expect(emulator.ledger().slice(calls)).toEqual([]);
});

test("a kill while a long log is written leaves the former one", async () => {
  const set = await setUp({ voiceQuota: "5000" });
  const long = Object.fromEntries(
    Array.from({ length: 3000 }, (_, i) => [`entry${i}`, { ...url(`${i}`), text: `${Math.sin(i)}${Math.cos(i)}` }]),
  );
  await set.ok(set.up(many(1)));
  await set.up({ ...many(1), w: url("w") }, { killedAfter: 1 });
  const before = new Map(set.notes);
  expect(await set.up({ ...many(1), ...long }, { killedAfter: 0 })).toMatchObject({ error: "killed" });
  const added = [...set.notes.keys()].filter((key) => !before.has(key));
  expect(added.length).toBeGreaterThan(0);
  for (const text of set.notes.values()) expect(text.length).toBeLessThanOrEqual(256 * 1024);
  // The parts were written, and the head not yet.
  for (const [key, text] of before) set.notes.set(key, text);
  set.pending = [];
  await set.ok(set.up(many(1)));
  expectWhole(set, 1);
});

test("a pending create stays in the state, and does not make retained voices those of the killed first update", async () => {
  const set = await setUp();
  await set.up(many(2), { killedAfter: 2 });
  await set.ok(set.up(many(2)));
  await set.ok(set.up({ ...many(2), w: url("w") }));
  expect(set.pending).toMatchObject([{ type: "creating" }]);
  const retained = account();
  set.saved = undefined;
  await set.ok(set.up({ v0: url("0"), other: url("other") }));
  expect(account()).toEqual(expect.arrayContaining(retained));
  expect([billed(), account().length]).toEqual([4, 4]);
});

test("without the journal, an old pending create does not delete what keepRemoved left", async () => {
  const set = await setUp();
  await set.up(many(2), { killedAfter: 2 });
  await set.ok(set.up(many(2)));
  await set.ok(set.up(many(1), { keepRemoved: true }));
  await set.ok(set.destroy());
  const kept = account();
  expect([kept.length, set.pending.length]).toEqual([1, 1]);
  set.notes.clear();
  await set.ok(set.up({ other: url("other") }));
  expect(account()).toEqual(expect.arrayContaining(kept));
});

test("a first update is killed twice: the second one's voices are found, though it noted its end", async () => {
  const set = await setUp();
  await set.up(many(1), { killedAfter: 1 });
  await set.up({ ...many(1), w: url("w") }, { killedAfter: Infinity });
  expect(set.pending).toHaveLength(2);
  await set.ok(set.up(many(1)));
  expectWhole(set, 1);
});

test("the voices of a set that was retained are not those of its killed update", async () => {
  const set = await setUp();
  await set.ok(set.up(many(2)));
  const retained = account();
  // `retainOnDelete`: the engine drops the set, and calls no provider.
  set.saved = undefined;
  await set.ok(set.up({ other: url("other") }));
  expect(account()).toEqual(expect.arrayContaining(retained));
});

test("a person is asked about the voices of a set once, with their number and five names", async () => {
  const set = await setUp();
  await set.ok(set.up(many(7)));
  set.saved = undefined;
  set.notes.clear();
  const { error } = await set.up(many(7));
  expect(error).toMatch(/^7 entries \(voices\.v0, voices\.v1, voices\.v2, voices\.v3, voices\.v4 and 2 more\): /);
  expect(questionsIn(error).size).toBe(1);
  expect(error.match(/nothing shows that it was made for this resource/g)).toHaveLength(1);
  set.accepted = questionsIn(error);
  await set.ok(set.up(many(7)));
  expect(billed()).toBe(7);
});

test("keys that swap their content, and content that moves while its key gets new content, are free", async () => {
  const set = await setUp();
  await set.ok(set.up({ a: url("0"), b: url("1") }));
  const { a, b } = set.held();
  await set.ok(set.up({ a: url("1"), b: url("0") }));
  expect([set.held(), billed()]).toEqual([{ a: b, b: a }, 2]);
  await set.ok(set.up({ a: url("2"), b: url("0"), c: url("1") }));
  expect([set.held(), billed()]).toMatchObject([{ b: a, c: b }, 3]);
  expect(nameInVoice(set.held().a ?? "")).toMatch(/^a_/);
  expectWhole(set, 3);
  expect((await set.ok(set.preview({ a: url("2"), b: url("0"), c: url("1") }))).changes).toEqual([]);
  await set.ok(set.destroy());
  expect(account()).toEqual([]);
});

test.each([
  ["another key", { a: url("0"), b: url("1") }, { z: url("0"), b: url("1") }],
  ["two entries with the same content", { a: url("0"), b: url("0") }, { y: url("0"), z: url("0") }],
])("a state is lost after a rename: the voices are found again by their names: %s", async (_, first, renamed) => {
  const set = await setUp();
  await set.ok(set.up(first));
  await set.ok(set.up(renamed));
  const before = Object.values(set.held()).sort();
  set.saved = undefined;
  set.notes.clear();
  const { error } = await set.up(renamed);
  set.accepted = questionsIn(error);
  await set.ok(set.up(renamed));
  expect([Object.values(set.held()).sort(), billed()]).toEqual([before, 2]);
  await set.ok(set.destroy());
  expect(account()).toEqual([]);
});

test("a killed update has made a voice, and its key changes before a list shows it: a person is asked, and it is paid once", async () => {
  const { set, hidden } = await hiding();
  await set.ok(set.up(many(1)));
  await set.up({ ...many(1), w: url("w") }, { killedAfter: 1 });
  Object.assign(hidden, { name: "-w", isDoubtful: true });
  const { error } = await set.up({ ...many(1), z: url("w") });
  expect(error).toMatch(/An earlier attempt to create the voice \w+ may have been billed/);
  Object.assign(hidden, { name: "none", isDoubtful: false });
  await set.ok(set.up({ ...many(1), z: url("w") }));
  expect([Object.keys(set.held()), billed()]).toEqual([["v0", "z"], 2]);
});

test("a voice that could not be deleted is taken back at no cost", async () => {
  const set = await setUp();
  await set.ok(set.up({ a: url("0") }));
  const { a } = set.held();
  emulator.setFaults([{ kind: "500", on: ["delete"] }]);
  await set.up({ a: url("1") });
  emulator.setFaults([]);
  expect(set.saved?.outputs.superseded).toHaveLength(1);
  await set.ok(set.up({ a: url("0") }));
  expect(set.held()).toEqual({ a });
  expectWhole(set, 1);
  expect(billed()).toBe(2);
});

test("an adopted voice is replaced, the update is killed, and the program is reverted: the voice is adopted again, and lives", async () => {
  const set = await setUp();
  const [byHand = ""] = emulator.seedVoices("default", 1);
  const adopting = { a: { ...url("a"), adopt: byHand } };
  await set.ok(set.up(adopting));
  await set.up({ a: url("b") }, { killedAfter: 1 });
  expect(account()).toHaveLength(2);
  await set.ok(set.up(adopting));
  expect(set.held()).toEqual({ a: byHand });
  expectWhole(set, 1);
  expect(billed()).toBe(1);
});

test("an update is killed, and then states can't be read: a listed voice does not count as not created, and is not paid again", async () => {
  const set = await setUp();
  await set.ok(set.up(many(1)));
  await set.up({ ...many(1), w: url("w") }, { killedAfter: 1 });
  await set.ok(set.up({ ...many(1), w: url("w") }, { parts: { states: unreadStates } }));
  expectWhole(set, 2);
  expect(billed()).toBe(2);
});

describe.each<[what: string, killedAfter: number]>([
  ["and the journal has notes of them", 6],
  ["before it noted any of them", 3],
])("an update is killed when all old voices are deleted, %s", (_, killedAfter) => {
  async function killed() {
    const set = await setUp();
    await set.ok(set.up(many(3)));
    const before = Object.values(set.held());
    await set.up(many(3, "b"), { killedAfter });
    for (const voice of account()) if (before.includes(voice)) emulator.vanish("default", voice);
    expect(account()).toHaveLength(3);
    return set;
  }

  test("and the next one goes on: nobody is asked about a loss that is no surprise", async () => {
    const set = await killed();
    await set.ok(set.up(many(3, "b")));
    expectWhole(set, 3);
    expect(billed()).toBe(6);
  });

  test("and a refresh does not ask either", async () => {
    const set = await killed();
    await set.ok(set.refresh());
    await set.ok(set.up(many(3, "b")));
    expectWhole(set, 3);
    expect(billed()).toBe(6);
    expect((await set.ok(set.preview(many(3, "b")))).changes).toEqual([]);
  });
});

test("killed before its deletes, and then only voices are listed that an earlier update replaced: nobody is asked", async () => {
  const set = await setUp();
  await set.ok(set.up(many(3)));
  emulator.setFaults([{ kind: "500", on: ["delete"] }]);
  await set.up(many(3, "b"));
  emulator.setFaults([]);
  await set.up(many(3, "c"), { killedAfter: 0 });
  for (const voice of Object.values(set.held())) emulator.vanish("default", voice ?? "");
  expect(account()).toHaveLength(3);
  await set.ok(set.refresh());
});

test("killed before its deletes, and then the account is empty: a person is asked, since that may be a wrong response", async () => {
  const set = await setUp();
  await set.ok(set.up(many(3)));
  await set.up(many(3, "b"), { killedAfter: 3 });
  for (const voice of account()) emulator.vanish("default", voice);
  const { error } = await set.refresh();
  expect(error).toMatch(/All 3 voices of .* are missing/);
});

test("the create of a `--replace` is killed, and the program is reverted: the next update deletes what it made", async () => {
  const set = await setUp();
  await set.ok(set.up(many(2)));
  const before = set.held();
  const { saved } = set;
  // The engine creates the new set without the old state, which the backend still has.
  set.saved = undefined;
  const states = { "organization/p/dev": { urn: set.urn("dev"), saved } };
  await set.up(
    { ...many(2), v0: url("b"), w: url("w") },
    { killedAfter: 2, parts: { states: setReader(() => states) } },
  );
  expect(billed()).toBe(4);
  set.saved = saved;
  set.pending = [];
  const left = account().filter((voice) => !Object.values(before).includes(voice));
  expect((await set.ok(set.preview(many(2)))).changes).toEqual(left.map((voice) => `- leftBehind["${voice}"]`));
  await set.ok(set.up(many(2)));
  expect(set.clock.slept).toEqual([]);
  expect(set.held()).toEqual(before);
  expectWhole(set, 2);
  expect((await set.ok(set.preview(many(2)))).changes).toEqual([]);
});
