import { cpSync } from "node:fs";
import { delimiter, join } from "node:path";
import { makeVirtualEnvironment } from "../../tools/engine/python";
import { packedPythonSdk } from "../../tools/generate-sdks";
import { pluginFolder, pluginStack, writeProgram } from "../../tools/plugin-stack";
import { putRecordings, Stack as AnyStack } from "../../tools/stack";
import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { put, temporaryFolder } from "../support/files";
import { counted, Stack } from "../support/stack";
import { reviewed, targetModel } from "./yaml-stack";

/** A key of a catalog is renamed at no cost, in every face of the package, also together with a change of the face. */

type Entries = Record<string, { audio: string; renamedFrom?: string | string[] }>;
/** Writes a program with a catalog that has these entries. */
type Declare = (entries: Entries) => void;

const audio = (index: number) => ["a.wav", "b.mp3", "c.m4a"][index % 3]!;
const first: Entries = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [`voice-${index}`, { audio: audio(index) }]),
);
const { "voice-0": _0, "voice-1": _1, "voice-2": _2, ...others } = first;
const second: Entries = {
  ...others,
  narrator: { audio: audio(0), renamedFrom: "voice-0" },
  support: { audio: audio(1), renamedFrom: ["voice-1"] },
  news: { audio: audio(2), renamedFrom: ["voice-2", "no-key-of-this-stack"] },
};
const { narrator: _narrator, ...rest } = second;
/** One key is renamed again; the other entries keep what they say about their first rename. */
const third: Entries = { ...rest, storyteller: { audio: audio(0), renamedFrom: ["narrator", "voice-0"] } };

const asClasses =
  (stack: AnyStack, module: string): Declare =>
  (entries) => {
    AnyStack.writeProject(stack.folder, "program", { native: true });
    const args = JSON.stringify({ defaults: { targetModel }, voices: entries });
    stack.program(`exports.manifest = new (require("${module}").VoiceCatalog)("voices", ${args}).manifest;`);
  };
const asYaml =
  ({ folder }: AnyStack): Declare =>
  (entries) => {
    const properties = { defaults: { targetModel }, voices: entries };
    const resources = { voices: { type: "cloudvoice:VoiceCatalog", properties } };
    writeProgram(folder, { resources, outputs: { manifest: "${voices.manifest}" } });
  };
const asPython =
  ({ folder }: AnyStack): Declare =>
  (entries) => {
    const voices = JSON.stringify(entries).replaceAll("renamedFrom", "renamed_from");
    const defaults = `{"target_model": "${targetModel}"}`;
    const catalog = `pulumi_cloudvoice.VoiceCatalog("voices", defaults=${defaults}, voices=${voices})`;
    put(folder, "__main__.py", `import pulumi, pulumi_cloudvoice\npulumi.export("manifest", ${catalog}.manifest)\n`);
  };

async function pythonStack(emulator: Emulator): Promise<AnyStack> {
  const folder = temporaryFolder();
  cpSync(packedPythonSdk, join(folder, "sdk"), { recursive: true });
  makeVirtualEnvironment(folder, join(folder, "sdk"));
  putRecordings(folder);
  const plugins = { providers: [{ name: "cloudvoice", path: pluginFolder }] };
  put(folder, "Pulumi.yaml", JSON.stringify({ name: "program", runtime: "python", plugins }));
  const stack = await AnyStack.of(folder, emulator, { host: "pulumi-language-python" });
  return stack.with({ PATH: [join(folder, "venv", "bin"), stack.env.PATH].join(delimiter) });
}

const idsIn = async (stack: AnyStack) => {
  const { manifest } = (await stack.outputs()) as { manifest: Record<string, { voice: string }> };
  return new Map(Object.entries(manifest).map(([key, { voice }]) => [key, voice]));
};

/** Updates the stack. Expects that no voice was created, replaced or deleted, and that the next preview is empty. */
async function expectFree(stack: AnyStack, emulator: Emulator): Promise<void> {
  const up = await stack.ok(stack.up());
  for (const change of ["created", "replaced", "deleted"]) expect([change, counted(up, change)]).toEqual([change, 0]);
  await stack.ok(stack.preview("--expect-no-changes"));
  const { voicesBilled, calls } = emulator.summary();
  expect([voicesBilled, calls.create, calls.delete]).toEqual([12, 12, undefined]);
}

test.each<[face: string, create: (emulator: Emulator) => Promise<AnyStack>, declareIn: (stack: AnyStack) => Declare]>([
  ["the classes", (emulator) => Stack.create(emulator), (stack) => asClasses(stack, "pulumi-cloudvoice")],
  ["the native classes", (emulator) => Stack.create(emulator), (stack) => asClasses(stack, "pulumi-cloudvoice/native")],
  ["YAML", (emulator) => pluginStack(temporaryFolder(), emulator), asYaml],
  ["Python", pythonStack, asPython],
])("three keys are renamed, one of them twice: %s", async (_, create, declareIn) => {
  const emulator = await emulate();
  const stack = await create(emulator);
  const declare = declareIn(stack);
  declare(first);
  await stack.ok(stack.up());
  const before = await idsIn(stack);
  declare(second);
  await expectFree(stack, emulator);
  declare(third);
  await expectFree(stack, emulator);
  const after = await idsIn(stack);
  expect(["storyteller", "support", "news", "voice-3"].map((key) => after.get(key))).toEqual(
    ["voice-0", "voice-1", "voice-2", "voice-3"].map((key) => before.get(key)),
  );
});

test("a rename comes together with each change of the face", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const faces = [asClasses(stack, "pulumi-cloudvoice"), asClasses(stack, "pulumi-cloudvoice/native"), asYaml(stack)];
  const [classes, native, yaml] = faces as [Declare, Declare, Declare];
  classes(first);
  await stack.ok(stack.up());
  const notes = async () => (await reviewed(stack)).notes;
  classes({ ...others, narrator: { audio: audio(0) } });
  const change = 'Its key in the manifest changes from "voice-0" to "narrator"';
  expect(await notes()).toEqual([
    `voices-narrator: to rename the entry at no cost, add renamedFrom: "voice-0" (Python: renamed_from) to it. ${change}`,
  ]);
  native(second);
  expect(await notes()).toContain(`voices-narrator: the entry is renamed. ${change}`);
  const renames = [
    [native, second],
    [yaml, third],
    [
      classes,
      { ...others, a: { audio: audio(0), renamedFrom: "storyteller" }, support: second.support!, news: second.news! },
    ],
  ] as const;
  for (const [declare, entries] of renames) {
    declare(entries);
    await expectFree(stack, emulator);
  }
});
