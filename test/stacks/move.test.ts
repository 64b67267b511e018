import { movableStack, movedToSet } from "../../provider/src/stacks/move";
import { madeVoices, type SetState } from "../../provider/src/rules/voice-set";

const urnOf = (type: string, name: string) => `urn:pulumi:dev::app::${type}::${name}`;
const stackUrn = urnOf("pulumi:pulumi:Stack", "app-dev");
const provider = urnOf("pulumi:providers:cloudvoice", "default");
const catalogUrn = urnOf("cloudvoice:index:VoiceCatalog", "voices");
const setUrn = urnOf("cloudvoice:index:VoiceSet", "voices");
const voiceUrn = (key: string) => urnOf("cloudvoice:index:VoiceCatalog$cloudvoice:index:CloudVoice", `voices-${key}`);

const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "abc" };

const voice = (key: string, more: object = {}) => ({
  ...{ urn: voiceUrn(key), custom: true, id: `voice-${key}`, type: "cloudvoice:index:CloudVoice", parent: catalogUrn },
  provider: `${provider}::id-of-it`,
  inputs: { targetModel: "m", audio: `${key}.wav`, text: secret, preferredName: `${key}_1234567`, nameVersion: 1 },
  outputs: {
    ...{ targetModel: "m", audio: `${key}.wav`, text: secret, preferredName: `${key}_1234567`, nameVersion: 1 },
    ...{ voice: `voice-${key}`, account: "account", degraded: false, adopted: false, requestId: "r" },
  },
  ...more,
});
const other = (name: string, more: object = {}) => ({
  ...{ urn: urnOf("t:index:T", name), custom: true, id: name, type: "t:index:T", parent: stackUrn },
  ...{ inputs: {}, outputs: {}, ...more },
});
const catalog = (more: object = {}) => ({
  ...{ urn: catalogUrn, custom: false, type: "cloudvoice:index:VoiceCatalog", parent: stackUrn, ...more },
});
const around = [
  { urn: stackUrn, custom: false, type: "pulumi:pulumi:Stack" },
  { urn: provider, custom: true, id: "id-of-it", type: "pulumi:providers:cloudvoice" },
];
const stackWith = (resources: object[], more: object = {}) =>
  movableStack.parse({
    version: 3,
    deployment: { manifest: { time: "t" }, resources: [...around, ...resources], ...more },
  });
const moved = (resources: object[], name?: string) => movedToSet(stackWith(resources), { name });
const namesOf = (result: ReturnType<typeof movedToSet>) =>
  (result.stack.deployment.resources ?? []).map(({ urn }) => urn.split("::").at(-1));

test("the voices become the entries of a set, with all that was known of them, and the rest stays as it is", () => {
  const result = moved([catalog(), voice("a"), voice("b"), other("x")]);
  expect(result).toMatchObject({ name: "voices", voices: 2 });
  expect(result.stack).toMatchObject({ version: 3, deployment: { manifest: { time: "t" } } });
  expect(namesOf(result)).toEqual(["app-dev", "default", "voices", "x"]);
  const set = result.stack.deployment.resources?.[2];
  expect(set).toMatchObject({
    ...{ urn: setUrn, type: "cloudvoice:index:VoiceSet", custom: true, id: "voices", parent: stackUrn },
    provider: `${provider}::id-of-it`,
    inputs: { voices: { a: voice("a").inputs, b: voice("b").inputs } },
  });
  const { requestId: _, ...known } = voice("a").outputs;
  expect(madeVoices(set?.outputs as unknown as SetState).get("a")).toEqual(known);
});

test("what depends on a voice or on the catalog depends on the set, and stands after it", () => {
  const uses = (urn: string) => ({ dependencies: [urn], propertyDependencies: { p: [urn] }, deletedWith: urn });
  const result = moved([
    catalog(),
    voice("a"),
    other("early", uses(voiceUrn("a"))),
    other("of-early", { dependencies: [urnOf("t:index:T", "early")] }),
    other("apart"),
    voice("b", { dependencies: [urnOf("t:index:T", "apart"), voiceUrn("a")] }),
    other("late", uses(catalogUrn)),
  ]);
  expect(namesOf(result)).toEqual(["app-dev", "default", "apart", "voices", "early", "of-early", "late"]);
  const [, , , set, early, , late] = result.stack.deployment.resources ?? [];
  expect(set).toMatchObject({ dependencies: [urnOf("t:index:T", "apart")] });
  for (const each of [early, late]) expect(each).toMatchObject(uses(setUrn));
});

test("options that all voices share are those of the set", () => {
  const options = { protect: true, retainOnDelete: true, deletedWith: provider };
  const result = moved([catalog(), voice("a", options), voice("b", options)]);
  expect(result.stack.deployment.resources?.[2]).toMatchObject(options);
});

test.each<[what: string, resources: object[], problem: RegExp, name?: string]>([
  ["no catalog", [other("x")], /has no VoiceCatalog/],
  ["another name", [catalog(), voice("a")], /no catalog named speakers\. It has: voices/, "speakers"],
  [
    "several catalogs",
    [catalog(), catalog({ urn: `${catalogUrn}2` }), voice("a")],
    /several catalogs.*voices, voices2/,
  ],
  ["no voices", [catalog()], /has no voices in this state/],
  ["voices of the classes", [catalog(), voice("a", { type: "pulumi-nodejs:dynamic/cloudvoice:CloudVoice" })], /native/],
  ["a voice that is to be deleted", [catalog(), voice("a", { delete: true })], /is unfinished .delete.*pulumi up/],
  ["a voice that failed", [catalog(), voice("a", { initErrors: ["x"] })], /initErrors/],
  [
    "one that is protected",
    [catalog(), voice("a", { protect: true }), voice("b")],
    /voices-b and voices-a differ in.*protect/,
  ],
  ["another provider", [catalog(), voice("a"), voice("b", { provider: "p::q" })], /differ in the option provider/],
  [
    "a name of its own",
    [catalog(), voice("a", { urn: voiceUrn("a").replace("voices-a", "guide") })],
    /not named after/,
  ],
  ["a child of a voice", [catalog(), voice("a"), other("x", { parent: voiceUrn("a") })], /x is a child of voices-a/],
  ["a set of that name", [catalog(), voice("a"), { urn: setUrn, type: "cloudvoice:index:VoiceSet" }], /already/],
  [
    "an entry that needs another by way of a resource",
    [
      catalog(),
      voice("a"),
      other("x", { dependencies: [voiceUrn("a")] }),
      voice("b", { dependencies: [urnOf("t:index:T", "x")] }),
    ],
    /an entry needs x, which needs a voice of another entry/,
  ],
])("%s is an error, and nothing is guessed", (...[, resources, problem, name]) => {
  expect(() => moved(resources, name)).toThrow(problem);
});

describe("voices of the program itself", () => {
  const flat = (key: string, more: object = {}) =>
    voice(key, { urn: urnOf("cloudvoice:index:CloudVoice", key), parent: stackUrn, ...more });
  const movedFlat = (resources: object[], names: true | string[] = true, name: string | undefined = "voices") =>
    movedToSet(stackWith(resources), { name, flat: names });

  test("become the entries of a new set under their names, beside a catalog that stays", () => {
    const uses = { dependencies: [urnOf("cloudvoice:index:CloudVoice", "b")] };
    const inCatalog = voice("c");
    const result = movedFlat([flat("a"), catalog({ urn: `${catalogUrn}2` }), inCatalog, flat("b"), other("x", uses)]);
    expect(result).toMatchObject({ name: "voices", voices: 2 });
    expect(namesOf(result)).toEqual(["app-dev", "default", "voices2", "voices-c", "voices", "x"]);
    const [, , , , set, user] = result.stack.deployment.resources ?? [];
    expect(set).toMatchObject({
      ...{ urn: setUrn, type: "cloudvoice:index:VoiceSet", custom: true, id: "voices", parent: stackUrn },
      inputs: { voices: { a: flat("a").inputs, b: flat("b").inputs } },
    });
    expect(user?.dependencies).toEqual([setUrn]);
  });

  test("that were imported keep what the program declared first", () => {
    const { requestId: _, audio: _audio, ...known } = voice("a").outputs;
    const result = movedFlat([flat("a", { protect: true, outputs: known })]);
    const set = result.stack.deployment.resources?.[2];
    expect(set).toMatchObject({ protect: true });
    expect(madeVoices(set?.outputs as unknown as SetState).get("a")).toMatchObject({ ...known, audio: "a.wav" });
  });

  test("are only those that are named, and none that the program only reads", () => {
    const read = flat("r", { external: true });
    expect(movedFlat([flat("a"), flat("b"), read], ["b"])).toMatchObject({ voices: 1 });
    expect(movedFlat([flat("a"), flat("b"), read])).toMatchObject({ voices: 2 });
  });

  test.each<[what: string, resources: object[], problem: RegExp, names?: true | string[], name?: string]>([
    ["none", [catalog(), voice("a")], /no voices outside of catalogs/],
    ["another name", [flat("a")], /this state has no voice named b, c\. It has: a\./s, ["b", "a", "c"]],
    ["an import without a recording", [flat("a", { inputs: {}, outputs: {} })], /a was imported.*Write its `audio`/s],
  ])("%s is an error", (...[, resources, problem, names, name]) => {
    expect(() => movedFlat(resources, names, name)).toThrow(problem);
  });

  test("need a name for their set", () => {
    expect(() => movedToSet(stackWith([flat("a")]), { flat: true })).toThrow(/name the new set/);
  });
});

test("a state with pending operations is not moved", () => {
  const stack = stackWith([catalog(), voice("a")], { pending_operations: [{ type: "creating" }] });
  expect(() => movedToSet(stack)).toThrow(/pending operations.*pulumi up/);
});
