import { generateName } from "../../provider/src/rules/naming";
import { entryUrn } from "../../provider/src/rules/voice-set";
import { dynamicUrn, voiceSetType } from "../../provider/src/rules/resource-types";
import { stateOf } from "../../provider/src/stacks/state";
import type { SetLogEntry } from "../../provider/src/voices/set-log";
import { orphansOfSets } from "../../provider/src/voices/set-orphans";

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

type Evidence = [voice: string, isLogged: boolean];
test.each<[what: string, state: object, log: SetLogEntry | "damaged" | undefined, found: Evidence[]]>([
  ["its log", { pendingUpdates: [create] }, logged, [[voice, true]]],
  ["a pending operation alone", { pendingUpdates: [create] }, undefined, [[voice, false]]],
  ["a pending operation and a log that can't be read", { pendingUpdates: [create] }, "damaged", [[voice, false]]],
  ["an update that came to its end", { pendingUpdates: [create] }, { ...logged, open: [] }, [[voice, false]]],
  ["a set that the state has", { pendingUpdates: [create], instances: new Set(["i"]) }, logged, []],
  ["a voice that was there before", { pendingUpdates: [create] }, { ...logged, existing: [voice] }, []],
  ["an update of a set", { pendingUpdates: [{ ...create, isCreate: false }] }, logged, []],
  [
    "a pending operation with another's name",
    { pendingUpdates: [{ ...create, intended: [{ ...create.intended[0], preferredName: "other_1234567" }] }] },
    undefined,
    [],
  ],
  ["nothing", {}, logged, []],
])("the voices of a set whose first update was killed: %s", async (_, state, log, found) => {
  const own = { ...stateOf("organization/p/dev", {}), ...state };
  const logs = { instanceOf: () => Promise.resolve("i"), find: () => Promise.resolve(log) };
  const orphans = await orphansOfSets(listed, own, logs, { namespace: undefined, apiKey: "k" });
  expect(orphans.map(({ row, isLogged }) => [row.voice, isLogged])).toEqual(found);
});
