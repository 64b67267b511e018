import { exportedStack, stateOf } from "../../../provider/src/cli/stacks/state";

/**
 * A program, or an option such as `additionalSecretOutputs`, may make any value of a state secret. What can't be read is
 * never nothing: the voices of a state are the same with each of its values hidden.
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
const resources = [
  resource("CloudVoice", "v1", content, made("v1")),
  resource("CloudVoice", "v2", content, { ...made("v2"), adopted: true }),
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
  const { holders } = stateWith({ resources: all });
  return { voices: holders.map(({ voice, urn }) => ({ voice, urn })) };
};
const whole = read(resources);
const paths = pathsIn(resources).filter(
  ([, part, ...within]) => (part === "inputs" || part === "outputs") && within.length > 0,
);

test("with any value hidden, the same voices are in the state", () => {
  expect(whole.voices.map(({ voice }) => voice)).toEqual(["v1", "v2"]);
  for (const path of paths) expect({ path, ...read(withHidden(path, () => hidden)) }).toEqual({ path, ...whole });
});

test("read with its secrets, a state is the same, whichever of its values is secret", () => {
  for (const path of paths) {
    const shown = withHidden(path, (value) => ({ ...mark, plaintext: JSON.stringify(value) }));
    expect({ path, ...read(shown) }).toEqual({ path, ...whole });
  }
});
