import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { codeBlocks } from "../support/code-blocks";
import { emulate } from "../support/emulate";
import { copy, recordings, root, temporaryFolder } from "../support/files";
import { Stack } from "../../tools/stack";

/**
 * Runs the commands of the pages for users, block by block, in a project with the stacks `dev` and `prod`. The quick start
 * is typed from an empty folder by test/package.
 */

/** The blocks that are not run, by a part of each, and who runs them instead. */
const notRun: [part: string, why: string][] = [
  ["pulumi-cloudvoice <command>", "it stands for others"],
  [
    "pulumi-cloudvoice init",
    "test/package types the quick start, test/cli/init-pipeline.test.ts pastes the printed steps",
  ],
  ["pulumi-cloudvoice recordings", "it needs a host; test/faces/github-action.test.ts"],
  ["pulumi-cloudvoice comment", "it needs a host; test/faces/github-action.test.ts"],
  ["pulumi-cloudvoice emulator --port", "it never ends; test/faces/dev.test.ts"],
  ["dev -- npm test", "test/package"],
  ["--secret", "it asks for the key"],
  ["read -rs", "it asks for the key"],
  ["s3://", "it needs a bucket; test/backends"],
  ["pulumi plugin install", "test/package/plugin-archive.test.ts"],
  ["pulumi package add", "test/faces/plugin-languages.test.ts"],
  ["pulumi import", "test/faces/plugin.test.ts"],
  ["CLOUDVOICE_API_KEY=…", "it sets variables"],
];

const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).filter(
  (page) => page.endsWith(".md") && !/^(contributing|reference)\b|^(quick-start|releasing)\.md$/.test(page),
);
const blocks = pages.flatMap((page) => {
  const text = readFileSync(join(root, "docs", page), "utf8");
  return codeBlocks(text, "sh", "bash").map((code) => ({ page, code }));
});
const run = blocks.filter(({ code }) => !notRun.some(([part]) => code.includes(part)));

/** A folder of modules with the command, as npm installs it. */
function installedModules(): string {
  const folder = temporaryFolder();
  const modules = join(root, "node_modules");
  for (const name of readdirSync(modules).filter((each) => !each.startsWith(".")))
    symlinkSync(join(modules, name), join(folder, name));
  mkdirSync(join(folder, ".bin"));
  symlinkSync(join(root, "provider", "dist", "cli.js"), join(folder, ".bin", "pulumi-cloudvoice"));
  return folder;
}

test("every exception is about a command of a page", () => {
  expect(notRun.filter(([part]) => !blocks.some(({ code }) => code.includes(part)))).toEqual([]);
});

test("the commands of the pages run", async () => {
  const emulator = await emulate();
  const [byHand = ""] = emulator.seedVoices("default", 1, { preferredName: "by_hand" });
  const stack = await Stack.in(temporaryFolder(), emulator, {
    settings: { PULUMI_SKIP_CONFIRMATIONS: "true" },
    modules: installedModules(),
    native: true,
  });
  copy(recordings.wav, stack.folder, "audio/narrator.wav");
  stack.program(`
    const rights = { holder: "Jane Doe", evidence: "consents/7", until: "2027-12-31" };
    const voices = { narrator: { targetModel: model, audio: "audio/narrator.wav", rights } };
    exports.manifest = new cv.VoiceCatalog("voices", { voices }).manifest;`);
  await stack.ok(stack.pulumi("stack", "init", "prod"));
  const failed: string[] = [];
  for (const { page, code } of run) {
    const script = code
      .replaceAll("https://…", emulator.url)
      .replace(/export CLOUDVOICE_BASE_URL=\S+ CLOUDVOICE_API_KEY=\S+/, "")
      .replace(/svc-tts-vc-by_hand-voice-\S+/, byHand)
      .replaceAll("../", "")
      // Nobody can be asked here.
      .replace(/(pulumi-cloudvoice delete [^#\n]*)/g, "$1 --yes");
    // `dev` uses a backend and an emulator of its own.
    const { PULUMI_BACKEND_URL: _, CLOUDVOICE_BASE_URL: _address, ...ofDev } = stack.env;
    const env = script.includes(" dev -- ") ? ofDev : stack.env;
    await promisify(execFile)("bash", ["-ec", script], { cwd: stack.folder, env }).catch((error: unknown) => {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      failed.push(`${page}:\n${script}${stdout}${stderr}`);
    });
  }
  expect(failed).toEqual([]);
});
