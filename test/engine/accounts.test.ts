import { emulate } from "../support/emulate";
import { Stack, testOfVoices } from "../support/stack";

/**
 * A key of another account must not look as if all voices had been deleted. More cases are in
 * test/pulumi/accounts.test.ts.
 */

testOfVoices(
  "the key of another account, or a rejected one, changes nothing; a rotated key is confirmed by a neighbour or a person",
  async () => {
    const emulator = await emulate({
      accounts: { ours: ["key-of-ours", "rotated-key-of-ours"], theirs: "key-of-theirs" },
    });
    // A young voice that is missing is looked for during this time.
    const stack = await Stack.create(emulator, { CLOUDVOICE_SETTLE_SECONDS: "0" });
    const declare = (audio: string) =>
      stack.program(
        `for (const name of ["a", "b"]) new cv.CloudVoice(name, { targetModel: model, audio: "${audio}" });`,
      );
    await stack.ok(declare("a.wav").up());
    const voices = () => emulator.voices("ours").map(({ voice }) => voice);
    const before = voices();

    const withTheirs = declare("b.mp3").with({ CLOUDVOICE_API_KEY: "key-of-theirs" });
    for (const [run, reason] of [
      [await withTheirs.refresh(), /not in this account.*the same address, another key/s],
      [await withTheirs.up(), /can't be replaced: it is not in this account/],
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
    expect(voices()).toEqual(before);

    const rotated = declare("a.wav").with({ CLOUDVOICE_API_KEY: "rotated-key-of-ours" });
    emulator.revokeKey("key-of-ours");
    await rotated.ok(rotated.up("--expect-no-changes"));
    emulator.vanish("ours", before[0] ?? "");
    emulator.vanish("ours", before[1] ?? "");
    const run = await rotated.refresh();
    expect(run.code).not.toBe(0);
    const [, id = ""] = /CLOUDVOICE_ACCEPT=(key-[0-9a-f]{16})/.exec(run.output) ?? [];
    const confirmed = rotated.with({ CLOUDVOICE_ACCEPT: id });
    await confirmed.ok(confirmed.up("--refresh"));
    expect(emulator.summary("ours")).toMatchObject({ voicesBilled: 4 });

    emulator.vanish("ours", voices()[0] ?? "");
    await rotated.ok(rotated.refresh());
    expect((await rotated.resources()).map(({ id }) => id)).toEqual(voices());
    await rotated.ok(rotated.destroy());
    expect(voices()).toEqual([]);
  },
);
