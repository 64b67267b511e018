import { rmSync } from "node:fs";
import { join } from "node:path";
import { pluginStack, writeProgram } from "../../tools/plugin-stack";
import { emulate } from "../support/emulate";
import { temporaryFolder } from "../support/files";

/** Pictures that are saved elsewhere, with the plugin, and a decision about them. */

const settings = { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05" };

test("a preview knows where a picture will be, so a decision about the picture is not shown as replaced", async () => {
  const emulator = await emulate();
  const stack = await pluginStack(temporaryFolder(), emulator, { settings });
  const write = (saveTo: string) => {
    const cover = { model: "svc-image", prompt: "A lighthouse", saveTo };
    const questions = { ok: { type: "noul", instructions: "Is it fit?" } };
    writeProgram(stack.folder, {
      resources: {
        cover: { type: "cloudvoice:GeneratedImage", properties: cover },
        fit: { type: "cloudvoice:Decision", properties: { state: "${cover.images[0].sha256}", questions } },
      },
      outputs: { file: "${cover.images[0].file}" },
    });
  };
  write("one");
  await stack.ok(stack.up());
  write("two");
  const { output } = await stack.ok(stack.preview("--diff"));
  expect(output).toMatch(/1 to update/);
  expect(output).not.toMatch(/Decision: \(replace\)/);
  const [, file] = /file: "one\/[^"]*" => "(two\/[^"]*)"/.exec(output) ?? [];
  await stack.ok(stack.up());
  expect((await stack.outputs()).file).toBe(file);
  expect(emulator.summary()).toMatchObject({ tasks: 1, calls: { decide: 1 } });

  // Where the picture is not on this machine, nobody knows whether it can be saved.
  rmSync(join(stack.folder, "two"), { recursive: true });
  write("three");
  expect((await stack.ok(stack.preview("--diff"))).output).toMatch(/Decision: \(replace\)/);
});
