import { spawnSync } from "node:child_process";
import { emulate } from "../support/emulate";
import { catalogExample, exampleAccounts, exampleStack } from "../support/example";

/** The examples of the native plugin, each in its language. Those of Python and Go use the SDKs that Pulumi generates. */
test.each([
  ["native", 3],
  ["yaml", 3],
  ["python", 2],
  ["go", 2],
])("examples/%s provisions its voices once, and its manifest names them", async (example, voices) => {
  const emulator = await emulate({ accounts: exampleAccounts });
  const stack = await exampleStack(example, emulator);
  await stack.ok(stack.up());
  await stack.ok(stack.preview("--expect-no-changes"));
  expect(emulator.summary()).toMatchObject({ voicesBilled: voices, calls: { create: voices } });
  const { manifest = {} } = await stack.outputs();
  const held = emulator.voices().map(({ voice }) => voice);
  expect(Object.keys(manifest as object)).not.toEqual([]);
  for (const entry of Object.values(manifest as object) as { voice: string }[]) expect(held).toContain(entry.voice);
  await stack.ok(stack.destroy());
  expect(emulator.voices()).toEqual([]);
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
