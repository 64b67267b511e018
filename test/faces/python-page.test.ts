import { copyFileSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { makeVirtualEnvironment } from "../../tools/engine/python";
import { packedPythonSdk } from "../../tools/generate-sdks";
import { pluginFolder } from "../../tools/plugin-stack";
import { Stack } from "../../tools/stack";
import type { Emulator } from "../../provider/emulator";
import { codeBlocks } from "../support/code-blocks";
import { emulate } from "../support/emulate";
import { put, recordings, root, temporaryFolder } from "../support/files";

/** Runs the Python of docs/python.md and docs/decision.md word for word. */

const page = readFileSync(join(root, "docs", "python.md"), "utf8");
const codeOf = (heading: string) => {
  const section = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return codeBlocks(section, "python").join("\n");
};
const program = ["Gate and answers", "Catalog, rights and manifest", "Image", "Functions"].map(codeOf).join("\n");

let folder: string;
let python: string;
const write = (place: string) => {
  const plugins = { providers: [{ name: "cloudvoice", path: pluginFolder }] };
  put(place, "Pulumi.yaml", JSON.stringify({ name: "program", runtime: "python", plugins }));
  for (const name of ["narrator.wav", "news.wav"]) copyFileSync(recordings.wav, join(place, name));
};
beforeAll(() => {
  folder = temporaryFolder();
  cpSync(packedPythonSdk, join(folder, "sdk"), { recursive: true }); // its installation writes into the folder
  makeVirtualEnvironment(folder, join(folder, "sdk"));
  python = join(folder, "venv", "bin");
  write(folder);
});

async function stackIn(place: string, emulator: Emulator) {
  const settings = { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.1" };
  const created = await Stack.of(place, emulator, { settings, host: "pulumi-language-python" });
  return created.with({ PATH: [python, created.env.PATH].join(delimiter) });
}

test("the program of the page runs, a key of its catalog is renamed, and a voice moves into it, at no cost", async () => {
  const emulator = await emulate();
  put(folder, "__main__.py", program);
  const stack = await stackIn(folder, emulator);
  await stack.ok(stack.up());
  const outputs = await stack.outputs();
  const { narrator, news } = outputs.manifest as Record<string, { voice: string }>;
  expect(outputs).toMatchObject({
    tone: "friendly",
    friendly: expect.any(Number) as number,
    offensive: expect.any(Number) as number,
    clarity: expect.any(Number) as number,
    levels: { 0: "muddled", 1: "plain", 2: "crisp" },
    narrator: narrator?.voice,
    file: expect.stringMatching(/^covers\/cover-1-/) as string,
    free: 1000,
    total: 2,
    urgent: expect.any(Number) as number,
    later: expect.any(Number) as number,
  });

  const guide = 'target_model="svc3-tts-vc-2026-01-22", language="en", audio="narrator.wav"';
  put(folder, "__main__.py", `${program}\ncloudvoice.CloudVoice("guide", ${guide})\n`);
  await stack.ok(stack.up());

  const [entry, options] = ['"news": cloudvoice.CatalogVoiceArgs(audio="news.wav"),', "depends_on=[gate]"];
  expect([program.includes(entry), program.includes(options)]).toEqual([true, true]);
  const changed = program
    .replace(entry, '**renamed, "guide": cloudvoice.CatalogVoiceArgs(audio="narrator.wav"),')
    .replace(options, `${options}, transforms=[moved]`);
  const imports = "import pulumi\nimport pulumi_cloudvoice as cloudvoice";
  put(folder, "__main__.py", `${imports}\n${codeOf("Rename or move")}\n${changed}`);
  await stack.ok(stack.up());
  expect((await stack.outputs()).manifest).toMatchObject({ narrator, bulletin: news });
  expect(emulator.summary()).toMatchObject({ voicesBilled: 3, tasks: 1, calls: { create: 3 } });
  expect(emulator.summary().calls).not.toHaveProperty("delete");
});

test("the gate of a pull request on the page of decisions lets a fit text pass, and fails the preview of another", async () => {
  const decisions = readFileSync(join(root, "docs", "decision.md"), "utf8");
  const previewWith = async (tone: string) => {
    const place = join(folder, tone);
    mkdirSync(place);
    write(place);
    put(place, "__main__.py", codeBlocks(decisions, "python").join("\n"));
    put(place, "welcome.txt", "Welcome to the harbour.");
    return (await stackIn(place, await emulate({ answers: { tone } }))).preview();
  };
  expect(await previewWith("friendly")).toMatchObject({ code: 0 });
  const refused = await previewWith("rude");
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("The tone is rude.")]);
});
