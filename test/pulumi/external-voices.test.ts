import { pulumiStates } from "../../provider/src/stacks/pulumi-states";
import { emulate } from "../support/emulate";
import { fakePulumi } from "../support/fake-pulumi";
import { recordings, temporaryFolder } from "../support/files";
import { callsOf, configure, newPlugin } from "../support/plugin-calls";

/** A resource that a program reads with `CloudVoice.get`: the state marks it as external. It does not own the voice. */

beforeEach(() => void (process.env.XDG_STATE_HOME = temporaryFolder()));
afterEach(() => jest.restoreAllMocks());

interface Entry {
  name: string;
  id: string;
  external?: boolean;
}

const type = "cloudvoice:index:CloudVoice";
const providerUrn = "urn:pulumi:voices::program::pulumi:providers:cloudvoice::mine";
const urnOf = (name: string) => `urn:pulumi:voices::program::${type}::${name}`;

/** The saved state of the stack `voices`. */
function saved(...entries: Entry[]): void {
  const provider = `${providerUrn}::uuid`;
  const resources = entries.map(({ name, ...entry }) => ({ urn: urnOf(name), type, provider, ...entry }));
  fakePulumi([
    ["stack export --stack voices", JSON.stringify({ deployment: { resources } })],
    ["stack ls --json", JSON.stringify([{ name: "voices" }])],
  ]);
}

/** An account with one voice that `narrator` of the stack `voices` holds, and the calls of the engine to the plugin. */
async function setUp() {
  const emulator = await emulate();
  const lines: string[] = [];
  const newProvider = () => {
    const args = { baseUrl: emulator.url, apiKey: emulator.apiKey, settleSeconds: "0" };
    const plugin = newPlugin((line) => void lines.push(line));
    return callsOf(configure(plugin, args, providerUrn), urnOf);
  };
  const first = newProvider();
  const { inputs } = await first.check("narrator", { targetModel: "svc3-tts-vc-2026-01-22", audio: recordings.wav });
  const { id, outs } = await first.create("narrator", inputs);
  return { emulator, lines, newProvider, inputs, id, outs };
}

test("the saved states show only resources that Pulumi manages", async () => {
  saved({ name: "narrator", id: "a" }, { name: "ref", id: "b", external: true });
  const state = await pulumiStates().stack("voices");
  expect(state.holders.map(({ voice }) => voice)).toEqual(["a"]);
  expect([...state.ids]).toEqual(["a"]);
});

test("an update that reads a voice deletes it if its owner leaves the program", async () => {
  const { emulator, newProvider, id, outs } = await setUp();
  saved({ name: "narrator", id }, { name: "ref", id, external: true });
  const calls = newProvider();
  await calls.read("ref", id);
  await calls.delete("narrator", id, outs);
  expect(emulator.voices()).toEqual([]);
});

test("the owner keeps its voice in an update that reads it first", async () => {
  const { newProvider, id, inputs, outs } = await setUp();
  const calls = newProvider();
  await calls.read("ref", id);
  const checked = await calls.check("narrator", inputs, inputs);
  expect((await calls.diff("narrator", { id, inputs, outs }, checked.inputs)).getReplacesList()).toEqual([]);
});

test("an update that reads a voice may also adopt it", async () => {
  const { newProvider, id, inputs } = await setUp();
  const calls = newProvider();
  await calls.read("ref", id);
  expect((await calls.check("owner", { ...inputs, adopt: id })).failures).toEqual([]);
});

test("an import makes its resource an owner, so the voice stays when the other owner leaves the program", async () => {
  const { emulator, newProvider, id, inputs, outs, lines } = await setUp();
  saved({ name: "narrator", id });
  const calls = newProvider();
  const found = await calls.read("imported", id);
  const checked = await calls.check("imported", inputs, found.inputs);
  expect((await calls.diff("imported", { id, ...found }, checked.inputs)).getReplacesList()).toEqual([]);
  await calls.delete("narrator", id, outs);
  expect(emulator.voices()).toHaveLength(1);
  expect(lines).toEqual([expect.stringContaining(`not deleting the voice ${id}`)]);
});
