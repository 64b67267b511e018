import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pluginStack, writeProgram } from "../../tools/plugin-stack";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { copy, put, recordings, temporaryFolder } from "../support/files";
import { Stack } from "../support/stack";

/** The first change of voices that were adopted, on the real engine. */

const targetModel = "svc3-tts-vc-2026-01-22";
const keys = ["a1", "b2", "c3", "d4", "e5"];
type Entries = Record<string, { audio: string; adopt?: string }>;
type Write = (stack: Stack, voices: Entries) => void;
const inYaml =
  (type: string): Write =>
  ({ folder }, voices) => {
    const properties = { defaults: { targetModel }, voices };
    writeProgram(folder, { resources: { voices: { type: `cloudvoice:${type}`, properties } } });
  };
const inTypeScript: Write = (stack, voices) => {
  const args = JSON.stringify({ defaults: { targetModel }, voices });
  stack.program(`new cv.VoiceCatalog("voices", ${args});`);
};

test.each<[what: string, create: typeof Stack.create, write: Write]>([
  ["a catalog of the classes", Stack.create, inTypeScript],
  ["a catalog in YAML", (emulator) => pluginStack(temporaryFolder(), emulator), inYaml("VoiceCatalog")],
  ["a set in YAML", (emulator) => pluginStack(temporaryFolder(), emulator), inYaml("VoiceSet")],
])("the review of %s begins with the recording, finds the old one in Git, and has a limit by share", async (...row) => {
  const [, create, write] = row;
  const emulator = await emulate();
  const byHand = emulator.seedVoices("default", keys.length, { preferredName: "by_hand" });
  const stack = await create(emulator);
  const { folder } = stack;
  const entries = (more: (index: number) => object = () => ({})) =>
    Object.fromEntries(keys.map((key, index) => [key, { audio: `audio/${key}.mp3`, ...more(index) }]));
  const record = (file: string) => {
    for (const key of keys) copy(file, folder, `audio/${key}.mp3`);
  };
  const limits = ["--max-replaced", "20%"];
  record(recordings.mp3);
  put(folder, ".gitignore", "node_modules\n");
  for (const args of [
    ["init", "--quiet", "--separate-git-dir", join(temporaryFolder(), "git")],
    ["add", "audio"],
    ["commit", "--quiet", "--message", "recordings"],
  ])
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: folder });
  write(
    stack,
    entries((index) => ({ adopt: byHand[index] })),
  );
  expect((await cloudvoice(stack, ["review", ...limits])).code).toBe(2);
  await stack.ok(stack.up());

  record(recordings.otherMp3);
  write(stack, entries());
  const saved = ["--save", "review.json", "--save", "review.html", "--embed-audio"];
  const review = await cloudvoice(stack, ["review", ...limits, ...saved]);
  expect(review.code).toBe(3);
  expect(review.stdout).toContain("Over the limit of 20% of the stack's voices (5 of 5 are replaced)");
  const { changes } = JSON.parse(readFileSync(join(folder, "review.json"), "utf8")) as { changes: object[] };
  expect(changes).toHaveLength(keys.length);
  for (const change of changes)
    expect(change).toMatchObject({
      action: "replace",
      why: "audio, adopt changed; the new voice gets a generated name",
      fields: [{ field: "audio" }, { field: "adopt" }],
    });
  const page = readFileSync(join(folder, "review.html"), "utf8");
  // Both recordings of each voice.
  expect(page.match(/data:audio/g)).toHaveLength(2 * keys.length);
});
