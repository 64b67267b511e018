import { exportedStack, HiddenVoicesError, stateOf } from "../../provider/src/stacks/state";

/**
 * A program, or an option such as `additionalSecretOutputs`, may make any value of a state secret. What can't be read is
 * never nothing: the voices of a state are the same with each of its values hidden, or the state is read with its secrets.
 */

const mark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const hidden = { ...mark, ciphertext: "v1:x" };
const content = {
  targetModel: "m",
  audio: "a.wav",
  audioSha256: "5e1f",
  text: "t",
  rights: { holder: "h", evidence: "e" },
};
const made = (voice: string) => ({
  ...{
    ...content,
    preferredName: "n_1234567",
    nameVersion: 1,
    degraded: false,
    account: "a",
    origin: "o",
    adopted: false,
  },
  voice,
});
const resource = (type: string, id: string, inputs: object, outputs: object) => ({
  ...{
    urn: `urn:pulumi:dev::p::cloudvoice:index:${type}::${id}`,
    type: `cloudvoice:index:${type}`,
    id,
    inputs,
    outputs,
  },
});
const entries = { a: { audio: "a.wav" }, b: { audio: "b.wav" } };
const set = {
  voices: { a: { id: "va", voice: "va", targetModel: "m" }, b: { id: "vb", voice: "vb", targetModel: "m" } },
  manifest: { a: { voice: "va" }, b: { voice: "vb" } },
  made: { a: made("va"), b: made("vb") },
  ...{ superseded: [{ key: "b", state: made("vc") }], kept: ["vd"], account: "a", instance: "i", updates: 3 },
};
const resources = [
  resource("CloudVoice", "v1", content, made("v1")),
  resource("VoiceSet", "voices", { voices: entries, defaults: content, keepRemoved: true }, set),
  resource("GeneratedImage", "t1", { model: "m", prompt: "p" }, { taskId: "t1", images: [{ url: "u" }] }),
  resource("Decision", "d1", { state: "s", questions: {} }, { answers: {}, requestId: "d1" }),
];

/** Every path in a value, with all that are on the way. */
function pathsIn(value: unknown, at: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [[...at, name], ...pathsIn(each, [...at, name])]);
}

function withHidden(path: string[], hide: (value: unknown) => object) {
  const copy = structuredClone(resources) as unknown as Record<string, never>;
  const parent = path.slice(0, -1).reduce<Record<string, never>>((at, name) => at[name]!, copy);
  Object.assign(parent, { [path.at(-1)!]: hide(parent[path.at(-1)!]) });
  return copy;
}

const stateWith = (deployment: object) => stateOf("organization/p/dev", exportedStack.parse({ deployment }));
const read = (all: unknown) => {
  const { holders, ids, pendingUpdates } = stateWith({ resources: all });
  return { voices: holders.map(({ voice, urn, isOld }) => ({ voice, urn, isOld })), ids, pendingUpdates };
};
const whole = read(resources);
const paths = pathsIn(resources).filter(
  ([, part, ...within]) => (part === "inputs" || part === "outputs") && within.length > 0,
);

test("a state tells which voices its set has, and how far its updates are known", () => {
  const instanceOf = (outputs: object) => {
    const all = [{ ...resources[1], outputs: { ...set, ...outputs } }];
    return stateWith({ resources: all }).instances.get("i");
  };
  const { urn } = resources[1]!;
  const found = { instance: "i", urn, updates: 3, voices: ["va", "vb", "vc"], released: ["vd"] };
  expect(instanceOf({ released: ["vd"] })).toEqual(found);
  expect(instanceOf({ updates: hidden })).toEqual({ ...found, updates: Infinity, released: [] });
  expect(instanceOf({ instance: hidden })).toBeUndefined();
});

test("with any value hidden, the same voices are in the state, or it is not read without its secrets", () => {
  expect(whole.voices.map(({ voice }) => voice)).toEqual(["v1", "va", "vb", "vc"]);
  const refused = paths.filter((path) => {
    try {
      expect({ path, ...read(withHidden(path, () => hidden)) }).toEqual({ path, ...whole });
      return false;
    } catch (error) {
      if (!(error instanceof HiddenVoicesError)) throw error;
      return true;
    }
  });
  const places = refused.map(([index, , ...path]) => `${resources[Number(index)]?.id ?? ""} ${path.join(".")}`);
  // Replaced voices are in one place only. An input of the program hides no voice.
  expect(places).toEqual([
    "voices superseded",
    "voices superseded.0",
    "voices superseded.0.key",
    "voices superseded.0.state",
    "voices superseded.0.state.voice",
  ]);
});

test("with both records of a set hidden, the state is not read without its secrets", () => {
  const [, { outputs, ...rest }] = resources as never as [unknown, { outputs: object }];
  for (const more of [
    ...[{ made: hidden }, { made: { a: hidden, b: hidden } }, { made: { a: made("va"), b: hidden } }],
    // The record of an earlier state names no voices.
    { made: { a: content, b: content } },
  ])
    for (const voices of [hidden, { a: hidden, b: hidden }, { a: { voice: hidden }, b: { voice: hidden } }])
      expect(() => read([{ ...rest, outputs: { ...outputs, voices, ...more } }])).toThrow(HiddenVoicesError);
});

test("read with its secrets, a state is the same, whichever of its values is secret", () => {
  for (const path of paths) {
    const shown = withHidden(path, (value) => ({ ...mark, plaintext: JSON.stringify(value) }));
    expect({ path, ...read(shown) }).toEqual({ path, ...whole });
  }
});

test("a pending operation whose names are hidden is read with its secrets", () => {
  const pending = (inputs: object) =>
    stateWith({ pending_operations: [{ type: "updating", resource: { ...resources[1], inputs } }] });
  const entry = { targetModel: "m", audio: "c.wav", preferredName: "c_1234567", nameVersion: 1 };
  expect(pending({ voices: { c: entry } }).hidesNames).toBe(false);
  for (const inputs of [
    { voices: hidden },
    { voices: { c: hidden } },
    { voices: { c: entry }, defaults: hidden },
    { voices: { c: { ...entry, targetModel: hidden } } },
    { voices: { c: { ...entry, preferredName: hidden } } },
  ])
    expect(pending(inputs)).toMatchObject({ hidesNames: true, pendingUpdates: [{ intended: [] }] });
  expect(pending({ voices: { c: { ...entry, text: hidden } } }).hidesNames).toBe(true);
});
