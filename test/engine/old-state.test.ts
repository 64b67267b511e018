import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { emulate } from "../support/emulate";
import { root, temporaryFolder } from "../support/files";
import { counted, Stack } from "../support/stack";

/** States that earlier releases left behind: the package of today finds nothing to change, everything that is there, and cleans it up. */

const kept = join(root, "test", "state");
const releases = readdirSync(kept, { withFileTypes: true }).filter((entry) => entry.isDirectory());

test.each(releases.map(({ name }) => name))("a state of %s", async (release) => {
  const memory = join(temporaryFolder(), "emulator.jsonl");
  copyFileSync(join(kept, release, "emulator.jsonl"), memory);
  const emulator = await emulate({ file: memory, accounts: { default: "key-of-the-state" } });
  const before = emulator.ledger().length;
  const voices = emulator.voices().length;
  expect(voices).toBeGreaterThan(0);

  const stack = await Stack.create(emulator);
  copyFileSync(join(kept, release, "program.js"), join(stack.folder, "index.js"));
  await stack.ok(stack.pulumi("stack", "import", "--file", join(kept, release, "state.json")));

  await stack.ok(stack.preview("--expect-no-changes"));
  const refreshed = await stack.ok(stack.refresh());
  expect(counted(refreshed, "deleted")).toBe(0);
  await stack.ok(stack.up("--expect-no-changes"));
  expect(emulator.voices()).toHaveLength(voices);

  await stack.ok(stack.destroy());
  expect(emulator.voices()).toEqual([]);
  expect(emulator.summary("default", before).charge).toBe(0);
});
