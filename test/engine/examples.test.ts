import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { getEngine } from "../../tools/engine/engine";
import { prepareLanguage } from "../../tools/languages";
import { Stack } from "../../tools/stack";
import { emulate } from "../support/emulate";
import { root, temporaryFolder } from "../support/files";
import { fastStart } from "../support/stack";

/** The examples of the native plugin, each in its language. Those of Python and Go use the SDKs that Pulumi generates. */
test.each([
  ["native", 3],
  ["yaml", 3],
  ["python", 2],
  ["go", 2],
])("examples/%s provisions its voices once, and its manifest names them", async (example, voices) => {
  const emulator = await emulate({ accounts: { default: ["key", "studio-key"] } });
  const clone = temporaryFolder();
  const project = join(clone, "examples", example);
  mkdirSync(join(clone, "examples"));
  for (const path of ["provider", "node_modules", "examples/catalog"]) symlinkSync(join(root, path), join(clone, path));
  cpSync(join(root, "examples", example), project, { recursive: true, filter: (path) => !path.includes("/.local") });
  const folders = await prepareLanguage(project, join(clone, ".local"), await getEngine());
  const typescript = { PULUMI_NODEJS_TYPESCRIPT: "true" };
  const stack = await Stack.of(project, emulator, {
    settings: { ...(example === "native" ? typescript : fastStart), STUDIO_KEY: "studio-key" },
  });
  const run = stack.with({ PATH: [...folders, stack.env.PATH].join(delimiter) });
  await run.ok(run.up());
  await run.ok(run.preview("--expect-no-changes"));
  expect(emulator.summary()).toMatchObject({ voicesBilled: voices, calls: { create: voices } });
  const manifest = JSON.parse((await run.ok(run.pulumi("stack", "output", "manifest", "--json"))).stdout) as object;
  const held = emulator.voices().map(({ voice }) => voice);
  for (const entry of Object.values(manifest) as { voice: string }[]) expect(held).toContain(entry.voice);
  await run.ok(run.destroy());
  expect(emulator.voices()).toEqual([]);
});
