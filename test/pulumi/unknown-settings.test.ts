import * as pulumi from "@pulumi/pulumi";
import { CloudVoice, getVoices } from "../../provider/src";

/** A misspelt setting has no effect, so the program is refused, before anything is registered or called. */

beforeAll(() =>
  pulumi.runtime.setMocks(
    { newResource: ({ name }) => ({ id: name, state: {} }), call: ({ inputs }) => inputs as object },
    "program",
  ),
);
afterEach(() => {
  pulumi.runtime.setAllConfig({});
  delete process.env.CLOUDVOICE_VOICE_QOUTA;
});

const declare = () => new CloudVoice("v", { targetModel: "m", audio: "a.wav" });

test("a misspelt key of the stack's configuration is refused with the nearest right one", async () => {
  pulumi.runtime.setAllConfig({ "cloudvoice:voiceQouta": "5", "program:voiceQouta": "5" });
  const refusal = "settings: cloudvoice:voiceQouta is not a setting; did you mean cloudvoice:voiceQuota?";
  expect(declare).toThrow(refusal);
  await expect(getVoices()).rejects.toThrow(refusal);
});

test("a misspelt variable of the environment is refused with the nearest right one", () => {
  process.env.CLOUDVOICE_VOICE_QOUTA = "5";
  expect(declare).toThrow("settings: CLOUDVOICE_VOICE_QOUTA is not a setting; did you mean CLOUDVOICE_VOICE_QUOTA?");
});

test("a project with the name of this package keeps its own configuration", async () => {
  await pulumi.runtime.setMocks(
    { newResource: ({ name }) => ({ id: name, state: {} }), call: ({ inputs }) => inputs as object },
    "cloudvoice",
  );
  pulumi.runtime.setAllConfig({ "cloudvoice:region": "eu" });
  expect(declare).not.toThrow();
});
