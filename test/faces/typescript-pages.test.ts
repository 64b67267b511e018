import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { codeBlocks } from "../support/code-blocks";
import { emulate } from "../support/emulate";
import { copy, put, recordings, root, temporaryFolder } from "../support/files";
import { Stack } from "../support/stack";

/**
 * Compiles and runs the programs in TypeScript of all pages, word for word. Not here: quick-start.md, which test/package
 * types from an empty folder, and testing.md, whose lines are those of examples/testing.
 */
process.env.CLOUDVOICE_FACE = "native";

const pages = ["README.md", ...readdirSync(join(root, "docs")).map((page) => `docs/${page}`)].filter(
  (page) => page.endsWith(".md") && !["docs/quick-start.md", "docs/testing.md"].includes(page),
);
const programs = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8");
  return codeBlocks(text, "ts").map((code, index) => ({ name: `${page}, program ${index + 1}`, code }));
});

/** What the programs find in their account and in their folder. */
async function surroundings(stack = "dev") {
  const emulator = await emulate({ accounts: { default: ["key", "studio-key"] }, answers: { offensive: false } });
  const created = await Stack.create(
    emulator,
    { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05", STUDIO_KEY: "studio-key" },
    stack,
  );
  const { folder } = created;
  mkdirSync(join(folder, "audio"));
  for (const name of ["narrator.wav", "audio/narrator.wav", "audio/support.wav"]) copy(recordings.wav, folder, name);
  copy(recordings.mp3, folder, "audio/support.mp3");
  put(folder, "welcome.txt", "Welcome to the harbour.");
  put(
    folder,
    "entries.json",
    JSON.stringify({ narrator: { targetModel: "svc3-tts-vc-2026-01-22", audio: "narrator.wav" } }),
  );
  return { emulator, stack: created };
}

test("all programs compile", () => {
  const folder = temporaryFolder();
  const files = programs.map(({ code }, index) => put(folder, `program-${index}.mts`, code));
  const options = {
    target: "es2022",
    module: "node16",
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
  };
  put(folder, "tsconfig.json", JSON.stringify({ compilerOptions: options, files }));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const { status, stdout } = spawnSync(join(root, "node_modules", ".bin", "tsc"), ["-p", folder], { encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
});

test.each(programs)("$name runs, and changes nothing when it runs again", async ({ code }) => {
  const { emulator, stack } = await surroundings();
  const { code: program } = transformSync(code, { loader: "ts", format: "esm" });
  put(stack.folder, "package.json", JSON.stringify({ type: "module" }));
  put(stack.folder, "index.js", program);
  const preview = await stack.ok(stack.up());
  expect(preview.output).not.toMatch(/warning/);
  const { charge } = emulator.summary();
  await stack.ok(stack.up("--expect-no-changes"));
  expect(emulator.summary().charge).toBe(charge);
});
