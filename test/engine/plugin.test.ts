import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../provider/src/emulator";
import { pluginStack, writeProgram, type YamlProgram, type YamlResource } from "../../tools/plugin-stack";
import { emulate } from "../support/emulate";
import { recordings, temporaryFolder } from "../support/files";
import { counted, killCommandLine, outputOf, type Stack } from "../support/stack";
import { until } from "../support/until";

/** The native plugin on the real engine, with programs in YAML. */

const model = "svc3-tts-vc-2026-01-22";

const voice = (properties: Record<string, unknown> = {}, options: Record<string, unknown> = {}): YamlResource => ({
  type: "cloudvoice:CloudVoice",
  properties: { targetModel: model, audio: "a.wav", ...properties },
  options,
});

async function stackOf(emulator: Emulator, resources: YamlProgram["resources"], settings: Record<string, string> = {}) {
  const stack = await pluginStack(temporaryFolder(), emulator, {
    settings: { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.1", ...settings },
  });
  writeProgram(stack.folder, { resources });
  return stack;
}

const calls = (emulator: Emulator, action: "create" | "list" | "delete" | "submit" | "poll") =>
  emulator.summary().calls[action] ?? 0;

const idOf = async (stack: Stack, name: string) =>
  (await stack.resources()).find(({ urn }) => urn.endsWith(`::${name}`))?.id ?? "";

test("voices, images and decisions are created once, stay unchanged, are replaced by what differs, and are deleted", async () => {
  const emulator = await emulate();
  const stack = await stackOf(emulator, {});
  await stack.ok(stack.pulumi("config", "set", "--secret", "cloudvoice:apiKey", emulator.apiKey));
  await stack.ok(stack.pulumi("config", "set", "--secret", "script", "The secret script"));
  const program = (language: string): YamlProgram & { config: object } => ({
    config: { script: { type: "string", secret: true } },
    resources: {
      narrator: voice({ language, text: "${script}" }),
      support: voice({ audio: "b.mp3" }),
      cover: {
        type: "cloudvoice:GeneratedImage",
        properties: { model: "svc-image", prompt: "A lighthouse", saveTo: "covers" },
      },
      gate: {
        type: "cloudvoice:Decision",
        properties: {
          state: "${script}",
          questions: { ok: { type: "noul", instructions: "Is it fine?" } },
          expect: { ok: { max: 1 } },
        },
      },
    },
    variables: { all: { "fn::invoke": { function: "cloudvoice:getVoices", arguments: {} } } },
    outputs: { total: "${all.total}", file: "${cover.images[0].file}" },
  });
  writeProgram(stack.folder, program("en"));
  // The key comes from the configuration alone.
  const configured = stack.with({ CLOUDVOICE_API_KEY: "" });

  const up = await configured.ok(configured.up());
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2, tasks: 1, calls: { create: 2, decide: 1 } });
  expect(up.output).toMatch(/file *: "covers\/cover-[0-9a-f]{4}-1.png"/);
  // Progress is the status of the resource, and is in no closing list of diagnostics.
  expect(up.output).toMatch(/GeneratedImage cover creating .*SUCCEEDED/);
  expect(up.output).not.toContain("Diagnostics:");

  await configured.ok(configured.preview("--expect-no-changes"));
  const lists = calls(emulator, "list");
  await configured.ok(configured.refresh("--expect-no-changes"));
  expect(calls(emulator, "list") - lists).toBe(1);

  const state = await configured.state();
  for (const hidden of ["The secret script", emulator.apiKey, "identity", "secretInputs", "label"])
    expect(state).not.toContain(hidden);
  const gate = (await configured.resources()).find(({ urn }) => urn.endsWith("::gate"));
  expect(gate?.outputs?.answers).toHaveProperty("ciphertext");

  writeProgram(stack.folder, program("de"));
  copyFileSync(recordings.otherMp3, join(stack.folder, "b.mp3"));
  const preview = await configured.ok(configured.preview("--diff"));
  expect(preview.output).toMatch(/~ language: "en" => "de"/);
  expect(preview.output).toMatch(/~ audioSha256 *: "/);
  expect(counted(preview, "replace")).toBe(2);
  await configured.ok(configured.up());
  expect(emulator.summary().calls).toMatchObject({ create: 4, delete: 2, submit: 1, decide: 1 });

  await configured.ok(configured.destroy());
  expect(emulator.voices()).toEqual([]);
});
