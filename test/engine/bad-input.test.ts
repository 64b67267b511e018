import { emulate } from "../support/emulate";
import { type Run } from "../../tools/stack";
import { isNative, Stack, testOfVoices } from "../support/stack";

/**
 * Preview rejects bad inputs and settings: all of them, per property, without a call or a stack trace. Each rule has
 * its row in test/pulumi/bad-input.test.ts.
 */

testOfVoices(
  "preview reports all bad inputs together, all bad settings together, an import and a key in clear",
  async () => {
    const emulator = await emulate();
    const stack = await Stack.create(emulator);
    const voice = `new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" }`;
    const failed = async (preview: Promise<Run>) => {
      const { code, output } = await preview;
      expect(code).not.toBe(0);
      expect(output).not.toMatch(/\n\s+at /);
      return output;
    };

    const audio = "data:audio/wav;base64,UklGRkNBTkFSWQ";
    stack.program(`
    new cv.CloudVoice("v", { targetModel: "x", audio: "${audio}", preferredName: "z-z", language: "nl", triggers: [{}] });`);
    const inputs = await failed(stack.preview());
    for (const property of ["targetModel", "audio", "preferredName", "language", "triggers"])
      expect(inputs).toContain(`property ${property}`);
    expect(inputs).not.toContain("UklGR");

    stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "https://user:canary@example.com/a.wav" });`);
    const password = await failed(stack.preview());
    expect(password).toContain("audio has credentials in its URL");
    expect(password).not.toContain("canary");

    stack.program(`${voice});`);
    const bad = { CLOUDVOICE_MAX_RETRIES: "many", CLOUDVOICE_BASE_URL: "http://example.com" };
    const settings = await failed(stack.with(bad).preview());
    expect(settings).toMatch(/CLOUDVOICE_MAX_RETRIES is "many"; it must be a whole number from 0/);
    expect(settings).toMatch(/CLOUDVOICE_BASE_URL is "http:\/\/example.com": plain http would show the key/);

    stack.configure({ "cloudvoice:voiceQouta": "5" });
    const misspeltKey = await failed(stack.preview());
    expect(misspeltKey).toContain("cloudvoice:voiceQouta is not a setting; did you mean cloudvoice:voiceQuota?");
    stack.configure({ "cloudvoice:apiKey": "sk-in-clear" });
    const inClear = await failed(stack.preview());
    expect(inClear).toContain("pulumi config set --secret cloudvoice:apiKey");
    expect(inClear).not.toContain("sk-in-clear");
    stack.configure({});

    const imported = await failed(stack.program(`${voice}, { import: "some-voice" });`).preview());
    expect(imported).toContain(isNative() ? "resource 'some-voice' does not exist" : `set adopt: "some-voice" instead`);
    if (!isNative()) expect(emulator.ledger()).toEqual([]);
  },
);
