import { checkFailure } from "../../provider/src/rules/inputs";
import { manifestEntry } from "../../provider/src/rules/manifest";
import { nameOfCopy } from "../../provider/src/rules/naming";
import { entryName } from "../../provider/src/rules/resource-types";
import { unknownValue } from "../../provider/src/rules/unknown";
import type { VoiceOutputs } from "../../provider/src/rules/voice";
import {
  contentOf,
  damageIn,
  entryPath,
  entryUrn,
  ignoredFields,
  madeVoices,
  matchedEntries,
  namedApart,
  pathParts,
  type SetInputs,
  setProblems,
  setState,
  voicesAsResources,
  wantedEntries,
} from "../../provider/src/rules/voice-set";

const none = new Set<string>();
const setUrn = "urn:pulumi:dev::p::a:b:C$cloudvoice:index:VoiceSet::my::voices";
const wanted = (entries: Record<string, object>) =>
  new Map(Object.entries(entries).map(([key, inputs]) => [key, { inputs, unknown: none }]));

test.each([
  ["set", "narrator", "set.narrator"],
  ["set", "n_1", "set.n_1"],
  ["set", "a b", 'set["a b"]'],
  ["set", "b.c", 'set["b.c"]'],
  ["set.b", "c", "set.b.c"],
  ["set", "", 'set[""]'],
  ["set", 'b"]["c', 'set["b\\"][\\"c"]'],
  ['set["b"]', "c", 'set["b"].c'],
])("the entry of %s under the key %j is named %s", (set, key, name) => {
  expect(entryName(set, key)).toBe(name);
});

test("the URN of an entry is that of a voice under the set", () => {
  expect(entryUrn(setUrn, "narrator")).toBe(
    "urn:pulumi:dev::p::a:b:C$cloudvoice:index:VoiceSet$cloudvoice:index:CloudVoice::my::voices.narrator",
  );
});

test.each([
  ["voices.narrator.audio", ["voices", "narrator", "audio"]],
  ['voices["a \\"b\\".c"].rights.holder', ["voices", 'a "b".c', "rights", "holder"]],
  ["voices[10].*", ["voices", "10", "*"]],
  ["voices[a].*", ["voices", "a", "*"]],
  ["voices[*].text", ["voices", "*", "text"]],
  ["", []],
])("the path %s has the parts %j", (path, parts) => {
  expect(pathParts(path)).toEqual(parts);
});

test.each([
  [["voices.narrator.audio"], "narrator", ["audio"]],
  [["voices.narrator.audio"], "support", []],
  [["voices.*.audioSha256", "defaults"], "support", ["audioSha256"]],
  [['voices["a b"]'], "a b", ["*"]],
  [["voices"], "x", ["*"]],
  [["*"], "x", ["*"]],
  [["manifest.x.y"], "x", []],
  [[""], "x", []],
])("ignoreChanges %j ignores of the entry %s: %j", (paths, key, fields) => {
  expect([...ignoredFields(paths, key)]).toEqual(fields);
});

const path = (field: string, key = "a") => entryPath(key, field);
test("the path of an input of an entry is that of the entry and the field", () => {
  expect([path("audio"), path("audio", "a b"), entryPath("a")]).toEqual([
    "voices.a.audio",
    'voices["a b"].audio',
    "voices.a",
  ]);
});

test.each<[object, string[]]>([
  [{ voices: {} }, []],
  [{ voices: { a: {} }, defaults: {}, deleteBeforeReplace: true, keepRemoved: false }, []],
  [{ voices: unknownValue, defaults: unknownValue, keepRemoved: unknownValue }, []],
  [{ voices: { a: unknownValue } }, []],
  [{}, ["voices is required"]],
  [{ voices: [] }, ["voices must be an object of voices"]],
  [
    { voices: { a: "x.wav", "b c": null } },
    ["voices.a must be an object of inputs", 'voices["b c"] must be an object of inputs'],
  ],
  [
    { voices: {}, defaults: "x", keepRemoved: "yes", deleteBeforeReplace: 1 },
    [
      "defaults must be an object of inputs",
      "deleteBeforeReplace must be true or false",
      "keepRemoved must be true or false",
    ],
  ],
  [{ voices: {}, keepRemove: true }, [" `keepRemove` is not an input of VoiceSet; did you mean `keepRemoved`?"]],
])("of the set %j it is said: %j", (inputs, said) => {
  const problems = setProblems(inputs);
  expect(problems.map(({ path: at, reason }) => `${at} ${reason}`)).toEqual(said);
});

test("a name that is no input may be a secret in the wrong place, so its failure names no property", () => {
  const [problem] = setProblems({ voices: {}, keepRemove: true });
  expect(problem && checkFailure(problem)).toEqual({
    property: "",
    reason: "`keepRemove` is not an input of VoiceSet; did you mean `keepRemoved`?",
  });
});

test("an entry has its own fields before the defaults, and what is not known is named", () => {
  const defaults = { targetModel: "m", language: unknownValue, text: "t" };
  const voices = {
    a: { audio: "a", targetModel: "n" },
    b: { audio: unknownValue, language: "de", text: null },
    c: unknownValue,
    d: { audio: "d", text: undefined },
  };
  const entries = wantedEntries({ voices, defaults } as unknown as SetInputs);
  expect(Object.fromEntries(entries)).toEqual({
    a: { inputs: { audio: "a", targetModel: "n", text: "t" }, unknown: new Set(["language"]) },
    b: { inputs: { targetModel: "m", text: "t", language: "de" }, unknown: new Set(["audio"]) },
    c: { inputs: { text: "t" }, unknown: new Set(["targetModel", "audio", "language"]) },
    d: { inputs: { audio: "d", targetModel: "m", text: "t" }, unknown: new Set(["language"]) },
  });
  expect(wantedEntries({ voices: unknownValue as never }).size).toBe(0);
  expect(wantedEntries({ voices: { a: { audio: "a" } }, defaults: unknownValue as never }).get("a")).toEqual({
    inputs: { audio: "a" },
    unknown: new Set(["targetModel"]),
  });
});

const only = (voices: ReadonlyMap<string, VoiceOutputs>) => ({ voices, superseded: [], released: [] });
const first = { instance: "i", updates: 1 };

const voice = (name: string, more: Partial<VoiceOutputs> = {}) =>
  ({
    ...{
      voice: `svc-${name}`,
      targetModel: "m",
      audio: `${name}.wav`,
      preferredName: `${name}_1234567`,
      nameVersion: 1,
    },
    ...{ degraded: false, adopted: false, account: "acc", text: "t", language: "en" },
    ...more,
  }) as VoiceOutputs;

test("a state is split into what programs see and what it was made with, and put together again", () => {
  const voices = new Map([
    ["b", voice("b", { account: "other" })],
    ["a", voice("a", { requestId: "r", audioSeconds: undefined })],
  ]);
  const old = { key: "a", state: voice("old") };
  const state = setState({ voices, superseded: [old], released: [] }, { instance: "i", updates: 3 });
  expect(state).toStrictEqual({
    voices: {
      a: { id: "svc-a", voice: "svc-a", targetModel: "m", language: "en", degraded: false, adopted: false },
      b: { id: "svc-b", voice: "svc-b", targetModel: "m", language: "en", degraded: false, adopted: false },
    },
    manifest: {
      a: { voice: "svc-a", targetModel: "m", language: "en" },
      b: { voice: "svc-b", targetModel: "m", language: "en" },
    },
    made: {
      a: { voice: "svc-a", audio: "a.wav", preferredName: "a_1234567", text: "t" },
      b: { voice: "svc-b", audio: "b.wav", preferredName: "b_1234567", text: "t", account: "other" },
    },
    ...{ account: "acc", nameVersion: 1, superseded: [old], instance: "i", updates: 3 },
  });
  expect(Object.keys(state.voices)).toEqual(["a", "b"]);
  const three = new Map(["b", "c", "a"].map((key) => [key, voice(key)]));
  expect(Object.keys(setState(only(three), first).made ?? {})).toEqual(["a", "b", "c"]);
  const { requestId: _, audioSeconds: _seconds, ...a } = voices.get("a")!;
  expect(Object.fromEntries(madeVoices(state))).toEqual({ a, b: voices.get("b") });
  expect(setState({ ...only(voices), released: ["svc-x"] }, first)).toMatchObject({ released: ["svc-x"] });
  expect(setState(only(new Map()), { instance: "i", updates: 0 })).toStrictEqual({
    voices: {},
    manifest: {},
    made: {},
    ...{ instance: "i", updates: 0 },
  });
  expect(manifestEntry({ voice: "v", targetModel: "m" })).toStrictEqual({ voice: "v", targetModel: "m" });
});

test.each<[what: string, state: object, damage: string[]]>([
  ["nothing", { voices: { a: { voice: "v" } }, ...first }, []],
  [
    "a voice without a name",
    { voices: { a: { voice: " " }, "b c": {} }, ...first },
    ["voices.a.voice", 'voices["b c"].voice'],
  ],
  ["an entry that is a text", { voices: { a: "x" }, ...first }, ["voices.a"]],
  ["no voices", { ...first }, ["voices"]],
  ["two wrong superseded voices", { voices: {}, superseded: [1, 2], ...first }, ["superseded"]],
  ["no count of updates", { voices: {}, instance: "i" }, ["updates"]],
  ["no instance", { voices: {}, updates: 1 }, ["instance"]],
])("in a state with %s, damage is found once for each place", (_, state, damage) => {
  expect(damageIn(state)).toEqual(damage);
});

test("a field that one voice lacks is stored with each of the others", () => {
  const voices = new Map([
    ["a", voice("a")],
    ["b", voice("b", { nameVersion: undefined })],
  ]);
  const state = setState(only(voices), first);
  expect(state).not.toHaveProperty("nameVersion");
  expect(madeVoices(state).get("a")).toMatchObject({ nameVersion: 1 });
  expect(madeVoices(state).get("b")).not.toHaveProperty("nameVersion");
});

test("what is no entry in an edited state is left out", () => {
  expect([...madeVoices({ voices: { a: "x" as never, b: null as never, c: { voice: "v" } } }).keys()]).toEqual(["c"]);
  expect(madeVoices({}).size).toBe(0);
});

test.each<[string, object, object, boolean]>([
  ["the generated name", { preferredName: "a", nameVersion: 1 }, { preferredName: "b", nameVersion: 1 }, true],
  ["a chosen name", { preferredName: "a" }, { preferredName: "b" }, false],
  ["the path of the same recording", { audio: "a", audioSha256: "s" }, { audio: "b", audioSha256: "s" }, true],
  ["another recording", { audio: "a", audioSha256: "s" }, { audio: "a", audioSha256: "u" }, false],
  [
    "the signature of a URL",
    { audio: "https://e.org/a?X-Amz-Date=1&X-Amz-Signature=1" },
    { audio: "https://e.org/a?X-Amz-Date=2&X-Amz-Signature=2" },
    true,
  ],
  ["an empty list", {}, { triggers: [] }, true],
  ["the language", { language: "en" }, { language: "de" }, false],
  ["what is free", { rights: { holder: "a" } }, {}, true],
])("the content of two entries that differ in %s", (_, one, other, isSame) => {
  const base = { targetModel: "m", audio: "a" };
  expect(contentOf({ ...base, ...one }) === contentOf({ ...base, ...other })).toBe(isSame);
});

const candidates = (before: Record<string, object>, superseded: object[] = []) => [
  ...Object.entries(before).map(([key, inputs]) => ({ key, inputs, id: key })),
  ...superseded.map((inputs, index) => ({ inputs, id: `old ${index}` })),
];

type Entries = Record<string, object>;
test.each<[string, Entries, object[], Entries, Record<string, string>]>([
  ["its own", { a: { audio: "1" } }, [], { a: { audio: "1" } }, { a: "a" }],
  ["its own with other content", { a: { audio: "1" } }, [], { a: { audio: "2" } }, { a: "a" }],
  ["a removed one", { old: { audio: "1" } }, [], { now: { audio: "1" } }, { now: "old" }],
  ["none of other content", { old: { audio: "1" } }, [], { now: { audio: "2" } }, {}],
  ["none that another entry keeps", { a: { audio: "1" } }, [], { a: { audio: "1" }, b: { audio: "1" } }, { a: "a" }],
  [
    "the first of two removed ones",
    { x: { audio: "1" }, y: { audio: "1" } },
    [],
    { now: { audio: "1" } },
    { now: "x" },
  ],
  ["one each", { old: { audio: "1" } }, [], { x: { audio: "1" }, y: { audio: "1" } }, { x: "old" }],
  ["none, if it adopts", { old: { audio: "1" } }, [], { now: { audio: "1", adopt: "v" } }, {}],
  [
    "the other's, of two that swap",
    { a: { audio: "1" }, b: { audio: "2" } },
    [],
    { a: { audio: "2" }, b: { audio: "1" } },
    { a: "b", b: "a" },
  ],
  ["that of a key with new content", { a: { audio: "1" } }, [], { b: { audio: "1" }, a: { audio: "2" } }, { b: "a" }],
  ["a superseded one", { a: { audio: "2" } }, [{ audio: "1" }], { a: { audio: "1" } }, { a: "old 0" }],
  ["a removed one before a superseded one", { x: { audio: "1" } }, [{ audio: "1" }], { y: { audio: "1" } }, { y: "x" }],
  [
    "a removed one before that of a key with new content",
    { a: { audio: "1" }, x: { audio: "1" } },
    [],
    { a: { audio: "2" }, b: { audio: "1" } },
    { b: "x", a: "a" },
  ],
])("an entry has %s", (_, before, superseded, now, matches) => {
  const { kept, replaced } = matchedEntries(candidates(before, superseded), wanted(now));
  expect(Object.fromEntries([...kept, ...replaced].map(([key, { id }]) => [key, id]))).toEqual(matches);
});

test("an entry that is not known yet has its own voice or none", () => {
  const now = new Map([["new", { inputs: { audio: "a" }, unknown: new Set(["text"]) }]]);
  const sizes = (before: Entries) => Object.values(matchedEntries(candidates(before), now)).map(({ size }) => size);
  expect(sizes({ old: { audio: "a" } })).toEqual([0, 0]);
  expect(sizes({ new: { audio: "b" } })).toEqual([0, 1]);
});

test("the second voice with the same content gets a name of its own, and so does one beside a voice of the set", () => {
  const inputs = (preferredName: string) => ({ preferredName, nameVersion: 1, audio: "a" });
  // A chosen name may be in the account twice.
  const chosen = { preferredName: "mine", audio: "a" };
  const created = {
    ...{ c: inputs("c_7654321"), a: inputs("a_7654321"), b: inputs("b_7654321"), x: inputs("x_1234567") },
    ...{ y: chosen, z: chosen },
  };
  const named = namedApart([inputs("old_1234567"), chosen], new Map(Object.entries(created)));
  expect(Object.fromEntries(named)).toEqual({
    ...created,
    b: { ...created.b, preferredName: nameOfCopy("b_7654321", 2), copy: 2 },
    c: { ...created.c, preferredName: nameOfCopy("c_7654321", 3), copy: 3 },
    x: { ...created.x, preferredName: nameOfCopy("x_1234567", 2), copy: 2 },
  });
});

test("an adopted voice of a set has what was declared with it as inputs, and its own facts as outputs", () => {
  const adopted = { ...voice("a"), audioSha256: undefined, adopted: true, adoptedWith: { audioSha256: "declared" } };
  const outputs = { ...setState(only(new Map([["a", adopted]])), first) };
  const found = voicesAsResources({ type: "cloudvoice:index:VoiceSet", inputs: {}, outputs }, setUrn).get("a");
  expect(found?.inputs).toMatchObject({ audioSha256: "declared" });
  expect(found?.inputs).not.toHaveProperty("adoptedWith");
  expect(found?.outputs).not.toHaveProperty("audioSha256");
});

test("the voices of a set are resources of their own, as they were made or as they are wanted", () => {
  const outputs = setState(only(new Map([["a", voice("a")]])), first) as unknown as Record<string, unknown>;
  const inputs = { voices: { a: { audio: "new.wav" }, b: { audio: unknownValue } }, defaults: { targetModel: "m" } };
  const set = { type: "cloudvoice:index:VoiceSet", id: "my::voices", provider: "p", inputs, outputs };
  const { voice: id, ...made } = voice("a");
  expect(Object.fromEntries(voicesAsResources(set, setUrn))).toEqual({
    a: {
      ...{ provider: "p", type: "cloudvoice:index:CloudVoice", id, urn: entryUrn(setUrn, "a") },
      ...{ inputs: made, outputs: voice("a") },
    },
  });
  const planned = voicesAsResources(set, setUrn, true);
  expect(planned.get("a")).toMatchObject({ id, inputs: { audio: "new.wav", targetModel: "m" } });
  expect(planned.get("b")).toMatchObject({ id: undefined, outputs: {} });
  expect(planned.get("b")?.inputs).toStrictEqual({ audio: unknownValue, targetModel: "m" });
});
