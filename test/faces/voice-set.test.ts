import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pluginStack, writeProgram, type YamlProgram } from "../../tools/plugin-stack";
import type { Review } from "../../provider/src/cli/review/review";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { recordings, temporaryFolder } from "../support/files";
import type { Stack } from "../support/stack";

/** `VoiceSet` on the real engine, with programs in YAML. */

const targetModel = "svc3-tts-vc-2026-01-22";

async function setStack(settings: Record<string, string> = { CLOUDVOICE_SETTLE_SECONDS: "0.05" }) {
  const emulator = await emulate();
  return { emulator, stack: await pluginStack(temporaryFolder(), emulator, { settings }) };
}

const write = (
  stack: Stack,
  voices: object,
  more: object = {},
  options: object = {},
  rest: Partial<YamlProgram> = {},
) => {
  const properties = { defaults: { targetModel }, voices, ...more };
  writeProgram(stack.folder, {
    ...rest,
    resources: { ...rest.resources, voices: { type: "cloudvoice:VoiceSet", properties, options: { ...options } } },
    outputs: { voices: "${voices.voices}", manifest: "${voices.manifest}", ...rest.outputs },
  });
};

interface Made {
  [key: string]: { voice: string; id: string; audioSha256: string };
}
const madeBy = async (stack: Stack) => (await stack.outputs()).voices as Made;
const names = async (stack: Stack) =>
  Object.fromEntries(Object.entries(await madeBy(stack)).map(([key, { voice }]) => [key, voice]));

const three = { narrator: { audio: "a.wav", language: "en" }, support: { audio: "b.mp3" }, news: { audio: "c.m4a" } };

test("a set of three: nothing to do afterwards, a change of one entry, a new key, a voice deleted by hand, and destroy", async () => {
  const { emulator, stack } = await setStack();
  write(stack, three);
  await stack.ok(stack.up());
  await stack.ok(stack.preview("--expect-no-changes"));
  await stack.ok(stack.refresh("--expect-no-changes"));
  const first = await names(stack);
  expect(Object.values(first).sort()).toEqual(
    emulator
      .voices()
      .map(({ voice }) => voice)
      .sort(),
  );
  expect(await stack.outputs()).toMatchObject({
    voices: { narrator: { id: first.narrator, targetModel, language: "en", degraded: false, adopted: false } },
    manifest: { narrator: { voice: first.narrator, targetModel, language: "en" }, news: { voice: first.news } },
  });

  copyFileSync(recordings.otherMp3, join(stack.folder, "b.mp3"));
  const preview = await stack.ok(stack.preview("--diff"));
  expect(preview.output).toMatch(/~ support *: \{\s+~ audioSha256/);
  expect(preview.output).not.toMatch(/narrator|news/);
  // A new key for the same content.
  const { news, ...others } = three;
  write(stack, { ...others, evening: news });
  await stack.ok(stack.up());
  const second = await names(stack);
  expect(second).toMatchObject({ narrator: first.narrator, evening: first.news });
  expect(second.support).not.toBe(first.support);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 4, calls: { create: 4, delete: 1 } });
  await stack.ok(stack.preview("--expect-no-changes"));

  emulator.vanish("default", String(second.narrator));
  await stack.ok(stack.refresh());
  const [refreshed] = (await stack.resources()).filter(({ type }) => type === "cloudvoice:index:VoiceSet");
  expect(Object.keys(refreshed?.outputs?.voices as object).sort()).toEqual(["evening", "support"]);
  const drift = await stack.ok(stack.preview("--diff"));
  expect(drift.output).toMatch(/narrator/);
  expect(drift.output).not.toMatch(/support|evening/);
  await stack.ok(stack.up());
  expect(await names(stack)).toMatchObject({ support: second.support, evening: first.news });
  expect(emulator.summary()).toMatchObject({ voicesBilled: 5 });
  await stack.ok(stack.destroy());
  expect(emulator.voices()).toEqual([]);
});

test("secrets are hidden at their field alone, values that are not known yet wait, and a review has a row for each entry", async () => {
  const { emulator, stack } = await setStack();
  const other = { type: "cloudvoice:CloudVoice", properties: { targetModel, audio: "c.m4a" } };
  const rest = { resources: { other }, outputs: { one: "${voices.voices.narrator.voice}" } };
  const spoken = { ...three.narrator, text: { "fn::secret": "hush" } };
  const voices = { ...three, narrator: spoken, late: { audio: "a.wav", text: "${other.voice}" } };
  write(stack, voices, {}, {}, rest);
  const first = await stack.ok(stack.preview("--diff"));
  expect(first.output).not.toContain("hush");
  await stack.ok(stack.up());
  const state = await stack.state();
  expect(state).not.toContain("hush");
  expect(emulator.voices()).toHaveLength(5);
  const made = await madeBy(stack);
  expect((await stack.outputs()).one).toBe(made.narrator?.voice);
  await stack.ok(stack.preview("--expect-no-changes"));

  copyFileSync(recordings.otherMp3, join(stack.folder, "b.mp3"));
  const { news, ...others } = { ...voices, narrator: { ...spoken, rights: { holder: "Jane", evidence: "file 7" } } };
  write(stack, { ...others, evening: news, added: { audio: "a.wav" } }, {}, {}, rest);
  const preview = await stack.ok(stack.preview("--json", "--show-sames"));
  const dependents = JSON.parse(preview.stdout) as { steps: { op: string; urn: string }[] };
  expect(dependents.steps.filter(({ op }) => op !== "same")).toHaveLength(1);
  const file = join(stack.folder, "preview.json");
  writeFileSync(file, preview.stdout);
  const review = JSON.parse((await cloudvoice(stack, ["review", file, "--json"])).stdout) as Review;
  expect(review.changes.map(({ name, action, why }) => [action, name, why])).toEqual([
    ["create", "voices.added", "new in the program"],
    ["replace", "voices.support", "audio changed"],
    ["update", "voices.evening", "keeps the voice of voices.news; free"],
    ["update", "voices.narrator", "rights changed; free"],
  ]);
  expect(review.charge).toMatchObject({ voices: 2, atMost: 0.02 });
  const text = (await cloudvoice(stack, ["review", file])).stdout;
  expect(text).toMatch(/voices\.support/);
  await stack.ok(stack.up());
  expect(emulator.summary().voicesBilled).toBe(7);
  const listed = await cloudvoice(stack, ["review", "--drift", "--stack", "dev"]);
  expect(listed.stdout).toMatch(/Drift of program\/dev: none/);
  await stack.ok(stack.destroy());
  expect(emulator.voices()).toEqual([]);
});
