import type { Emulator } from "../../provider/src/emulator";
import { emulate } from "../support/emulate";
import { Stack } from "../support/stack";

/** A key of another account must not look as if all voices had been deleted. */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate({ accounts: { ours: ["key-of-ours", "rotated-key-of-ours"], theirs: "key-of-theirs" } });
  // A young voice that is missing is looked for during this time.
  stack = await Stack.create(emulator, { CLOUDVOICE_SETTLE_SECONDS: "0" });
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

describe("after a rotation of the key", () => {
  beforeEach(async () => {
    stack.env.CLOUDVOICE_API_KEY = "rotated-key-of-ours";
    emulator.revokeKey("key-of-ours");
    await stack.ok(stack.up("--expect-no-changes"));
  });
  const vanish = () => emulator.vanish("ours", emulator.voices("ours")[0]?.voice ?? "");

  test("a voice that was deleted outside Pulumi is created again, because its neighbour proves the account", async () => {
    vanish();
    await stack.ok(stack.up("--refresh"));
    expect(emulator.summary("ours")).toMatchObject({ voicesBilled: 3 });
    vanish();
    await stack.ok(stack.refresh());
    expect(await stack.resources()).toHaveLength(1);
    await stack.ok(stack.destroy());
    expect(emulator.voices("ours")).toEqual([]);
  });

  test("without a neighbour, the error names the setting that confirms the account once", async () => {
    vanish();
    vanish();
    const run = await stack.refresh();
    expect(run.code).not.toBe(0);
    const [, recorded = ""] = /once with CLOUDVOICE_ROTATED_FROM=(\S+)/.exec(run.output) ?? [];
    expect((await stack.with({ CLOUDVOICE_ROTATED_FROM: "0000-000000" }).destroy()).code).not.toBe(0);
    await stack.ok(stack.with({ CLOUDVOICE_ROTATED_FROM: recorded }).up("--refresh"));
    expect(emulator.voices("ours")).toHaveLength(2);
    await stack.ok(stack.destroy());
  });
});

test("a key that the service rejects is an error with status and code, and keeps the state", async () => {
  stack.env.CLOUDVOICE_API_KEY = "a-key-never-given";
  const run = await stack.refresh();
  expect(run.code).not.toBe(0);
  expect(run.output).toMatch(/the key was refused: .*\(HTTP 401, InvalidApiKey, request id/);
  expect(run.output).not.toContain("a-key-never-given");
  expect(await stack.resources()).toHaveLength(2);
});
