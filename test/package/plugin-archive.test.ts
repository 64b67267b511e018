import { version } from "../../provider/package.json";
import { getEngine, getProgram } from "../../tools/engine/engine";
import { makePluginArchive } from "../../tools/plugin-archive";
import { pluginStack, writeProgram } from "../../tools/plugin-stack";
import { emulate } from "../support/emulate";
import { copy, recordings, temporaryFolder } from "../support/files";

test("the archive needs nothing but what is in it: Pulumi installs it, and a program runs without Node.js", async () => {
  const archive = makePluginArchive(temporaryFolder());
  const emulator = await emulate();
  const engine = await getEngine();
  const all = await pluginStack(temporaryFolder(), emulator);
  // No Node.js, no npm and no package of it: only Pulumi with the host for YAML.
  const stack = all.with({ PATH: [engine.folder, getProgram("pulumi-language-yaml", engine)].join(":") });
  await stack.ok(stack.pulumi("plugin", "install", "resource", "cloudvoice", version, "--file", archive));
  const voice = (audio: string) => ({
    type: "cloudvoice:CloudVoice",
    properties: { targetModel: "svc3-tts-vc-2026-01-22", audio },
    options: { version },
  });
  copy(recordings.mp3, stack.folder, "b.mp3");
  const resources = { narrator: voice("a.wav"), other: voice("b.mp3") };
  // An empty path: the program does not say where the plugin is.
  writeProgram(stack.folder, { resources }, "");
  await stack.ok(stack.up());
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2 });
  // The executable has the program of the thread that measures it.
  const { stdout } = await stack.ok(stack.pulumi("stack", "export"));
  expect(stdout).toContain('"audioSeconds": 14.258');
  await stack.ok(stack.preview("--expect-no-changes"));
  await stack.ok(stack.destroy());
  expect(emulator.voices()).toEqual([]);
});
