import type { Props } from "../../provider/src/pulumi/provider/lifecycle";
import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { recordings, temporaryFolder } from "../support/files";
import { inFrontOf } from "../support/in-front";
import { journalIn } from "../support/journal";
import { newOperation } from "../support/operation";
import { emptyStates } from "../support/states";

const model = "svc3-tts-vc-2026-01-22";
const none: ReadonlySet<string> = new Set();
const identity = { urn: "urn:pulumi:dev::p::t::v" };

beforeEach(() => void (process.env.XDG_STATE_HOME = temporaryFolder()));

test("an adopted voice says the truth: its own name, and no recording, until it is replaced", async () => {
  const emulator = await emulate();
  const [adopt = ""] = emulator.seedVoices("default", 1, { preferredName: "by_hand" });
  const declared = { targetModel: model, audio: recordings.wav, adopt };
  const { voice } = newOperation(emulator);
  const { inputs, failures } = await voice.check({}, { ...declared, identity }, none);
  expect(failures).toEqual([]);
  const { id, outs } = await voice.create(inputs);
  const truth = { preferredName: "by_hand", nameVersion: undefined, audioSha256: undefined, audioSeconds: undefined };
  expect(outs).toMatchObject({ ...truth, adopted: true, audio: inputs.audio });

  // The next update, with the state as the engine keeps it.
  const state = JSON.parse(JSON.stringify(outs)) as Record<string, unknown>;
  const next = newOperation(emulator).voice;
  const same = (await next.check(inputs, { ...declared, identity }, none)).inputs;
  expect(await next.diff(id, state, same, none)).toEqual({ replaces: [], updates: false });
  const { adopt: _, ...without } = same;
  expect(await next.diff(id, state, without, none)).toEqual({ replaces: [], updates: true });
  expect((await next.update(id, state, without)).outs).toMatchObject({ ...truth, adopted: true });
});

test("the name of a voice with a secret text is hashed with the key, in each run in the same way", async () => {
  const emulator = await emulate();
  const name = async (secretInputs?: string[]) => {
    const news = { targetModel: model, audio: recordings.wav, text: "hush", identity, secretInputs };
    return (await newOperation(emulator).voice.check({}, news, none)).inputs.preferredName;
  };
  const keyed = await name(["text"]);
  expect(keyed).toMatch(/^v_[0-9a-z]{7}$/);
  expect(keyed).not.toBe(await name());
  expect(keyed).toBe(await name(["text"]));
});

test("what is secret among the inputs is known to the operation, and is not kept in the state", async () => {
  const emulator = await emulate();
  const { voice } = newOperation(emulator);
  const news = { targetModel: model, audio: recordings.wav, text: "does not match, canary", identity };
  const { inputs } = await voice.check({}, { ...news, secretInputs: ["text"] }, none);
  expect(inputs).not.toHaveProperty("secretInputs");
  await expect(voice.create(inputs)).rejects.toThrow(
    /failed: the service's reason is not shown, because it may quote a secret input \(HTTP 400, Audio\.Pre/,
  );
  const open = newOperation(emulator).voice;
  await expect(open.create((await open.check({}, news, none)).inputs)).rejects.toThrow(/differs significantly/);
});

test("why a voice is degraded is neither logged nor saved if an input is secret", async () => {
  const emulator = await emulate({ degradeEvery: 1 });
  const service = await inFrontOf(emulator, ({ answer }) => ({ answer: answer.replace("noisy", "'canary' in noisy") }));
  const createdWith = async (passed: Props) => {
    const { voice, lines } = newOperation(service);
    const news = { targetModel: model, audio: recordings.wav, text: "canary", identity, ...passed };
    const { outs } = await voice.create((await voice.check({}, news, none)).inputs);
    return { degraded: outs.degraded, reason: outs.degradedReason, lines };
  };

  const secret = await createdWith({ secretInputs: ["text"] });
  expect(secret.reason).toBe("the service's reason is not shown, because it may quote a secret input");
  expect(secret.lines).toEqual([
    expect.stringMatching(/in poorer quality \(the service's reason is not shown, [^']*$/),
  ]);
  const open = await createdWith({ triggers: [1] });
  expect(open).toMatchObject({ degraded: true, reason: "'canary' in noisy audio" });
  expect(open.lines).toEqual([expect.stringMatching(/in poorer quality \('canary' in noisy audio\)/)]);
});

test.each([
  ["audio", "canary.wav"],
  ["language", "canary"],
  ["adopt", "svc-canary-voice-1"],
])("a secret %s that is invalid is not shown", async (name, value) => {
  const { voice } = newOperation(await emulate());
  const news = { targetModel: model, audio: recordings.wav, [name]: value, identity, secretInputs: [name] };
  const { failures } = await voice.check({}, news, none);
  expect(failures).toEqual([
    { property: "", reason: `${name} is invalid; the reason is not shown, because the input is secret` },
  ]);
});

describe("a recording at a URL whose signature changes in each run", () => {
  const at = (day: number) => `https://example.com/a.wav?X-Amz-Date=${day}&X-Amz-Signature=${day}f`;
  const declared = (day: number) => ({ targetModel: model, audio: at(day), identity });
  /** Each call is an operation of its own, with one journal for all. */
  const operations = (emulator: Emulator) => {
    const journal = journalIn(new Map());
    return () => newOperation(emulator, {}, { journal, states: emptyStates("organization/p/dev") });
  };

  test("is paid once, also after a kill, and one warning says that the signature is left out", async () => {
    const emulator = await emulate();
    const operation = operations(emulator);
    const first = operation();
    const { inputs } = await first.voice.check({}, declared(1), none);
    expect(first.lines).toEqual([expect.stringMatching(/looks signed.*Its signature is left out when it is compared/)]);
    const { id } = await first.voice.create(inputs);
    // The run was killed, so that no state has the voice.
    const second = operation().voice;
    const again = (await second.check({}, declared(2), none)).inputs;
    const { id: found, outs } = await second.create(again);
    expect(found).toBe(id);
    const third = operation().voice;
    const { inputs: next } = await third.check(again, declared(3), none);
    expect(await third.diff(id, outs, next, none)).toEqual({ replaces: [], updates: false });
    expect(emulator.summary().voicesBilled).toBe(1);
  });
});
