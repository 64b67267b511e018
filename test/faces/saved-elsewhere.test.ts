import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeProgram } from "../../tools/plugin-stack";
import { image, yamlStack } from "./yaml-stack";

/** Pictures that are saved elsewhere, with the plugin, and a decision about them. */

test("a preview knows where a picture will be, so a decision about the picture is not shown as replaced", async () => {
  const { emulator, stack } = await yamlStack();
  const write = (saveTo: string) => {
    const questions = { ok: { type: "noul", instructions: "Is it fit?" } };
    writeProgram(stack.folder, {
      resources: {
        cover: image({ saveTo }),
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
