import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { emulate } from "../support/emulate";
import { root, temporaryFolder } from "../support/files";
import { Stack } from "../support/stack";

/** The current package reads the states of earlier releases: it finds no change, and destroys all resources. */

const states = join(root, "test", "state");
const releases = readdirSync(states, { withFileTypes: true }).filter((entry) => entry.isDirectory());

test.each(releases.map(({ name }) => name))(
  "a state of release %s is unchanged at preview and refresh, and can be destroyed",
  async (release) => {
    const file = join(temporaryFolder(), "emulator.jsonl");
    copyFileSync(join(states, release, "emulator.jsonl"), file);
    const emulator = await emulate({ file, accounts: { default: "key-of-the-state" } });
    const before = emulator.ledger().length;
    const voices = emulator.voices().length;
    expect(voices).toBeGreaterThan(0);

    const stack = await Stack.create(emulator);
    copyFileSync(join(states, release, "program.js"), join(stack.folder, "index.js"));
    await stack.ok(stack.pulumi("stack", "import", "--file", join(states, release, "state.json")));

    await stack.ok(stack.preview("--expect-no-changes"));
    await stack.ok(stack.up("--refresh", "--expect-no-changes"));
    expect(emulator.voices()).toHaveLength(voices);

    await stack.ok(stack.destroy());
    // The adopted voice stays.
    expect(emulator.voices().map(({ preferredName }) => preferredName)).toEqual(["by_hand"]);
    expect(emulator.summary("default", before).charge).toBe(0);
  },
);
