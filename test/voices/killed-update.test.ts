import { generateName } from "../../provider/src/rules/naming";
import { dynamicUrn, voiceSetType } from "../../provider/src/rules/resource-types";
import { entryUrn } from "../../provider/src/rules/voice-set";
import { killedUpdate } from "../../provider/src/voices/killed-update";
import type { SetLogEntry } from "../../provider/src/voices/set-log";

/** What a killed update of a set was about to do: a review finds it with the state and the journal alone. */

const urn = `urn:pulumi:dev::p::${voiceSetType}::voices`;
const entry = dynamicUrn(entryUrn(urn, "a"));
const inputs = { targetModel: "m", audio: "https://e.org/a.wav" };
const preferredName = generateName({ namespace: "organization", urn: entry }, inputs);
const named = { ...inputs, preferredName };
const intended = [{ urn: entry, inputs, preferredName, targetModel: "m" }];
const pending = { urn, isCreate: false, hidesNames: false, intended };
const logged: SetLogEntry = {
  ...{ stack: "organization/p/dev", name: "voices", instance: "i", update: 2, pendingBefore: 0 },
  ...{ creates: [{ key: "a", inputs: named }], deletes: ["old"], existing: ["before"] },
};
const set = { urn, instance: "i", updates: 1, voices: ["old", "superseded"], released: ["released"] };
const existing = ["released"];

test.each<
  [
    what: string,
    log: SetLogEntry | "damaged" | undefined,
    pendingUpdates: (typeof pending)[],
    found: { names: string[]; deletes: string[]; existing: string[] } | undefined,
  ]
>([
  ["its log", logged, [pending], { names: [preferredName], deletes: ["old"], existing: ["before", "released"] }],
  ["a pending update alone", undefined, [pending], { names: [preferredName], deletes: set.voices, existing }],
  [
    "a damaged log and a pending update",
    "damaged",
    [pending],
    { names: [preferredName], deletes: set.voices, existing },
  ],
  ["a damaged log alone", "damaged", [], { names: [], deletes: set.voices, existing }],
  [
    "a pending update with a name that somebody wrote into the state",
    undefined,
    [{ ...pending, intended: [{ ...intended[0]!, preferredName: "other_1234567" }] }],
    { names: [], deletes: set.voices, existing },
  ],
  ["the pending create of the set", undefined, [{ ...pending, isCreate: true }], undefined],
  ["the pending update of another set", undefined, [{ ...pending, urn: `${urn}-2` }], undefined],
  ["nothing", undefined, [], undefined],
])("%s", async (_, log, pendingUpdates, found) => {
  const own = { stack: "organization/p/dev", instances: new Map(), pendingUpdates };
  const killed = await killedUpdate(own, set, { ofSaved: () => Promise.resolve(log) }, {});
  const { creates = [], ...others } = killed ?? {};
  expect(killed && { names: creates.map((each) => each.preferredName), ...others }).toEqual(found);
});
