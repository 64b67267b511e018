import type { Emulator } from "../../provider/emulator";
import type { VoiceOutputs } from "../../provider/src/rules/voice";
import { dynamicUrn } from "../../provider/src/rules/resource-types";
import { generateName, nameInVoice } from "../../provider/src/rules/naming";
import { partsOf } from "../../provider/src/stacks/names";
import { exportedStack, stateOf } from "../../provider/src/stacks/state";
import type { StateReader } from "../../provider/src/stacks/states";
import { emulate, voicesIn } from "../support/emulate";
import { resource } from "../support/holders";
import { lifecyclesOf, questionsIn } from "../support/operation";

/**
 * A voice is deleted without a question only if its name shows that it was made for the resource, or if every stack of
 * the backend could be asked and none holds it. No field of a state proves a name: people copy, rename and forge states.
 */

const type = "cloudvoice:index:CloudVoice";
const urnIn = (project: string, name = "narrator") => `urn:pulumi:dev::${project}::${type}::${name}`;
const content = { targetModel: "svc3-tts-vc-2026-01-22", audio: "https://example.org/a.wav" };
const nameFor = (urn: string, namespace = "organization") => generateName({ namespace, urn: dynamicUrn(urn) }, content);

let emulator: Emulator;
beforeEach(async () => void (emulator = await emulate()));

/** An entry of a state: the voice and its URN. */
interface Entry {
  urn: string;
  voice: string;
  outputs?: object;
}
const made = (urn: string, preferredName = nameFor(urn)): Entry => {
  const [voice = ""] = emulator.seedVoices("default", 1, { preferredName });
  return { urn, voice };
};
const stateFor = ({ voice, outputs }: Entry): VoiceOutputs => ({
  ...{
    ...content,
    voice,
    preferredName: nameInVoice(voice) ?? "",
    nameVersion: 1,
    degraded: false,
    adopted: false,
    account: "",
  },
  ...outputs,
});

/** An operation in the folder of the project `b`, with the states of these stacks. A text: why one can't be read. */
function operation(stacks: Record<string, Entry[] | string>, accepted: string[] = []) {
  const asked: string[] = [];
  const states: StateReader = {
    stack(name) {
      asked.push(name);
      const entries = stacks[name] ?? `no stack named ${name}`;
      if (typeof entries === "string") return Promise.reject(new Error(entries));
      const resources = entries.map(({ urn, voice, outputs }) => ({
        ...{ urn, type, id: voice, inputs: content, outputs: { ...content, account: "", ...outputs } },
      }));
      return Promise.resolve(stateOf(name, exportedStack.parse({ deployment: { resources } })));
    },
    stacks: (project = "b") => Promise.resolve(Object.keys(stacks).filter((name) => partsOf(name).project === project)),
    allStacks: () => (asked.push("all"), Promise.resolve(Object.keys(stacks))),
    backend: () => Promise.resolve("here"),
  };
  const settings = { settleSeconds: "0" };
  const { voice, lines } = lifecyclesOf(emulator, settings, { states, accepted: new Set(accepted) });
  const resourceOf = ({ urn }: Entry, isTold: boolean) => {
    const { identity, ...told } = resource(dynamicUrn(urn));
    return { ...told, ...(isTold && identity && { identity: { ...identity, savedUrn: urn } }) };
  };
  const remove = (entry: Entry, identity = true) =>
    voice.delete(entry.voice, stateFor(entry), resourceOf(entry, identity));
  const read = (entry: Entry) => voice.read(entry.voice, stateFor(entry), resourceOf(entry, true));
  const adopt = (name: string) =>
    voice.check({ ...content, adopt: name }, undefined, resource(dynamicUrn(urnIn("b", "adopter"))), new Set());
  return { remove, read, adopt, lines, asked };
}

test("a voice with the resource's own name needs the states of its project only", async () => {
  const own = made(urnIn("b"));
  const { remove, asked } = operation({ "organization/b/dev": [own], "organization/a/dev": [] });
  await remove(own);
  expect(voicesIn(emulator)).toEqual([]);
  expect(asked).toEqual(["organization/b/dev"]);
});

test.each(["acme", "organization"])(
  "where stacks have organizations, the name was made with it, or by a plugin that is not told it (%s)",
  async (namespace) => {
    const own = made(urnIn("b"), nameFor(urnIn("b"), namespace));
    const { remove, asked } = operation({ "acme/b/dev": [own], "acme/a/dev": [] });
    await remove(own);
    expect(voicesIn(emulator)).toEqual([]);
    expect(asked).toEqual(["acme/b/dev"]);
  },
);

describe.each([
  ["with the URN in the call", true],
  ["in a destroy by the dynamic provider, which is told no URN", false],
])("%s", (_, identity) => {
  test.each<[what: string, name: string, outputs: object]>([
    ["a chosen name", "boss", { preferredName: "boss", nameVersion: undefined }],
    ["the name of somebody else's resource", nameFor(urnIn("a")), {}],
    ["an adopted name", "by_hand", { preferredName: "by_hand", nameVersion: undefined, adopted: true }],
    ["a name for another namespace", nameFor(urnIn("b"), "later"), {}],
    ["a name for other content", nameFor(urnIn("b")), { text: "Hello." }],
  ])("%s: it goes if no stack of the backend holds it, and stays if one does", async (_what, name, outputs) => {
    const entry = { ...made(urnIn("b"), name), outputs };
    const holder = { urn: urnIn("c", "other"), voice: entry.voice };
    const kept = operation({ "organization/b/dev": [entry], "organization/c/dev": [holder] });
    await kept.remove(entry, identity);
    expect(voicesIn(emulator)).toEqual([entry.voice]);
    const free = operation({ "organization/b/dev": [entry], "organization/c/dev": [] });
    await free.remove(entry, identity);
    expect(voicesIn(emulator)).toEqual([]);
    expect(free.asked).toContain("all");
  });
});

test("a state with the URN of another project proves nothing: the operation's folder says which project it is", async () => {
  const original = made(urnIn("a"));
  const { remove } = operation({ "organization/a/dev": [original], "organization/b/dev": [original] });
  await remove(original);
  expect(voicesIn(emulator)).toEqual([original.voice]);
});

describe("while the state of another stack can't be read", () => {
  const unread = { "organization/c/dev": "no passphrase", "organization/b/prod": "no passphrase" };

  test("a voice with the resource's own name goes, with a warning", async () => {
    const own = made(urnIn("b"));
    const { remove, lines } = operation({ "organization/b/dev": [own], ...unread });
    await remove(own);
    expect(voicesIn(emulator)).toEqual([]);
    expect(lines.join("\n")).toMatch(
      /warning: these states could not be read: organization\/b\/prod \(no passphrase\)/,
    );
  });

  test("the loss of all voices of a stack is asked about all the same", async () => {
    const entries = ["one", "two", "three"].map((name) => made(urnIn("b", name)));
    const { account } = (await operation({ "organization/b/dev": entries }).read(entries[0]!)) as VoiceOutputs;
    const saved = entries.map((entry) => ({ ...entry, outputs: { account } }));
    for (const { voice } of saved) emulator.vanish("default", voice);
    const { read } = operation({ "organization/b/dev": saved, ...unread });
    await expect(read(saved[0]!)).rejects.toThrow(/All 3 voices of the stack b\/dev are missing/);
  });

  test("any other is one question, which names stacks and voices, and other deletes go on", async () => {
    const own = made(urnIn("b"));
    const others = ["one", "two"].map((name) => ({
      ...made(urnIn("b", name), name),
      outputs: { preferredName: name, nameVersion: undefined },
    }));
    const stacks = { "organization/b/dev": [own, ...others], ...unread };
    const { remove } = operation(stacks);
    const ended = await Promise.allSettled([own, ...others].map((entry) => remove(entry)));
    const errors = ended.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
    expect(voicesIn(emulator)).toEqual(others.map(({ voice }) => voice).sort());
    expect(errors).toHaveLength(2);
    for (const error of errors)
      expect(error).toMatch(/organization\/c\/dev \(no passphrase\).*the voices are deleted, at no cost/s);
    for (const { voice } of others) expect(errors.join()).toContain(voice);
    const questions = questionsIn(errors.join());
    expect([...questions]).toEqual([expect.stringMatching(/^unread-/)]);

    const answered = operation(stacks, [...questions]);
    for (const entry of others) await answered.remove(entry);
    expect(voicesIn(emulator)).toEqual([]);
  });

  test("a yes deletes no voice whose name contradicts the state", async () => {
    const forged = { ...made(urnIn("b"), "somebody_abc1234"), outputs: { preferredName: nameFor(urnIn("b")) } };
    const stacks = { "organization/b/dev": [forged], ...unread };
    const asked = await operation(stacks)
      .remove(forged)
      .catch((error: unknown) => String(error));
    const answered = operation(stacks, [...questionsIn(String(asked))]);
    await expect(answered.remove(forged)).rejects.toThrow(/its name says otherwise/);
    expect(voicesIn(emulator)).toEqual([forged.voice]);
  });

  test("no resource adopts a voice that a stack holds which can be read", async () => {
    const held = made(urnIn("a"));
    const { adopt } = operation({ "organization/b/dev": [], "organization/a/dev": [held], ...unread });
    const { failures } = await adopt(held.voice);
    expect(failures).toEqual([
      expect.objectContaining({
        reason: expect.stringMatching(/narrator of the stack organization\/a\/dev holds the voice/) as string,
      }),
    ]);
  });

  test("a stack that can be read keeps its voice, whatever the answer is", async () => {
    const entry = { ...made(urnIn("b"), "boss"), outputs: { preferredName: "boss", nameVersion: undefined } };
    const stacks = { "organization/b/dev": [entry], "organization/a/dev": [{ ...entry, urn: urnIn("a") }], ...unread };
    const { remove, lines } = operation(stacks);
    await remove(entry);
    expect(voicesIn(emulator)).toEqual([entry.voice]);
    expect(lines.join("\n")).toContain("still used by");
  });
});
