import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { unknownValue } from "../../provider/src/rules/values";
import { archive, asset, output, reference, startPlugin, struct } from "../support/plugin-process";
import { until } from "../support/until";

/**
 * Calls that no engine makes, to the running plugin. Each is refused with the reason, nothing is billed, and the next call
 * is answered. That no error and no line has a control character or the key is checked by the set-up.
 */

let emulator: Emulator;
let plugin: Awaited<ReturnType<typeof startPlugin>>;
beforeAll(async () => {
  emulator = await startEmulator();
  plugin = await startPlugin(emulator);
});
afterAll(async () => {
  plugin.stop();
  await emulator.close();
});

type Type = "CloudVoice" | "GeneratedImage" | "Decision";
const types: Type[] = ["CloudVoice", "GeneratedImage", "Decision"];
const urn = (type: string, name = "one") => `urn:pulumi:dev::program::cloudvoice:index:${type}::${name}`;
const billed = ({ voicesBilled, tasks, tokens } = emulator.summary()) => ({ voicesBilled, tasks, tokens });

const voice = { targetModel: "svc3-tts-vc-2026-01-22", audio: "a.wav" };
const image = { model: "svc-image", prompt: "A lighthouse" };
const questions = { q: { type: "noul", instructions: "?" } };
const valid = { CloudVoice: voice, GeneratedImage: image, Decision: { state: "x", questions } };

const check = (type: Type, props: object, name?: string) =>
  new rpc.CheckRequest().setUrn(urn(type, name)).setNews(struct(props));
const create = (type: Type, props: object, name?: string) =>
  new rpc.CreateRequest().setUrn(urn(type, name)).setProperties(struct(props));
const update = (type: Type, props: object, olds: object = props) =>
  new rpc.UpdateRequest().setUrn(urn(type)).setId("x").setNews(struct(props)).setOlds(struct(olds));

/** The inputs as `check` returns them, with which the engine calls `create`. */
async function checked(type: Type, props: object, name?: string): Promise<object> {
  const { response } = await plugin.call("Check", check(type, props, name));
  const found = response as rpc.CheckResponse;
  expect(found.getFailuresList().map((failure) => failure.getReason())).toEqual([]);
  return found.getInputs()?.toJavaScript() ?? {};
}

test("what is configured with values of a wrong kind stays as it was, and other calls wait for a configuration", async () => {
  const { error } = await plugin.call("Check", check("CloudVoice", voice));
  expect(error).toBe("the provider is not configured yet");
  for (const [args, why] of [
    [{ apiKey: ["canary", 1] }, "cloudvoice:apiKey must be a text, a number or a boolean"],
    [{ voiceQuota: { a: 1 } }, "cloudvoice:voiceQuota must be a text, a number or a boolean"],
    [
      { baseUrl: asset({ text: "canary" }) },
      "an asset, an archive or a resource is given where a value is expected: give the path or URL of a file as a text",
    ],
    [{ maxRetries: "\u001b[2J\u202e" }, /^settings: the provider's maxRetries is ".*it must be a whole number/],
  ] as const)
    expect((await plugin.configure(args)).error).toMatch(why);
  expect((await plugin.configure()).error).toBe("");
  expect((await plugin.configure({ baseUrl: "https://elsewhere.example" })).error).toMatch(/is configured already/);
});

test("a voice without the name that Check gives it is refused, and nothing is billed", async () => {
  const before = billed();
  const { error } = await plugin.call("Create", create("CloudVoice", voice));
  expect([error, billed()]).toEqual([
    "one: preferredName is missing. Call Create with the inputs that Check returned",
    before,
  ]);
});

/** Bytes in a field of a message. */
function field(number: number, bytes: Uint8Array): Buffer {
  const size = [0, 7, 14].map((shift) => ((bytes.length >> shift) & 127) | (shift === 14 ? 0 : 128));
  return Buffer.concat([Buffer.from([number * 8 + 2, ...size]), bytes]);
}

/** A property in thousands of lists. */
function deeplyNested(): Buffer {
  let value: Buffer = field(3, Buffer.from("x"));
  for (let depth = 0; depth < 10_000; depth++) value = field(6, field(1, value));
  return field(3, field(1, Buffer.concat([field(1, Buffer.from("state")), field(2, value)])));
}

test.each(["Check", "Diff", "Create", "Read", "Update", "Delete", "Invoke", "Construct", "Configure", "Call", "Nope"])(
  "bytes that are no request of %s are refused",
  async (method) => {
    const garbage = [Buffer.alloc(0), Buffer.from("ff".repeat(10), "hex"), Buffer.from("garbage"), deeplyNested()];
    for (const bytes of garbage) expect((await plugin.callRaw(method, bytes)).error).not.toMatch(/^$|unexpected/);
  },
);

const hostile: Record<string, object> = {
  "that were never checked": { ...voice, language: "xx", ...image, n: 500, saveTo: 5, state: "", questions: {} },
  "of wrong kinds": { targetModel: 5, audio: {}, model: [], prompt: { a: 1 }, state: 7, questions: "x" },
  "that are absent": {},
  "that are null": { targetModel: null, audio: null, model: null, prompt: null, state: null, questions: null },
  "that are not known": {
    ...voice,
    text: unknownValue,
    ...image,
    prompt: unknownValue,
    state: unknownValue,
    questions,
  },
  "that are assets": { ...voice, audio: asset({ path: "a.wav" }), ...image, prompt: asset({ text: "x" }), state: "x" },
  "that are archives": { ...voice, ...image, state: archive({ path: "/etc" }), questions },
  "that are resources": { ...voice, ...image, state: [reference({ urn: urn("CloudVoice"), id: "x" })], questions },
  "with unknown names": { ...voice, ...image, state: "x", questions, "\u001b[2J\r\u202e": 1, constructor: 2 },
};

describe.each(Object.entries(hostile))("inputs %s", (_, props) => {
  test.each(types)("make no %s and change none, and a preview with them is free", async (type) => {
    const before = billed();
    for (const [method, request] of [
      ["Create", create(type, props)],
      ["Update", update(type, props)],
    ] as const) {
      const { error } = await plugin.call(method, request);
      expect(error).not.toMatch(/^$|unexpected| {4}at /);
    }
    const { error } = await plugin.call("Create", create(type, props).setPreview(true));
    expect(error).not.toMatch(/unexpected/);
    expect(billed()).toEqual(before);
  });
});

test("names and values of ten million characters, and those that control a terminal, are reported in short", async () => {
  const huge = "A".repeat(10_000_000);
  const control = "\u001b[2J\r\n\u202e";
  for (const props of [
    { ...voice, [huge]: 1 },
    { ...voice, audio: huge },
    { ...voice, preferredName: huge },
    { ...voice, [control]: 1, adopt: control, rights: { holder: control, [control]: control } },
    { ...voice, adopt: control, triggers: [{}] },
  ]) {
    const { error, response } = await plugin.call("Check", check("CloudVoice", props));
    expect(error).toBe("");
    for (const failure of (response as rpc.CheckResponse).getFailuresList()) {
      const text = `${failure.getProperty()}: ${failure.getReason()}`;
      expect(text.length).toBeLessThan(5000);
      expect(text).not.toMatch(/[\p{C}\p{Zl}]/u);
    }
  }
});

test.each([
  ["CloudVoice", { ...voice, voice: "x", account: 5, preferredName: 7, adopted: false, degraded: false }],
  ["GeneratedImage", { ...image, taskId: "x", taskStatus: 5, images: "x" }],
  ["Decision", { state: "x", questions, answers: null, expect: { q: { max: 1 } } }],
] as const)("a state of %s that someone has damaged is called that", async (type, olds) => {
  const found = [
    (await plugin.call("Update", update(type, valid[type], olds))).error,
    (await plugin.call("Read", new rpc.ReadRequest().setUrn(urn(type)).setId("x").setProperties(struct(olds)))).error,
    (await plugin.call("Delete", new rpc.DeleteRequest().setUrn(urn(type)).setId("x").setProperties(struct(olds))))
      .error,
  ];
  expect(found.join("\n")).toContain(`the saved state of this ${type} is damaged in `);
  expect(found.join("\n")).not.toContain("unexpected");
});

test.each(["Read", "Update", "Delete", "Diff"] as const)("%s without an id does nothing", async (method) => {
  const before = emulator.summary().calls;
  for (const type of types) {
    const request = new rpc[`${method}Request`]().setUrn(urn(type, "nameless"));
    expect((await plugin.call(method, request)).error).toBe("the request about nameless has no id");
  }
  expect(emulator.summary().calls).toEqual(before);
});

test.each([
  ["cloudvoice:index:\u001b[2J", {}, "there is no function cloudvoice:index:\\u{1b}[2J"],
  ["cloudvoice:index:getVoices", { targetModel: { a: 1 } }, "targetModel must be the name of a synthesis model"],
  ["cloudvoice:index:decisionCheck", { state: unknownValue, questions }, /not known yet: state/],
  ["cloudvoice:index:decisionCheck", { state: output({ value: asset({}) }), questions }, /an asset, an archive/],
] as const)("the function %s refuses what it can't be asked", async (token, args, why) => {
  const before = billed();
  const { error } = await plugin.call("Invoke", new rpc.InvokeRequest().setTok(token).setArgs(struct(args)));
  expect(error).toMatch(why);
  expect(billed()).toEqual(before);
});

test.each(["127.0.0.1:1", "http://x:y"])(
  "a catalog whose engine is not at %s ends with the reason",
  async (monitor) => {
    const request = new rpc.ConstructRequest().setType("cloudvoice:index:VoiceCatalog").setName("c");
    request.setMonitorendpoint(monitor).setInputs(struct({ voices: { a: voice } }));
    expect((await plugin.call("Construct", request)).error).toMatch(/^the registration failed: /);
  },
);

test("a secret inside an output is a secret: no error shows it", async () => {
  const props = { ...voice, language: output({ value: "canary-of-the-language", secret: true }) };
  const { response } = await plugin.call("Check", check("CloudVoice", props));
  const failures = (response as rpc.CheckResponse).getFailuresList().map((failure) => failure.getReason());
  expect(failures).toEqual([expect.stringContaining("the input is secret")]);
});

test.each([
  ["CloudVoice", "create"],
  ["GeneratedImage", "submit"],
  ["Decision", "decide"],
] as const)("creates of one %s at once pay once, also if the first one's connection breaks", async (type, action) => {
  const inputs = await checked(type, valid[type], "twice");
  const sent = () => emulator.summary().calls[action] ?? 0;
  const before = sent();
  const createOnce = (breaks?: AbortSignal) => plugin.call("Create", create(type, inputs, "twice"), breaks);
  const release = emulator.hold(action);
  const connection = new AbortController();
  const broken = createOnce(connection.signal);
  await until(() => emulator.underWay(action) === 1);
  connection.abort();
  expect((await broken).error).toContain("Cancelled");
  const others = Promise.all([createOnce(), createOnce()]);
  // A call that is answered has overtaken neither of them on its way.
  await checked(type, valid[type], "twice");
  release();
  const answers = await others;
  const ids = answers.map(({ response }) => (response as rpc.CreateResponse).getId());
  expect(new Set(ids).size).toBe(1);
  expect(sent() - before).toBe(1);
});

test.each([NaN, -5, Infinity, 1e308])("a limit of %s seconds is none, or a very long one", async (seconds) => {
  const inputs = await checked("GeneratedImage", image, `limit${seconds}`);
  const request = create("GeneratedImage", inputs, `limit${seconds}`).setTimeout(seconds);
  expect((await plugin.call("Create", request)).error).toBe("");
});

test("a cancel in the middle of a create lets it end, and stops the next one before it is paid for", async () => {
  const [first, second] = [await checked("CloudVoice", voice, "first"), await checked("CloudVoice", voice, "second")];
  const release = emulator.hold("create");
  const creating = plugin.call("Create", create("CloudVoice", first, "first"));
  await until(() => emulator.underWay("create") === 1);
  await plugin.callRaw("Cancel", Buffer.from(new Empty().serializeBinary()));
  release();
  expect((await creating).error).toBe("");
  const before = billed();
  const { error } = await plugin.call("Create", create("CloudVoice", second, "second"));
  expect(error).toBe("the operation was cancelled. Run it again to continue");
  expect(billed()).toEqual(before);
});
