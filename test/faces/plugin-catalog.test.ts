import { pluginFolder, writeProgram } from "../../tools/plugin-stack";
import { put } from "../support/files";
import { counted } from "../support/stack";
import { recordAgain, resourceNamed, targetModel, voice, yamlStack } from "./yaml-stack";

/** `VoiceCatalog`, which the plugin serves to every language, with programs in YAML. */

test("three voices are ten lines of YAML, with less than 1,900 bytes of state each", async () => {
  const { emulator, stack } = await yamlStack();
  const project = "name: program\nruntime: yaml\nplugins: { providers: [{ name: cloudvoice, path: %s }] }\n";
  const catalog = `resources:
  voices:
    type: cloudvoice:VoiceCatalog
    properties:
      defaults: { targetModel: ${targetModel} }
      voices:
        narrator: { audio: a.wav, language: en }
        support: { audio: b.mp3 }
        news: { audio: c.m4a }
outputs: { manifest: "\${voices.manifest}" }
`;
  expect(catalog.trim().split("\n")).toHaveLength(10);
  put(stack.folder, "Pulumi.yaml", project.replace("%s", pluginFolder) + catalog);
  await stack.ok(stack.up());
  const keys = ["narrator", "support", "news"];
  const voices = await Promise.all(keys.map((key) => resourceNamed(stack, `voices-${key}`)));
  for (const voice of voices) expect(JSON.stringify(voice).length).toBeLessThan(1900);
  const [narrator, support, news] = voices.map(({ id }) => ({ voice: id, targetModel }));
  expect((await stack.outputs()).manifest).toEqual({ narrator: { ...narrator, language: "en" }, support, news });

  recordAgain(stack);
  expect(counted(await stack.ok(stack.up()), "replaced")).toBe(1);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 4, calls: { create: 4, delete: 1 } });
});

test("values that are secret, not known yet, or defaults; and the options of the catalog, which its voices have", async () => {
  const { emulator, stack } = await yamlStack();
  const declare = (text: string, options: Record<string, unknown> = {}) => {
    const properties = {
      defaults: { targetModel, language: "en", text: { "fn::secret": text } },
      voices: { one: { audio: "a.wav" }, two: { audio: "b.mp3", text: "${first.voice}", language: "de" } },
      deleteBeforeReplace: true,
    };
    const voices = { type: "cloudvoice:VoiceCatalog", properties, options };
    writeProgram(stack.folder, { resources: { first: voice({ audio: "c.m4a" }), voices } });
  };
  declare("The secret script");
  const preview = await stack.ok(stack.preview("--diff"));
  expect(preview.output).toMatch(/text *: \[secret\]/);
  expect(preview.output).toMatch(/text *: \[unknown\]/);
  await stack.ok(stack.up());
  await stack.ok(stack.preview("--expect-no-changes"));
  const first = await resourceNamed(stack, "first");
  const two = await resourceNamed(stack, "voices-two");
  expect(two).toMatchObject({ inputs: { language: "de", text: first.id }, dependencies: [first.urn] });

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
