import { Struct, type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Provider } from "../../provider/src/pulumi/plugin/provider";
import { pulumiStates } from "../../provider/src/stacks/pulumi-states";
import { emulate } from "../support/emulate";
import { fakePulumi } from "../support/fake-pulumi";
import { recordings, temporaryFolder } from "../support/files";

/** A resource that a program reads with `CloudVoice.get`: the state marks it as external. It does not own the voice. */

beforeEach(() => void (process.env.XDG_STATE_HOME = temporaryFolder()));
afterEach(() => jest.restoreAllMocks());

type Props = Record<string, JavaScriptValue>;
interface Entry {
  name: string;
  id: string;
  stack?: string;
  external?: boolean;
}

const type = "cloudvoice:index:CloudVoice";
const providerUrn = "urn:pulumi:voices::program::pulumi:providers:cloudvoice::mine";
const urnOf = (name: string, stack = "voices") => `urn:pulumi:${stack}::program::${type}::${name}`;

/** The saved states of the stacks `voices` and `apps`. */
function saved(...entries: Entry[]): void {
  const stateOf = (own: string) => {
    const resources = entries
      .filter(({ stack = "voices" }) => stack === own)
      .map(({ name, id, external }) => ({
        urn: urnOf(name, own),
        type,
        id,
        provider: `${providerUrn}::uuid`,
        ...(external && { external }),
      }));
    return JSON.stringify({ deployment: { resources } });
  };
  fakePulumi([
    ["stack export --stack voices", stateOf("voices")],
    ["stack export --stack apps", stateOf("apps")],
    ["stack ls --json", JSON.stringify([{ name: "voices" }, { name: "apps" }])],
  ]);
}

/** An account with one voice that `narrator` of the stack `voices` holds, and the calls of the engine to the plugin. */
async function setUp() {
  const emulator = await emulate();
  const lines: string[] = [];
  const newProvider = (settings: Props = {}) => {
    const provider = new Provider((line) => void lines.push(line), undefined);
    const args = { baseUrl: emulator.url, apiKey: emulator.apiKey, settleSeconds: "0", ...settings };
    const request = new rpc.ConfigureRequest().setArgs(Struct.fromJavaScript(args));
    provider.configure(request.setUrn(providerUrn));
    return callsOf(provider);
  };
  const first = newProvider();
  const { inputs } = await first.check("narrator", { targetModel: "svc3-tts-vc-2026-01-22", audio: recordings.wav });
  const { id, outs } = await first.create("narrator", inputs);
  return { emulator, lines, newProvider, inputs, id, outs };
}

function callsOf({ active: { adapter } }: Provider) {
  const struct = (props: Props) => Struct.fromJavaScript(props);
  return {
    async check(name: string, news: Props, olds: Props = {}) {
      const request = new rpc.CheckRequest().setUrn(urnOf(name)).setNews(struct(news)).setOlds(struct(olds));
      const response = await adapter.check(request);
      const failures = response.getFailuresList().map((failure) => failure.getReason());
      return { inputs: response.getInputs()?.toJavaScript() ?? {}, failures };
    },
    async create(name: string, inputs: Props) {
      const response = await adapter.create(new rpc.CreateRequest().setUrn(urnOf(name)).setProperties(struct(inputs)));
      return { id: response.getId(), outs: response.getProperties()?.toJavaScript() ?? {} };
    },
    async diff(name: string, id: string, olds: { inputs: Props; outs: Props }, news: Props) {
      const request = new rpc.DiffRequest().setUrn(urnOf(name)).setId(id).setOlds(struct(olds.outs));
      const response = await adapter.diff(request.setOldInputs(struct(olds.inputs)).setNews(struct(news)));
      return response.getReplacesList();
    },
    /** Without a state, as for `CloudVoice.get` and an import. */
    async read(name: string, id: string, state?: Props) {
      const request = new rpc.ReadRequest().setUrn(urnOf(name)).setId(id);
      const response = await adapter.read(state === undefined ? request : request.setProperties(struct(state)));
      return {
        inputs: response.getInputs()?.toJavaScript() ?? {},
        outs: response.getProperties()?.toJavaScript() ?? {},
      };
    },
    delete: (name: string, id: string, state: Props) =>
      adapter.delete(new rpc.DeleteRequest().setUrn(urnOf(name)).setId(id).setProperties(struct(state))),
  };
}

test("the saved states show only resources that Pulumi manages", async () => {
  saved({ name: "narrator", id: "a" }, { name: "ref", id: "b", external: true });
  const state = await pulumiStates().stack("voices");
  expect(state.holders.map(({ voice }) => voice)).toEqual(["a"]);
  expect([...state.ids]).toEqual(["a"]);
});

test.each(["voices", "apps"])("a destroy deletes a voice that a resource of the stack %s reads", async (stack) => {
  const { emulator, newProvider, id, outs, lines } = await setUp();
  saved({ name: "narrator", id }, { name: "ref", id, stack, external: true });
  await newProvider().delete("narrator", id, outs);
  expect(emulator.voices()).toEqual([]);
  expect(lines).toEqual([]);
});

test("an update that reads a voice deletes it if its owner leaves the program", async () => {
  const { emulator, newProvider, id, outs } = await setUp();
  saved({ name: "narrator", id }, { name: "ref", id, external: true });
  const calls = newProvider();
  await calls.read("ref", id);
  await calls.delete("narrator", id, outs);
  expect(emulator.voices()).toEqual([]);
});

test("a refresh reads the owner of a voice and a resource that only reads it", async () => {
  const { newProvider, id, outs } = await setUp();
  const ref = await newProvider().read("ref", id);
  saved({ name: "narrator", id }, { name: "ref", id, external: true });
  const calls = newProvider();
  expect(await calls.read("narrator", id, outs)).toMatchObject({ outs: { voice: id } });
  expect(await calls.read("ref", id, ref.outs)).toMatchObject({ outs: { voice: id } });
});

test("the owner keeps its voice in an update that reads it first", async () => {
  const { newProvider, id, inputs, outs } = await setUp();
  const calls = newProvider();
  await calls.read("ref", id);
  const checked = await calls.check("narrator", inputs, inputs);
  expect(await calls.diff("narrator", id, { inputs, outs }, checked.inputs)).toEqual([]);
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
  expect(await calls.diff("imported", id, found, checked.inputs)).toEqual([]);
  await calls.delete("narrator", id, outs);
  expect(emulator.voices()).toHaveLength(1);
  expect(lines).toEqual([expect.stringContaining(`not deleting the voice ${id}`)]);
});

test("the stack's quota does not count a voice that the stack only reads", async () => {
  const { newProvider, id, inputs } = await setUp();
  saved({ name: "ref", id, external: true });
  expect((await newProvider({ stackQuota: "1" }).check("other", inputs)).failures).toEqual([]);
  saved({ name: "narrator", id });
  expect((await newProvider({ stackQuota: "1" }).check("other", inputs)).failures).toEqual([
    expect.stringContaining("stackQuota"),
  ]);
});
