import * as pulumi from "@pulumi/pulumi";
import {
  decisionCheck,
  decisionCheckOutput,
  getVoices,
  getVoicesOutput,
  question,
  VoiceCatalog,
} from "../../provider/src";
import { dependenciesReady } from "../../provider/src/program/functions";
import { generatedImage } from "../../provider/src/program/definitions";
import { register } from "../../provider/src/program/register-native";

/** What a program hands to functions and resources, with mocks in place of the engine. */

let made: string[] = [];
let called: { token: string; inputs: unknown }[] = [];
let answer: object = {};
function setMocks(preview: boolean): Promise<void> {
  made = [];
  called = [];
  return pulumi.runtime.setMocks(
    {
      newResource: async ({ name, inputs, type }) => {
        // A voice takes longer than its catalog.
        if (type.endsWith("CloudVoice")) for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
        made.push(name);
        return { id: `${name}-id`, state: inputs as object };
      },
      call: ({ token, inputs }) => {
        called.push({ token, inputs });
        return answer;
      },
    },
    "program",
    "dev",
    preview,
  );
}
beforeEach(() => setMocks(false));

class Account extends pulumi.ProviderResource {
  constructor(name: string) {
    super("cloudvoice", name, {});
  }
}

const questions = { risky: question.noul("Risky?") };
const model = "svc3-tts-vc-2026-01-22";
const voices = { a: { targetModel: model, audio: "a.wav" }, b: { targetModel: model, audio: "b.wav" } };

test.each<[string, unknown]>([
  ["an output", pulumi.output("notes")],
  ["a promise", Promise.resolve("notes")],
  ["an object with an output in it", { notes: [pulumi.output("notes")] }],
])("decisionCheck refuses %s, and names the function that takes it", async (_, state) => {
  const asked = decisionCheck({ state: state as string, questions }, { provider: new Account("studio") });
  await expect(asked).rejects.toThrow(/contains an output or a promise; use decisionCheckOutput/);
  expect(called).toEqual([]);
});

test("decisionCheckOutput tells the plugin that an input is secret, because the SDK passes secrets in clear", async () => {
  answer = { answers: {} };
  const provider = new Account("studio");
  const asked = [pulumi.secret("notes"), "notes"].map((state) =>
    decisionCheckOutput({ state, questions }, { provider }),
  );
  await new Promise((resolve) => pulumi.all(asked).apply(resolve));
  const told = called.map(({ inputs }) => (inputs as { secretInputs?: boolean }).secretInputs === true);
  expect(told.sort()).toEqual([false, true]);
});

test("with mocks, functions reach their `call` and nothing is sent, also where a service is configured", async () => {
  process.env.CLOUDVOICE_BASE_URL = "http://127.0.0.1:9";
  process.env.CLOUDVOICE_API_KEY = "key-of-a-service";
  try {
    answer = { voices: [], total: 3, quota: 1000, remaining: 997 };
    expect(await getVoices()).toEqual(answer);
    answer = { answers: { risky: { noul: 0.2 } }, requestId: "r" };
    expect(await decisionCheck({ state: "s", questions })).toEqual(answer);
  } finally {
    delete process.env.CLOUDVOICE_BASE_URL;
    delete process.env.CLOUDVOICE_API_KEY;
  }
  expect(called.map(({ token }) => token)).toEqual(["cloudvoice:index:getVoices", "cloudvoice:index:decisionCheck"]);
});

test("a function that depends on a catalog waits for its voices", async () => {
  const catalog = new VoiceCatalog("voices", { voices });
  await new Promise((resolve) => dependenciesReady(catalog).apply(resolve));
  expect(made.sort()).toEqual(["voices", "voices-a", "voices-b"]);
});

test("in a preview that does not know the provider's arguments, results are unknown, and a call that can't wait fails", async () => {
  await setMocks(true);
  answer = {};
  const provider = new Account("studio");
  const isKnown = (output: pulumi.Output<unknown>) => (output as unknown as { isKnown: Promise<boolean> }).isKnown;
  expect(await isKnown(getVoicesOutput({}, { provider }))).toBe(false);
  expect(await isKnown(decisionCheckOutput({ state: "s", questions }, { provider }))).toBe(false);
  await expect(getVoices({}, { provider })).rejects.toThrow(/not known yet; use getVoicesOutput/);
  await expect(decisionCheck({ state: "s", questions }, { provider })).rejects.toThrow(/use decisionCheckOutput/);
});

test("time-outs of an option are no input of a native resource, because the engine tells the plugin", () => {
  const args = { model: "svc-image", prompt: "p" };
  const { props } = register(generatedImage, "i", args, { customTimeouts: { create: "10m", update: "20m" } });
  expect(props.timeoutSeconds).toBeUndefined();
});
