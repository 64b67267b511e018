import { generateName } from "../../provider/src/rules/naming";
import { entryUrn } from "../../provider/src/rules/voice-set";
import { dynamicUrn, voiceSetType } from "../../provider/src/rules/resource-types";
import { type StackState, stateOf } from "../../provider/src/stacks/state";
import type { Journal, JournalNote } from "../../provider/src/service/journal/journal";
import { States } from "../../provider/src/stacks/states";
import { SetLog, type SetLogEntry } from "../../provider/src/voices/set-log";
import { type LeftOfSet, leftOfSet, orphansOfSets } from "../../provider/src/voices/set-orphans";
import { emptyStates } from "../support/states";

const urn = `urn:pulumi:dev::p::${voiceSetType}::voices`;
const entry = dynamicUrn(entryUrn(urn, "a"));
const inputs = { targetModel: "m", audio: "https://e.org/a.wav" };
const preferredName = generateName({ namespace: "organization", urn: entry }, { ...inputs, audio: inputs.audio });
const voice = `svc-tts-vc-${preferredName}-voice-20261121093000000-1a2b`;
const other = "svc-tts-vc-other_1234567-voice-20261121093000000-1a2b";
const listed = [voice, other].map((each) => ({ voice: each, targetModel: "m" }));
const create = {
  urn,
  isCreate: true,
  hidesNames: false,
  intended: [{ urn: entry, inputs, preferredName, targetModel: "m" }],
};
const logged: SetLogEntry = {
  ...{ stack: "organization/p/dev", name: "voices", instance: "i", update: 1, pendingBefore: 0 },
  ...{ deletes: [], existing: [] },
  creates: [{ key: "a", inputs: { ...inputs, preferredName } }],
};

const sets = (instance: string, updates = 0) =>
  new Map([[instance, { instance, urn, updates, voices: [], released: [] }]]) as StackState["instances"];

interface Facts {
  deleted?: string[];
  note?: JournalNote;
}
type Evidence = [voice: string, isLogged: boolean];
test.each<[what: string, state: object, log: SetLogEntry | "damaged" | undefined, found: Evidence[]]>([
  ["its log", { pendingUpdates: [create] }, logged, [[voice, true]]],
  ["a pending operation alone", { pendingUpdates: [create] }, undefined, [[voice, false]]],
  ["a pending operation and a log that can't be read", { pendingUpdates: [create] }, "damaged", [[voice, false]]],
  ["an update that came to its end", { pendingUpdates: [create] }, { ...logged, open: [] }, [[voice, false]]],
  ["a set that the state has", { pendingUpdates: [create], instances: sets("i") }, logged, []],
  ["a log without a pending operation", {}, logged, [[voice, true]]],
  ["a log of a set that another stack has now", {}, { ...logged, instance: "moved" }, []],
  ["a log of an update that came to its end", {}, { ...logged, open: [] }, []],
  ["a voice that the state holds", { pendingUpdates: [create], holders: [{ voice }] }, undefined, []],
  ["a voice that was there before", { pendingUpdates: [create] }, { ...logged, existing: [voice] }, []],
  ["a pending update of a set", { pendingUpdates: [{ ...create, isCreate: false }] }, undefined, []],
  [
    "a pending operation with another's name",
    { pendingUpdates: [{ ...create, intended: [{ ...create.intended[0], preferredName: "other_1234567" }] }] },
    undefined,
    [],
  ],
  ["nothing", {}, undefined, []],
])("the voices of a set that no state has, and whose update was killed: %s", async (_, state, log, found) => {
  const own = { ...stateOf("organization/p/dev", {}), ...state };
  const unended = typeof log === "object" && log.open === undefined ? [log] : [];
  const logs = {
    instanceOf: () => Promise.resolve("i"),
    find: () => Promise.resolve(log),
    unended: () => Promise.resolve(unended),
  };
  const everywhere = () => Promise.resolve([own, { instances: sets("moved") }]);
  const orphans = await orphansOfSets(listed, own, logs, { namespace: undefined, apiKey: "k" }, everywhere);
  expect(orphans.map(({ row, isLogged }) => [row.voice, isLogged])).toEqual(found);
});

describe("what a create or a replacement of a set finds of a killed update", () => {
  const sent: JournalNote = { sentAtMs: 1 };
  const noted = { ...logged, creates: logged.creates.map((each) => ({ ...each, note: "n" })) };
  const unlisted = {
    ...noted,
    creates: noted.creates.map((each) => ({ ...each, inputs: { ...each.inputs, targetModel: "o" } })),
  };
  const unseen = [preferredName];

  test.each<
    [what: string, log: SetLogEntry | "damaged" | undefined, state: object, facts: Facts, found: Partial<LeftOfSet>]
  >([
    ["its voice, without a pending operation", logged, {}, {}, { voices: [voice] }],
    ["that the log can't be read", "damaged", {}, {}, { isUnread: true }],
    ["nothing without a log", undefined, { pendingUpdates: [create] }, {}, {}],
    ["the voice of a set that is replaced", logged, { instances: sets("i") }, {}, { voices: [voice] }],
    ["nothing of a replaced set without a killed update", { ...logged, open: [] }, { instances: sets("i", 1) }, {}, {}],
    ["nothing of a copied set", { ...logged, stack: "organization/p/other" }, { instances: sets("i") }, {}, {}],
    ["no voice from before", { ...logged, existing: [voice] }, {}, {}, {}],
    ["no voice that a run has deleted", logged, {}, { deleted: [voice] }, {}],
    ["the name of a voice that the list may show later", unlisted, {}, { note: sent }, { unseen }],
    ["nothing of a create that was not sent", unlisted, {}, {}, {}],
    ["nothing of a create that may be another stack's", unlisted, {}, { note: { ...sent, isShared: true } }, {}],
    ["no name if the voice was there before", { ...unlisted, existing: ["v"] }, {}, { note: { ...sent, id: "v" } }, {}],
    ["nothing of an update that has ended", { ...logged, open: [] }, {}, {}, {}],
    ["its open creates", { ...logged, open: [preferredName] }, {}, {}, { voices: [voice] }],
    [
      "all of it if the end was not saved",
      { ...logged, open: [] },
      { pendingUpdates: [create] },
      {},
      { voices: [voice] },
    ],
  ])("%s", async (_, log, state, { deleted = [], note }, found) => {
    const own = { ...stateOf("organization/p/dev", {}), ...state };
    const places = new States(emptyStates("organization/p/dev"), "organization/p/dev");
    const other = { ...stateOf("organization/p/other", {}), instances: sets("i") };
    jest.spyOn(places, "everywhere").mockResolvedValue([own, other]);
    const journal = {
      find: () => Promise.resolve(note),
      wasDeleted: (each: string) => Promise.resolve(deleted.includes(each)),
    };
    const logs = new SetLog({ journal: journal as unknown as Journal, states: places, clock: { now: () => 1 } });
    jest.spyOn(logs, "instanceOf").mockResolvedValue("i");
    jest.spyOn(logs, "find").mockResolvedValue(log);
    expect(await leftOfSet(urn, listed, own, logs, journal)).toEqual({ urn, voices: [], unseen: [], ...found });
  });
});
