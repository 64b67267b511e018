import { pluginStack, writeProgram, type YamlProgram } from "../../tools/plugin-stack";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { temporaryFolder } from "../support/files";
import { fastStart } from "../support/stack";

/** What holds for every run is checked by the set-up of the tests. */

test("from a hostile service the plugin shows no control characters and no secrets, and says of each refusal its code and its status", async () => {
  const emulator = await emulate({ hostile: "long" });
  const stack = await pluginStack(temporaryFolder(), emulator, {
    settings: { ...fastStart, CLOUDVOICE_IMAGE_POLL_SECONDS: "0.01" },
  });
  emulator.seedVoices("default", 2);
  const secret = (text: string) => ({ "fn::secret": text });
  const voice = { targetModel: "svc3-tts-vc-2026-01-22", audio: "a.wav" };
  const resources: YamlProgram["resources"] = {
    v: { type: "cloudvoice:CloudVoice", properties: { ...voice, text: secret("canary of the text") } },
    i: {
      type: "cloudvoice:GeneratedImage",
      properties: { model: "svc-image", prompt: secret("canary of the prompt"), saveTo: "out" },
    },
    d: {
      type: "cloudvoice:Decision",
      properties: { state: secret("canary of the state"), questions: { q: { type: "noul", instructions: "?" } } },
    },
  };
  writeProgram(stack.folder, { resources });
  await stack.ok(stack.up());
  resources.w = { type: "cloudvoice:CloudVoice", properties: { ...voice, text: "it does not match" } };
  resources.j = { type: "cloudvoice:GeneratedImage", properties: { model: "svc-image", prompt: "[fail]" } };
  writeProgram(stack.folder, { resources });
  const saved = ["review.html", "review.md", "review.txt", "review.json"];
  expect((await cloudvoice(stack, ["review", ...saved.flatMap((name) => ["--save", name])])).code).toBe(2);
  const { output } = await stack.up("--continue-on-error");
  expect(output).toMatch(/creating the voice .*\(HTTP 400, Audio\.PreprocessError/);
  expect(output).toContain("DataInspectionFailed");
  emulator.revokeKey(emulator.apiKey);
  expect((await stack.refresh()).output).toMatch(/\(HTTP 401, InvalidApiKey/);
  emulator.giveKey("default", emulator.apiKey);
  await stack.ok(stack.destroy());
});
