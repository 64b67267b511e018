import { emulate } from "../support/emulate";
import { recordings } from "../support/files";
import { newOperation } from "../support/operation";

test("the name of a voice with a secret text is hashed with the key, in each run in the same way", async () => {
  const emulator = await emulate();
  const identity = { namespace: "acme", urn: "urn:pulumi:dev::program::cloudvoice:index:CloudVoice::narrator" };
  const news = { targetModel: "svc3-tts-vc-2026-01-22", audio: recordings.wav, text: "hush", identity };
  const name = async (secretInputs?: string[]) => {
    const { inputs } = await newOperation(emulator).voice.check({}, { ...news, secretInputs }, new Set());
    return inputs.preferredName;
  };
  const keyed = await name(["text"]);
  expect(keyed).toMatch(/^narrator_[0-9a-z]{7}$/);
  expect(keyed).not.toBe(await name());
  expect(keyed).toBe(await name(["text"]));
});
