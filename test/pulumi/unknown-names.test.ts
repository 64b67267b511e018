import * as pulumi from "@pulumi/pulumi";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import {
  CloudVoice,
  Decision,
  decisionCheck,
  decisionCheckOutput,
  GeneratedImage,
  getVoices,
  getVoicesOutput,
  VoiceCatalog,
} from "../../provider/src";
import { invoke } from "../../provider/src/plugin/functions";
import type { Props } from "../../provider/src/lifecycle/lifecycle";
import { emulate } from "../support/emulate";
import { recordings } from "../support/files";
import { newOperation } from "../support/operation";
import { configure, newPlugin, problemsOf, struct } from "../support/plugin-calls";

/** A misspelt name is refused at preview. JavaScript programs have no compiler that would do it. */

const voice = { targetModel: "svc3-tts-vc-2026-01-22", audio: recordings.wav };
const image = { model: "svc-image", prompt: "A lighthouse" };
const noul = { type: "noul", instructions: "Is it fine?" };
const identity = { urn: "urn:pulumi:dev::p::t::v" };

/** What a class hands over to the check, by the name of the resource. */
const handedOver = new Map<string, Props>();
beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource({ name, inputs }) {
      handedOver.set(name, inputs as Props);
      return { id: `${name}-id`, state: inputs as Props };
    },
    call: ({ inputs }) => inputs as Props,
  }),
);
const known = <T>(output: pulumi.Output<T>) => new Promise<T>((resolve) => output.apply(resolve));
/** Arguments as a program in JavaScript passes them. */
const untyped = (args: object) => args as never;

// test/rules/inputs.test.ts, nearest-name.test.ts and decision.test.ts have more names.
test.each<[kind: "voice" | "image" | "decision", inputs: Props, refusal: string]>([
  ["voice", { ...voice, languge: "en" }, "`languge` is not an input of CloudVoice; did you mean `language`?"],
  ["image", { ...image, saveto: "covers" }, "`saveto` is not an input of GeneratedImage; did you mean `saveTo`?"],
  [
    "decision",
    { state: "a", questions: { q: noul }, expct: {} },
    "`expct` is not an input of Decision; did you mean `expect`?",
  ],
])("a misspelt input of the kind %s is refused by its name, without a call", async (kind, inputs, refusal) => {
  const emulator = await emulate();
  const { failures } = await newOperation(emulator)[kind].check({}, { ...inputs, identity }, new Set());
  expect(failures.map(({ reason }) => reason)).toEqual([refusal]);
  expect(emulator.ledger()).toEqual([]);
});

test("the classes hand unknown names over to the check, and not their values", async () => {
  const resources = [
    new CloudVoice("a voice", untyped({ ...voice, languge: "canary" })),
    new GeneratedImage("an image", untyped({ ...image, saveto: pulumi.secret("canary") })),
    new Decision("a decision", untyped({ state: "a", questions: { q: noul }, expects: () => "canary" })),
    new CloudVoice("left out", untyped({ ...voice, languge: undefined })),
  ];
  await Promise.all(resources.map(({ urn }) => known(urn)));
  expect(handedOver.get("a voice")).toHaveProperty("languge");
  expect(handedOver.get("an image")).toHaveProperty("saveto");
  expect(handedOver.get("a decision")).toHaveProperty("expects");
  expect(handedOver.get("left out")).not.toHaveProperty("languge");
  expect(JSON.stringify([...handedOver])).not.toContain("canary");
});

test.each([undefined, null, "text", []])("a resource without an object of arguments is refused: %j", (args) => {
  expect(() => new CloudVoice("v", args as never)).toThrow("v: the arguments of CloudVoice must be an object");
});

test("a name that the package passes to the check itself is refused where the resource is declared", () => {
  for (const ours of ["label", "stack"])
    expect(() => new GeneratedImage("i", untyped({ ...image, [ours]: "mine" }))).toThrow(
      new RegExp(`^i: \`${ours}\` is not an input of GeneratedImage; the allowed names are model, prompt`),
    );
});

test("a catalog refuses unknown names in its arguments, in its defaults and in each entry, all at once", () => {
  const args = {
    voice: {},
    voices: { narrator: { audio: "a.wav", languge: "en" }, "the host": { audio: "b.wav", audo: "c.wav" } },
    defaults: { targetmodel: "m" },
  };
  expect(() => new VoiceCatalog("voices", untyped(args))).toThrow(
    [
      "voices: 4 problems",
      "`voice` is not an input of VoiceCatalog; did you mean `voices`?",
      "defaults: `targetmodel` is not an input of CloudVoice; did you mean `targetModel`?",
      "voices.narrator: `languge` is not an input of CloudVoice; did you mean `language`?",
      'voices["the host"]: `audo` is not an input of CloudVoice; did you mean `audio`?',
    ].join("\n  "),
  );
});

test("a catalog without voices says so", () => {
  expect(() => new VoiceCatalog("voices", untyped({ voice: {} }))).toThrow(
    "voices: 2 problems\n  `voice` is not an input of VoiceCatalog; did you mean `voices`?\n  voices must be an object of voices",
  );
});

test.each<[what: string, call: () => unknown, refusal: string]>([
  [
    "decisionCheck",
    () => decisionCheck(untyped({ stat: "a", questions: { q: noul } })),
    "decisionCheck: `stat` is not an argument of decisionCheck; did you mean `state`?; state is required",
  ],
  [
    "decisionCheckOutput",
    () => decisionCheckOutput(untyped({ state: "a", question: { q: noul } })),
    "`question` is not an argument of decisionCheckOutput; did you mean `questions`?",
  ],
  [
    "the options of decisionCheckOutput",
    () => decisionCheckOutput(untyped({ state: "a", questions: { q: noul } }), untyped({ dependOn: [] })),
    "`dependOn` is not an option of decisionCheckOutput; did you mean `dependsOn`?",
  ],
  [
    "getVoices",
    () => getVoices(untyped({ targetmodel: "m" })),
    "`targetmodel` is not an argument of getVoices; did you mean `targetModel`?",
  ],
  [
    "getVoicesOutput",
    () => getVoicesOutput(untyped({ model: "m" })),
    "`model` is not an argument of getVoicesOutput; the allowed names are targetModel",
  ],
  [
    "the options of getVoicesOutput",
    () => getVoicesOutput({}, untyped({ parnt: undefined, dependson: [] })),
    "`dependson` is not an option of getVoicesOutput; did you mean `dependsOn`?",
  ],
])("unknown arguments of %s are refused before any call", async (_, call, refusal) => {
  // Some throw, and some reject.
  await expect(new Promise((resolve) => resolve(call()))).rejects.toThrow(refusal);
});

test("the plugin refuses an unknown setting of a provider, with the nearest right one", () => {
  expect(problemsOf({ voiceQouta: "5" })).toEqual([
    "settings: cloudvoice:voiceQouta is not a setting; did you mean cloudvoice:voiceQuota?",
  ]);
  expect(problemsOf({ voiceQuota: "5", version: "0.1.0" })).toEqual([]);
  // The settings of a project with the name of this package may have keys of the project's own beside them.
  const ofProject = "urn:pulumi:dev::cloudvoice::pulumi:providers:cloudvoice::default";
  expect(problemsOf({ region: "eu" }, ofProject)).toEqual([]);
});

test("the plugin's functions refuse unknown arguments", async () => {
  const { url, apiKey } = await emulate();
  const plugin = configure(newPlugin(), { baseUrl: url, apiKey });
  const request = new rpc.InvokeRequest().setTok("cloudvoice:index:getVoices").setArgs(struct({ targetmodel: "m" }));
  await expect(invoke(plugin.active.operation, request)).rejects.toThrow(
    "`targetmodel` is not an argument of getVoices; did you mean `targetModel`?",
  );
});
