import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { catalogExample, exampleAccounts, exampleStack } from "../support/example";
import type { Stack } from "../support/stack";

async function provisions(stack: Stack, emulator: Emulator, voices: number): Promise<void> {
  const { voicesBilled } = emulator.summary();
  await stack.ok(stack.up());
  await stack.ok(stack.preview("--expect-no-changes"));
  expect(emulator.summary().voicesBilled).toBe(voicesBilled + voices);
  const { manifest = {} } = await stack.outputs();
  const held = emulator.voices().map(({ voice }) => voice);
  expect(Object.keys(manifest as object)).not.toEqual([]);
  for (const entry of Object.values(manifest as object) as { voice: string }[]) expect(held).toContain(entry.voice);
}

/** The examples of the native plugin, each in its language. Those of Python and Go use the SDKs that Pulumi generates. */
test.each([
  ["native", 3],
  ["yaml", 3],
  ["python", 2],
])("examples/%s provisions its voices once, and its manifest names them", async (example, voices) => {
  const emulator = await emulate({ accounts: exampleAccounts });
  const stack = await exampleStack(example, emulator);
  await provisions(stack, emulator, voices);
});

test("examples/go does so too, and with a VoiceSet in place of its catalog, in which a renamed key keeps its voice", async () => {
  const emulator = await emulate({ accounts: exampleAccounts });
  const stack = await exampleStack("go", emulator);
  await provisions(stack, emulator, 2);
  const program = join(stack.folder, "main.go");
  const rewrite = (from: RegExp, to: string) => writeFileSync(program, readFileSync(program, "utf8").replace(from, to));
  rewrite(/VoiceCatalog(Args)?\b/g, "VoiceSet$1");
  await stack.ok(stack.up());
  expect(emulator.summary().voicesBilled).toBe(4);
  rewrite(/"support":/, '"help":');
  await provisions(stack, emulator, 0);
  expect(Object.keys((await stack.outputs()).manifest as object)).toEqual(["help", "narrator"]);
});

test("the unit test of examples/python passes", async () => {
  const { folder, env } = await exampleStack("python", await emulate());
  const run = spawnSync("python", ["-m", "unittest"], { cwd: folder, env, encoding: "utf8" });
  expect(run).toMatchObject({ status: 0, stderr: expect.stringContaining("Ran 1 test") as string });
});

test("the example of the README, in TypeScript, provisions the voices of its languages once", async () => {
  const emulator = await emulate();
  const { stack, languages } = await catalogExample(emulator);
  await stack.ok(stack.up());
  languages("en", "de");
  await stack.ok(stack.up());
  await stack.ok(stack.preview("--expect-no-changes"));
  expect(emulator.summary()).toMatchObject({ voicesBilled: 3, tasks: 1, calls: { decide: 1 } });
  expect(Object.keys((await stack.outputs()).voices as object).sort()).toEqual([
    "narrator-de",
    "narrator-en",
    "support-en",
  ]);
});
