import { emulate } from "../support/emulate";
import { isNative, Stack } from "../support/stack";

/**
 * Preview rejects bad inputs and settings: all of them, per property, without a call or a stack trace. Each rule has
 * its row in test/pulumi/bad-input.test.ts.
 */

test("preview reports all bad inputs together, all bad settings together, an import and a key in clear", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const voice = `new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" }`;
  const failed = async (each = stack) => {
    const { code, output } = await each.preview();
    expect(code).not.toBe(0);
    expect(output).not.toMatch(/\n\s+at /);
    return output;
  };

  const audio = "data:audio/wav;base64,UklGRkNBTkFSWQ";
  stack.program(`
    new cv.CloudVoice("v", { targetModel: "x", audio: "${audio}", preferredName: "z-z", language: "nl", triggers: [{}] });`);
  const inputs = await failed();
  for (const property of ["targetModel", "audio", "preferredName", "language", "triggers"])
    expect(inputs).toMatch(new RegExp(`property .*${property}`));
  expect(inputs).not.toContain("UklGR");

  for (const path of ["./A.wav", "audio\\b.wav"]) {
    stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: ${JSON.stringify(path)} });`);
    const missing = await failed();
    expect(missing).toContain(path);
    expect(missing).toContain("does not exist: the path is relative to the program's folder, with / between names");
    // The mark of a path is not a part of it.
    expect(missing).not.toContain(".//");
  }

  stack.program(`${voice});`);
  const bad = { CLOUDVOICE_MAX_RETRIES: "many", CLOUDVOICE_BASE_URL: "http://example.com" };
  const settings = await failed(stack.with(bad));
  expect(settings).toMatch(/CLOUDVOICE_MAX_RETRIES is "many"; it must be a whole number from 0/);
  expect(settings).toMatch(/CLOUDVOICE_BASE_URL is "http:\/\/example.com": plain http would show the key/);

  stack.configure({ "cloudvoice:apiKey": "sk-in-clear" });
  const inClear = await failed();
  expect(inClear).toContain("pulumi config set --secret cloudvoice:apiKey");
  expect(inClear).not.toContain("sk-in-clear");
  stack.configure({});

  stack.program(`${voice}, { import: "some-voice" });`);
  expect(await failed()).toMatch(isNative() ? /does not exist|can't be imported/ : /set adopt: "some-voice" instead/);
  if (!isNative()) expect(emulator.ledger()).toEqual([]);
});
