import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { Stack } from "../support/stack";

test("a large update by the command `up` runs without checkpoints and says so, unless it is told not to", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const declare = (version: number) =>
    stack.program(`{
      exports.seen = String(process.env.PULUMI_SKIP_CHECKPOINTS);
      const entries = Array.from({ length: 60 }, (_, index) => ["v" + index, { audio: "https://example.com/" + index }]);
      const defaults = { targetModel: model, rights: { holder: "Jane", evidence: "file ${version}" } };
      new cv.VoiceCatalog("voices", { defaults, voices: Object.fromEntries(entries) });
    }`);
  const up = async (version: number, ...options: string[]) => {
    declare(version);
    const { code, stderr } = await cloudvoice(stack, ["up", "--stack", "dev", ...options]);
    return [code, (await stack.outputs()).seen, /runs without checkpoints/.test(stderr)];
  };
  expect(await up(1)).toEqual([0, "true", true]);
  expect(await stack.resources()).toHaveLength(61);
  expect(await up(2, "--checkpoints")).toEqual([0, "false", false]);
  expect(await up(2)).toEqual([0, "false", false]); // nothing changes
  expect(emulator.summary()).toMatchObject({ voicesBilled: 60, calls: { create: 60 } });
});
