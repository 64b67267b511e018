import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emulate } from "../support/emulate";
import { exampleAccounts, exampleStack } from "../support/example";

/** A catalog in an account without room: the only error is that of the voice, in each language. */
test.each([
  ["python", "__main__.py", /"support": (.*),\n/],
  ["yaml", "Pulumi.yaml", / {8}support: (.*)\n/],
  ["native", "index.ts", / {4}support: (.*),\n/],
])("examples/%s: one error for a full account, and the outputs of the stack stay", async (example, file, entry) => {
  const emulator = await emulate({ accounts: exampleAccounts });
  const stack = await exampleStack(example, emulator);
  await stack.ok(stack.up());
  const before = await stack.outputs();
  const program = join(stack.folder, file);
  const source = readFileSync(program, "utf8");
  const changed = source.replace(entry, (line) => line + line.replace("support", "another"));
  expect(changed).not.toBe(source);
  writeFileSync(program, changed);
  const full = stack.with({ CLOUDVOICE_VOICE_QUOTA: String(emulator.voices().length) });
  for (const run of [await full.preview(), await full.up()]) {
    const errors = run.output.slice(run.output.indexOf("Diagnostics:")).match(/error: .*/g);
    expect(errors).toEqual([expect.stringContaining("the account is too small for this update")]);
    expect(run.code).not.toBe(0);
  }
  expect(await stack.outputs()).toEqual(before);
  expect(emulator.summary().voicesBilled).toBe(emulator.voices().length);
});
