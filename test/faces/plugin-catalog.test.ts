import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { pluginStack, writeProgram, type YamlProgram } from "../../tools/plugin-stack";
import { emulate } from "../support/emulate";
import { put, recordings, temporaryFolder } from "../support/files";
import { counted, type Stack } from "../support/stack";

/** `VoiceCatalog`, which the plugin serves to every language, with programs in YAML. */

const model = "svc3-tts-vc-2026-01-22";

const other = { type: "cloudvoice:CloudVoice", properties: { targetModel: model, audio: "c.m4a" } };

async function catalogStack() {
  const emulator = await emulate();
  return { emulator, stack: await pluginStack(temporaryFolder(), emulator) };
}

const write = (stack: Stack, properties: object, options: object = {}, more: Partial<YamlProgram> = {}) => {
  const voices = { type: "cloudvoice:VoiceCatalog", properties: { ...properties }, options: { ...options } };
  writeProgram(stack.folder, { ...more, resources: { ...more.resources, voices } });
};

const voiceIn = async (stack: Stack, name: string) =>
  (await stack.resources()).find(({ urn }) => urn.endsWith(`$cloudvoice:index:CloudVoice::${name}`));

test("three voices are ten lines of YAML, with less than 1,900 bytes of state each", async () => {
  const { emulator, stack } = await catalogStack();
  const project = "name: program\nruntime: yaml\nplugins: { providers: [{ name: cloudvoice, path: %s }] }\n";
  const catalog = `resources:
  voices:
    type: cloudvoice:VoiceCatalog
    properties:
      defaults: { targetModel: ${model} }
      voices:
        narrator: { audio: a.wav, language: en }
        support: { audio: b.mp3 }
        news: { audio: c.m4a }
outputs: { manifest: "\${voices.manifest}" }
`;
  expect(catalog.trim().split("\n")).toHaveLength(10);
  put(stack.folder, "Pulumi.yaml", project.replace("%s", join(__dirname, "..", "..", "provider", "plugin")) + catalog);
  await stack.ok(stack.up());
  const { deployment } = JSON.parse(await stack.state()) as { deployment: { resources: { type: string }[] } };
  const voices = deployment.resources.filter(({ type }) => type === "cloudvoice:index:CloudVoice");
  expect(voices).toHaveLength(3);
  for (const voice of voices) expect(JSON.stringify(voice).length).toBeLessThan(1900);
  expect((await stack.outputs()).manifest).toEqual({
    narrator: { voice: (await voiceIn(stack, "voices-narrator"))?.id, targetModel: model, language: "en" },
    support: { voice: (await voiceIn(stack, "voices-support"))?.id, targetModel: model },
    news: { voice: (await voiceIn(stack, "voices-news"))?.id, targetModel: model },
  });

  copyFileSync(recordings.otherMp3, join(stack.folder, "b.mp3"));
  expect(counted(await stack.ok(stack.up()), "replaced")).toBe(1);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 4, calls: { create: 4, delete: 1 } });
});

test("values that are secret, not known yet, or defaults; and the options of the catalog, which its voices have", async () => {
  const { emulator, stack } = await catalogStack();
  const declare = (text: string, options: object = {}) =>
    write(
      stack,
      {
        defaults: { targetModel: model, language: "en", text: { "fn::secret": text } },
        voices: { one: { audio: "a.wav" }, two: { audio: "b.mp3", text: "${first.voice}", language: "de" } },
        deleteBeforeReplace: true,
      },
      options,
      { resources: { first: other }, outputs: { manifest: "${voices.manifest}" } },
    );
  declare("The secret script");
  const preview = await stack.ok(stack.preview("--diff"));
  expect(preview.output).toMatch(/text *: \[secret\]/);
  expect(preview.output).toMatch(/text *: \[unknown\]/);
  await stack.ok(stack.up());
  await stack.ok(stack.preview("--expect-no-changes"));
  expect(await stack.state()).not.toContain("The secret script");
  const [first] = (await stack.resources()).filter(({ urn }) => urn.endsWith("::first"));
  const two = await voiceIn(stack, "voices-two");
  expect(two).toMatchObject({ inputs: { language: "de", text: first?.id }, dependencies: [first?.urn] });

  // The quota has no room for both, and the old voice goes first.
  declare("Another script");
  const full = stack.with({ CLOUDVOICE_VOICE_QUOTA: "3" });
  await full.ok(full.up());
  const changes = emulator.ledger().flatMap(({ action }) => (["create", "delete"].includes(action) ? [action] : []));
  expect(changes.slice(3)).toEqual(["delete", "create"]);

  declare("Yet another script", { ignoreChanges: ["text"], protect: true });
  await stack.ok(stack.up());
  expect(emulator.summary().voicesBilled).toBe(4);
  expect((await stack.destroy()).output).toMatch(/voices-one.* cannot be deleted|protect/);
});
