import { emulate } from "../support/emulate";
import { Stack } from "../support/stack";

/** What a rotated key takes is in test/pulumi/accounts.test.ts. */

test("the key of another account, or a rejected one, does not look as if all voices had been deleted", async () => {
  const emulator = await emulate({ accounts: { ours: "key-of-ours", theirs: "key-of-theirs" } });
  const stack = await Stack.create(emulator, { CLOUDVOICE_SETTLE_SECONDS: "0" });
  const declare = (audio: string) =>
    stack.program(`for (const name of ["a", "b"]) new cv.CloudVoice(name, { targetModel: model, audio: "${audio}" });`);
  await stack.ok(declare("a.wav").up());
  const before = emulator.voices("ours");

  const withTheirs = declare("b.mp3").with({ CLOUDVOICE_API_KEY: "key-of-theirs" });
  for (const [run, reason] of [
    [await withTheirs.refresh(), /not in this account.*the same address, another key/s],
    [await withTheirs.up(), /is not in this account/],
    [
      await stack.with({ CLOUDVOICE_API_KEY: "a-key-never-given" }).refresh(),
      /the key was refused: .*\(HTTP 401, InvalidApiKey, request id/,
    ],
  ] as const) {
    expect(run.code).not.toBe(0);
    expect(run.output).toMatch(reason);
    expect(run.output).not.toMatch(/\n\s+at |a-key-never-given/);
  }
  expect(emulator.summary("theirs")).toMatchObject({ voicesBilled: 0 });
  expect(emulator.voices("ours")).toEqual(before);
  expect(await stack.resources()).toHaveLength(2);
});
