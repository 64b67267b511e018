import type { Emulator } from "../../provider/src/emulator";
import { emulate } from "../support/emulate";
import { Stack } from "../support/stack";

/** A key of another account must not look as if all voices had been deleted. */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate({ accounts: { ours: ["key-of-ours", "rotated-key-of-ours"], theirs: "key-of-theirs" } });
  stack = await Stack.create(emulator);
  stack.program(`for (const name of ["a", "b"]) new cv.CloudVoice(name, { targetModel: model, audio: "a.wav" });`);
  await stack.ok(stack.up());
});

test("with the key of another account, refresh and destroy fail and keep the state", async () => {
  stack.env.CLOUDVOICE_API_KEY = "key-of-theirs";
  for (const run of [await stack.refresh(), await stack.destroy(), await stack.up("--refresh")]) {
    expect(run.code).not.toBe(0);
    expect(run.output).toMatch(/not in this account.*the same address, another key/s);
    expect(run.output).not.toMatch(/\n\s+at /);
  }
  expect(await stack.resources()).toHaveLength(2);
  expect(emulator.voices("ours")).toHaveLength(2);
  expect(emulator.summary("theirs")).toMatchObject({ voicesBilled: 0 });
});

test("with the key of another account, a replacement fails before anything is billed", async () => {
  stack.program(`for (const name of ["a", "b"]) new cv.CloudVoice(name, { targetModel: model, audio: "b.mp3" });`);
  stack.env.CLOUDVOICE_API_KEY = "key-of-theirs";
  for (const run of [await stack.preview(), await stack.up()]) {
    expect(run.code).not.toBe(0);
    expect(run.output).toMatch(/can't be replaced: it is not in this account/);
  }
  expect(emulator.summary("theirs")).toMatchObject({ voicesBilled: 0 });
});

test("a rotated key of the same account can refresh and destroy", async () => {
  stack.env.CLOUDVOICE_API_KEY = "rotated-key-of-ours";
  emulator.revokeKey("key-of-ours");
  await stack.ok(stack.refresh());
  emulator.vanish("ours", emulator.voices("ours")[0]?.voice ?? "");
  await stack.ok(stack.refresh());
  expect(await stack.resources()).toHaveLength(1);
  await stack.ok(stack.destroy());
  expect(emulator.voices("ours")).toEqual([]);
});

test("a key that the service rejects is an error with status and code, and keeps the state", async () => {
  stack.env.CLOUDVOICE_API_KEY = "a-key-never-given";
  const run = await stack.refresh();
  expect(run.code).not.toBe(0);
  expect(run.output).toMatch(/the key was refused: .*\(HTTP 401, InvalidApiKey, request id/);
  expect(run.output).not.toContain("a-key-never-given");
  expect(await stack.resources()).toHaveLength(2);
});
