import { emulate } from "../support/emulate";
import { recordings, temporaryFolder } from "../support/files";
import { newOperation } from "../support/operation";

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

// test/service/voices.test.ts has the reason that may quote a secret.
test("why a voice is degraded is logged and saved", async () => {
  const { voice, lines } = newOperation(await emulate({ degradeEvery: 1 }));
  const news = { targetModel: model, audio: recordings.wav, identity };
  const { outs } = await voice.create((await voice.check({}, news, none)).inputs);
  expect(outs).toMatchObject({ degraded: true, degradedReason: expect.stringContaining("noisy audio") as string });
  expect(lines).toEqual([expect.stringMatching(/in poorer quality \(.*noisy audio\)/)]);
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

// test/rules/naming.test.ts has the name, by which a killed create is found again.
test("a recording at a URL stays the same with each signature, and one warning says that it is left out", async () => {
  const emulator = await emulate();
  const checked = async (day: number) => {
    const { voice, lines } = newOperation(emulator);
    const audio = `https://example.com/a.wav?X-Amz-Date=${day}&X-Amz-Signature=${day}f`;
    const { inputs } = await voice.check({}, { targetModel: model, audio, identity }, none);
    return { voice, lines, inputs };
  };
  const { voice, lines, inputs } = await checked(1);
  expect(lines).toEqual([expect.stringMatching(/looks signed.*The signature is ignored in comparisons/)]);
  const { id, outs } = await voice.create(inputs);
  const next = await checked(2);
  expect(next.inputs.preferredName).toBe(inputs.preferredName);
  expect(await next.voice.diff(id, outs, next.inputs, none)).toEqual({ replaces: [], updates: false });
});
