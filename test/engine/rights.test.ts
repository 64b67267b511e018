import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { Stack } from "../support/stack";
import type { VoiceWithRights } from "../../provider/src/cli/rights";

/** The rights of many voices: asked for, taken out and proven gone. Secret ones are in test/faces/secret-rights.test.ts. */

const catalog = (left: string) => `
  const voices = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [
    "v" + i,
    { audio: "a.wav", rights: { holder: "Person " + (i % 3), evidence: "file " + (i % 3), until: "2999-12-31" } },
  ]).filter(([, { rights }]) => ${left}));
  new cv.VoiceCatalog("voices", { defaults: { targetModel: model }, voices });`;

async function listed(stack: Stack, ...args: string[]) {
  const run = await cloudvoice(stack, ["voices", "--rights", "--json", ...args]);
  return { ...(JSON.parse(run.stdout) as { voices: VoiceWithRights[]; heldByNone: number }), ...run };
}

test("of six voices of three holders, one command lists one person's, one change deletes them, one command proves it", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator, { CLOUDVOICE_REQUIRE_RIGHTS: "error" });
  await stack.ok(stack.program(catalog("true")).up());
  const theirs = await listed(stack, "--holder", "person 2");
  expect([theirs.code, theirs.voices.length]).toEqual([2, 2]);
  expect(theirs.voices[0]).toMatchObject({
    ...{ rights: { holder: "Person 2", evidence: "file 2", until: "2999-12-31" }, recording: "a.wav", live: "yes" },
    ...{ stack: expect.stringMatching(/dev$/) as string, resource: expect.stringMatching(/^voices-v\d+$/) as string },
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });

  await stack.ok(stack.program(catalog('rights.holder !== "Person 2"')).up());
  const proof = await cloudvoice(stack, ["voices", "--rights", "--holder", "person 2"]);
  expect([proof.code, proof.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^No voice of “person 2”, 0 in the account\. .* Every voice of the account is in a stack\. Only the newest version of each state was read\./,
    ),
  ]);
  const gone = new Set(theirs.voices.map(({ voice }) => voice));
  expect(emulator.voices().filter(({ voice }) => gone.has(voice))).toEqual([]);
  expect(emulator.voices()).toHaveLength(4);
  expect(JSON.stringify(emulator.ledger())).not.toMatch(/Person|file 2/);
});

test("ended rights stop previews and updates with requireRights error, and no destroy", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  stack.program(`new cv.CloudVoice("narrator", { targetModel: model, audio: "a.wav",
    rights: { holder: "Jane", evidence: "file 7", until: "2020-01-31" } });`);
  const up = await stack.ok(stack.up());
  expect(up.output).toMatch(/warning: .*narrator has rights that ended on 2020-01-31/);

  stack.configure({ "cloudvoice:requireRights": "error" });
  const refused = await stack.preview();
  expect(refused.code).not.toBe(0);
  expect(refused.output).toMatch(/the voice has rights that ended on 2020-01-31.*cloudvoice:requireRights is error/);
  await stack.ok(stack.destroy("--run-program"));
  expect(emulator.voices()).toEqual([]);
});
