import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { exampleAccounts, exampleStack } from "../support/example";
import { copy, put, recordings } from "../support/files";

/** The programs that `voices --adopt` prints, each in the language of its project, on the real engine. */
test.each([
  ["native", "index.ts", ["--set"], "VoiceSet"],
  ["yaml", "Pulumi.yaml", [], "VoiceCatalog"],
  ["python", "__main__.py", ["--set"], "VoiceSet"],
  ["go", "main.go", [], "VoiceCatalog"],
])(
  "examples/%s: %s adopts voices at no cost with %j, and needs no `adopt` afterwards",
  async (example, file, options, kind) => {
    const emulator = await emulate({ accounts: exampleAccounts });
    const stack = await exampleStack(example, emulator);
    emulator.seedVoices("default", 1, { preferredName: "news" });
    emulator.seedVoices("default", 2, { preferredName: "by_hand" });
    const byHand = emulator.voices().map(({ voice }) => voice);
    for (const key of ["by_hand", "by_hand_2", "news"]) copy(recordings.wav, stack.folder, `audio/${key}.wav`);

    const printed = await cloudvoice(stack, ["voices", "--adopt", ...options]);
    expect(printed.stdout).toMatch(new RegExp(`${kind}\\b`));
    expect(printed.stdout.search(/by_hand\b/)).toBeLessThan(printed.stdout.search(/\bnews\b/));
    const before =
      example === "yaml" ? (readFileSync(join(stack.folder, file), "utf8").split("resources:")[0] ?? "") : "";
    put(stack.folder, file, before + printed.stdout);
    await stack.ok(stack.up());
    const { manifest = {} } = await stack.outputs();
    const held = (Object.values(manifest as object) as { voice: string }[]).map(({ voice }) => voice);
    expect(held.sort()).toEqual(byHand.sort());
    expect(emulator.summary()).toMatchObject({ voicesBilled: 0, charge: 0 });

    // Only the stack that has the voices adopts them. A program in YAML says so, and adopts in each.
    await stack.ok(stack.pulumi("stack", "init", "other", "--no-select"));
    const other = await stack.pulumi("preview", "--stack", "other");
    if (example === "yaml") expect(other.output).toMatch(/holds the voice/);
    else expect(other).toMatchObject({ code: 0, output: expect.stringMatching(/to create/) as string });

    const without = printed.stdout.replace(/^ *\t*adopt\b.*\n/gim, "");
    expect(without.split("\n").length).toBe(printed.stdout.split("\n").length - 3);
    put(stack.folder, file, before + without.replace(/^.*existing := [^]*?return nil\n\t\t}\n/m, ""));
    await stack.ok(stack.up());
    await stack.ok(stack.preview("--expect-no-changes"));
    expect(emulator.summary()).toMatchObject({ voicesBilled: 0 });
  },
);
