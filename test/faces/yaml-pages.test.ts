import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pluginFolder, pluginStack } from "../../tools/plugin-stack";
import { emulate } from "../support/emulate";
import { copy, put, recordings, root, temporaryFolder } from "../support/files";

/** Runs the examples in YAML of the pages of resources, word for word. */

const header = `name: program\nruntime: yaml\nplugins: { providers: [{ name: cloudvoice, path: ${pluginFolder} }] }\n`;

test.each([
  ["generated-image.md", { file: expect.stringMatching(/^covers\/cover-1-/) as string }, { tasks: 1 }],
  ["decision.md", { tone: "friendly" }, { voicesBilled: 1, calls: { decide: 1 } }],
])("the example of docs/%s runs, and its second update changes nothing", async (page, outputs, summary) => {
  const emulator = await emulate();
  const stack = await pluginStack(temporaryFolder(), emulator, { settings: { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05" } });
  const [, example = ""] = /```yaml\n(resources:.*?)```/s.exec(readFileSync(join(root, "docs", page), "utf8")) ?? [];
  expect(example).not.toBe("");
  put(stack.folder, "Pulumi.yaml", header + example);
  copy(recordings.wav, stack.folder, "narrator.wav");
  await stack.ok(stack.up());
  expect(await stack.outputs()).toMatchObject(outputs);
  await stack.ok(stack.preview("--expect-no-changes"));
  expect(emulator.summary()).toMatchObject(summary);
});
