import { readdirSync } from "node:fs";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import type { Emulator } from "../../provider/emulator";
import { unknownValue } from "../../provider/src/rules/values";
import { CallFailure } from "../../provider/src/plugin/errors";
import { invoke, list } from "../../provider/src/plugin/functions";
import { findProviderSetting } from "../../provider/src/plugin/settings";
import { decode, encode } from "../../provider/src/plugin/values";
import { emulate } from "../support/emulate";
import { recordings, temporaryFolder } from "../support/files";
import { withPictures } from "../support/pictures";
import { callsOf, configure, newPlugin, problemsOf, secret, struct, urnOfProvider } from "../support/plugin-calls";
import { until } from "../support/until";

const urn = (type: string, name = "one") => `urn:pulumi:dev::program::cloudvoice:index:${type}::${name}`;
const voice = { targetModel: "svc3-tts-vc-2026-01-22", audio: recordings.wav };

/** A configured plugin, and the calls on one resource of each type. */
async function configured(settings: Record<string, string> = {}, service?: Pick<Emulator, "url" | "apiKey">) {
  const emulator = await emulate();
  const { url, apiKey } = service ?? emulator;
  const args = { baseUrl: url, apiKey: secret(apiKey), imagePollSeconds: "0.01", ...settings };
  const provider = configure(newPlugin(), args);
  return { emulator, provider, ...callsOf(provider, urn) };
}

/** How a diff names each change. */
function kindsIn(response: rpc.DiffResponse): Record<string, string> {
  const kinds: Record<string, string> = {};
  const nameOf = (kind: rpc.PropertyDiff.Kind) =>
    Object.entries(rpc.PropertyDiff.Kind).find(([, value]) => value === kind)?.[0] ?? "";
  response.getDetaileddiffMap().forEach((change, name) => (kinds[name] = nameOf(change.getKind())));
  return kinds;
}

test("values lose the engine's marks and get them back", () => {
  const { props, secrets } = decode(
    struct({
      plain: 1,
      text: secret("hush"),
      nested: { list: [secret("hush"), true] },
      later: "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
      laterSecret: secret(unknownValue),
    }),
  );
  expect(props).toEqual({
    ...{ plain: 1, text: "hush", nested: { list: ["hush", true] } },
    ...{ later: unknownValue, laterSecret: unknownValue },
  });
  expect([...secrets].sort()).toEqual(["laterSecret", "nested", "text"]);
  expect(encode({ text: "hush", gone: undefined, plain: 1 }, secrets).toJavaScript()).toEqual({
    text: secret("hush"),
    plain: 1,
  });
});

test("secret inputs stay secret in inputs and outputs, and so does what the service makes from them", async () => {
  const { check, create } = await configured();
  const questions = { ok: { type: "noul", instructions: "Is it fine?" } };
  const { inputs } = await check("Decision", { state: secret("hush"), questions });
  expect(inputs).toEqual({ state: secret("hush"), questions });
  const { outs } = await create("Decision", inputs);
  expect(outs.state).toEqual(secret("hush"));
  expect(outs.answers).toEqual(secret(expect.objectContaining({ ok: expect.anything() as unknown })));

  const invalid = await check("CloudVoice", { ...voice, language: secret("hush") });
  expect(invalid.failures).toEqual([
    { property: "", reason: "language is invalid; the reason is not shown, because the input is secret" },
  ]);
});

test("a preview shows the inputs, and that the outputs are not known yet", async () => {
  const { emulator, check, create } = await configured();
  const { inputs } = await check("CloudVoice", voice);
  // An absolute path would fit one machine only.
  expect(inputs.audio).toBe("examples/catalog/audio/narrator-en.wav");
  const { id, outs } = await create("CloudVoice", inputs, { preview: true });
  expect({ id, outs }).toMatchObject({ id: "", outs: { ...inputs, voice: unknownValue, degraded: unknownValue } });
  expect(emulator.summary().voicesBilled).toBe(0);
});

test("a diff names each field, and whether it is added, removed or changed, or replaces the resource", async () => {
  const { check, create, diff } = await configured();
  const { inputs } = await check("GeneratedImage", { model: "svc-image", prompt: "A", size: "1328*1328" });
  const { outs } = await create("GeneratedImage", inputs);
  const changed = { model: "svc-image-plus", prompt: "A", n: 2, timeoutSeconds: 5 };
  expect(kindsIn(await diff("GeneratedImage", { outs }, changed))).toEqual({
    model: "UPDATE_REPLACE",
    n: "ADD_REPLACE",
    size: "DELETE_REPLACE",
  });
  expect(kindsIn(await diff("GeneratedImage", { outs }, { ...inputs, timeoutSeconds: 5 }))).toEqual({
    timeoutSeconds: "ADD",
  });
  expect(kindsIn(await diff("GeneratedImage", { outs }, inputs))).toEqual({});
});

test("ignoreChanges keeps a voice although the recording has other bytes", async () => {
  const { check, create, diff } = await configured();
  const { inputs } = await check("CloudVoice", voice);
  const { outs } = await create("CloudVoice", inputs);
  const other = await check("CloudVoice", { ...voice, audio: recordings.mp3 }, inputs);
  expect(kindsIn(await diff("CloudVoice", { outs }, other.inputs))).toEqual({ audio: "UPDATE_REPLACE" });
  const { nameVersion: _, ...unnamed } = other.inputs as { nameVersion: number };
  expect(kindsIn(await diff("CloudVoice", { outs }, { ...unnamed, preferredName: "mine" }))).toMatchObject({
    preferredName: "UPDATE_REPLACE",
  });
  expect(kindsIn(await diff("CloudVoice", { outs }, other.inputs, ["audio"]))).toEqual({});
});

test("customTimeouts limit the wait of a create for its image, and that of an update that goes on with it", async () => {
  const { emulator, check, create, update } = await configured();
  emulator.setImages({ finishAfterMs: 3_600_000 });
  const { inputs } = await check("GeneratedImage", { model: "svc-image", prompt: "A" });
  const failure = await create("GeneratedImage", inputs, { timeout: 0.05 }).catch(savedBy);
  const { message, state } = failure as ReturnType<typeof savedBy>;
  expect(message).toMatch(/is still \w+ after 0.05 s/);
  await expect(update("GeneratedImage", state, inputs, 0.1)).rejects.toThrow(/is still \w+ after 0.1 s/);
  expect(emulator.summary().tasks).toBe(1);
});

/** The state that the engine saves of a resource that failed to initialise. */
function savedBy(error: unknown): { message: string; state: object } {
  if (!(error instanceof CallFailure)) throw error;
  const [details] = error.response.metadata?.get("grpc-status-details-bin") ?? [];
  const [detail] = Status.deserializeBinary(details as Buffer).getDetailsList();
  const failure = rpc.ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() ?? new Uint8Array());
  return { message: error.message, state: failure.getProperties()?.toJavaScript() ?? {} };
}

test("Ctrl-C ends the download of an image: its task stays saved, and the next update fetches it at no cost", async () => {
  const emulator = await emulate();
  const plan: Parameters<typeof withPictures>[1] = ["trickle"];
  const { service, seen } = await withPictures(emulator, plan);
  const { provider, check, create } = await configured({}, service);
  const { inputs } = await check("GeneratedImage", { model: "svc-image", prompt: "A" });
  const failure = create("GeneratedImage", inputs).then(() => undefined, savedBy);
  await until(() => seen.length === 1);
  provider.cancel();
  const saved = await failure;
  expect(saved?.message).toMatch(/the operation was cancelled.*kept, and not submitted again/);

  plan[0] = "whole";
  const next = await configured({}, service);
  const updated = await next.update("GeneratedImage", saved?.state ?? {}, inputs);
  expect(updated).toMatchObject({ taskStatus: "SUCCEEDED", images: [{ width: 64 }] });
  expect([emulator.summary().tasks, seen.length]).toEqual([1, 2]);
});

test("Ctrl-C ends the waits that 429 answers have caused: every create fails, and the next run need not look for any", async () => {
  const emulator = await emulate({ callsPerSecond: { create: 0 } });
  const settings = { journal: temporaryFolder() };
  const names = ["one", "two", "three"];
  const createAll = ({ provider }: Awaited<ReturnType<typeof configured>>) => {
    const { check, create } = callsOf(provider, (name) => urn("CloudVoice", name));
    return Promise.allSettled(names.map(async (name) => create(name, (await check(name, voice)).inputs)));
  };
  const first = await configured(settings, emulator);
  const creating = createAll(first);
  await until(() => (emulator.summary().calls.create ?? 0) >= names.length);
  first.provider.cancel();
  expect((await creating).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(emulator.summary().voicesBilled).toBe(0);
  expect(readdirSync(settings.journal)).toEqual([]);

  emulator.setCallsPerSecond({});
  await createAll(await configured(settings, emulator));
  expect(emulator.summary().voicesBilled).toBe(names.length);
});

test("an import reports a problem inside an input that the program gives, and none of an input that nobody knows", async () => {
  const { check, read, emulator } = await configured();
  const [id = ""] = emulator.seedVoices("default", 1);
  await read("CloudVoice", id);
  const { failures } = await check("CloudVoice", { targetModel: voice.targetModel, triggers: [{}] });
  expect(failures.map(({ property }) => property)).toEqual(["triggers[0]"]);
});

test("the account's voices are listed, with a limit and by model; nothing else can be listed", async () => {
  const { provider, emulator } = await configured();
  const seeded = emulator.seedVoices("default", 3, { preferredName: "by_hand" });
  const listed = (token: string, query = {}, limit = 0) =>
    list(
      provider.active.operation,
      new rpc.ListRequest().setToken(`cloudvoice:index:${token}`).setQuery(struct(query)).setLimit(limit),
    );
  const results = (await listed("CloudVoice")).map((response) => response.getResult()?.toObject());
  expect(results).toEqual(expect.arrayContaining(seeded.map((id) => ({ id, name: "by_hand" }))));
  expect(results).toHaveLength(3);
  expect(await listed("CloudVoice", {}, 2)).toHaveLength(2);
  expect(await listed("CloudVoice", { targetModel: "svc3-tts-vc-realtime-2026-01-15" })).toEqual([]);
  await expect(listed("CloudVoice", { model: "x" })).rejects.toThrow(/model/);
  await expect(listed("Decision")).rejects.toThrow(
    "cloudvoice:index:Decision can't be listed: the service lists voices only",
  );
});

describe("the key from the environment", () => {
  const configuredAs = (name: string, args: object, of = newPlugin()) => configure(of, args, urnOfProvider(name));
  beforeEach(() => {
    process.env.CLOUDVOICE_API_KEY = "sk-canary";
  });
  afterEach(() => {
    delete process.env.CLOUDVOICE_API_KEY;
  });

  test.each(["baseUrl", "voiceBaseUrl", "imageBaseUrl", "decisionBaseUrl"])(
    "does not go to a %s that a program chooses: that needs a key of its own",
    (name) => {
      const args = { [name]: "https://evil.example" };
      const why = /the provider mine has the argument \w+ and no apiKey\. Pass its apiKey too/;
      expect(() => configuredAs("mine", args)).toThrow(why);
      expect(problemsOf(args)).toEqual([expect.stringMatching(why)]);
      expect(() => configuredAs("mine", { ...args, apiKey: secret("sk-own") })).not.toThrow();
    },
  );

  test("goes to the address of the stack's configuration, and to that of the environment", () => {
    expect(() => configuredAs("default_0_1_0", { baseUrl: "https://service.example" })).not.toThrow();
    expect(() => configuredAs("mine", { voiceQuota: 5 })).not.toThrow();
  });

  test("and one in clear in the stack's configuration is refused, without being shown", () => {
    const inClear = () => configuredAs("default", { apiKey: "sk-clear" });
    expect(inClear).toThrow(/Encrypt it with `pulumi config set --secret cloudvoice:apiKey`/);
    expect(inClear).not.toThrow(/sk-clear/);
  });

  test("a key that is not known yet is a key", () => {
    expect(problemsOf({ baseUrl: "https://service.example", apiKey: secret(unknownValue) })).toEqual([]);
  });

  test("stays where the first configuration sent it: a second one is refused", () => {
    const of = configuredAs("default", { baseUrl: "https://service.example" });
    const { operation } = of.active;
    expect(() => configuredAs("default", { baseUrl: "https://evil.example" }, of)).toThrow(/is configured already/);
    expect(of.active.operation).toBe(operation);
    expect(() => configuredAs("other", { baseUrl: "https://service.example", apiKey: "sk-own" }, of)).toThrow(
      /already/,
    );
  });

  test("and the same configuration again begins another operation, as when a plugin is attached", () => {
    const of = configuredAs("default", { baseUrl: "https://service.example" });
    const { operation } = of.active;
    of.cancel();
    configuredAs("default", { baseUrl: "https://service.example" }, of);
    expect(of.active.operation).not.toBe(operation);
  });
});

describe("a setting is found", () => {
  afterEach(() => {
    delete process.env.CLOUDVOICE_VOICE_QUOTA;
  });

  test("in the environment first, for the default provider", () => {
    const find = findProviderSetting(urnOfProvider("default"), { voiceQuota: "5" });
    expect(find("voiceQuota")).toEqual({ value: "5", source: "cloudvoice:voiceQuota" });
    process.env.CLOUDVOICE_VOICE_QUOTA = "7";
    expect(find("voiceQuota")).toEqual({ value: "7", source: "CLOUDVOICE_VOICE_QUOTA" });
  });

  test("in the arguments first, for a provider that the program declares", () => {
    process.env.CLOUDVOICE_VOICE_QUOTA = "7";
    const find = findProviderSetting(urnOfProvider("mine"), { voiceQuota: 5, debug: true });
    expect(find("voiceQuota")).toEqual({ value: "5", source: "the provider's voiceQuota" });
    expect(find("debug")?.value).toBe("true");
    expect(findProviderSetting(urnOfProvider("mine"), {})("voiceQuota")?.value).toBe("7");
  });
});

test("a function that is told of secret inputs shows no name of a question", async () => {
  const { provider } = await configured();
  const args = { state: "s", questions: { "is Bob fired": { type: "maybe" } } };
  const asked = (more: object) =>
    invoke(
      provider.active.operation,
      new rpc.InvokeRequest().setTok("cloudvoice:index:decisionCheck").setArgs(struct({ ...args, ...more })),
    );
  await expect(asked({})).rejects.toThrow(/is Bob fired/);
  await expect(asked({ secretInputs: true })).rejects.toThrow(/^(?!.*Bob).*not shown, because an input is secret/);
});
