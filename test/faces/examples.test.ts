import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Emulator } from "../../provider/emulator";
import { cloudvoice } from "../support/cloudvoice";
import { codeBlocks } from "../support/code-blocks";
import { emulate } from "../support/emulate";
import { copy, put, recordings, root, temporaryFolder } from "../support/files";
import { fastStart, Stack } from "../support/stack";
import { getEngine } from "../../tools/engine/engine";
import { prepareLanguage } from "../../tools/languages";
import { Stack as AnyStack } from "../../tools/stack";

/** Accounts with the key that the examples take from the variable `STUDIO_KEY`. */
const exampleAccounts = { default: ["key", "studio-key"] };

/** What the languages of the examples need, which the stacks of a file share: the folder of the SDKs, and those for the PATH. */
const prepared: Record<string, { local: string; folders: Promise<string[]> }> = {};

/** A stack of one of the examples of the native plugin, in its language. It uses the SDK that Pulumi generates. */
async function exampleStack(example: string, emulator: Emulator): Promise<Stack> {
  const clone = temporaryFolder();
  const project = join(clone, "examples", example);
  mkdirSync(join(clone, "examples"));
  for (const path of ["provider", "node_modules", "examples/catalog"]) symlinkSync(join(root, path), join(clone, path));
  cpSync(join(root, "examples", example), project, { recursive: true, filter: (path) => !path.includes("/.local") });
  const engine = await getEngine();
  const prepare = (local: string) => ({ local, folders: prepareLanguage(project, local, engine) });
  const { local, folders } = (prepared[example] ??= prepare(temporaryFolder()));
  const onPath = await folders;
  symlinkSync(local, join(clone, ".local"));
  // `npm run types` checks the types.
  const typescript = { PULUMI_NODEJS_TYPESCRIPT: "true", PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
  const stack = await AnyStack.of(project, emulator, {
    settings: { ...(example === "native" ? typescript : fastStart), STUDIO_KEY: "studio-key" },
  });
  return stack.with({ PATH: [...onPath, stack.env.PATH].join(delimiter) });
}

/** A stack of the example of the README, which provisions the voices of the languages. */
async function catalogExample(emulator: Emulator) {
  const typescript = { PULUMI_NODEJS_TYPESCRIPT: "true", NODE_OPTIONS: "" };
  const stack = await Stack.create(emulator, { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.1", ...typescript });
  cpSync(join(root, "examples", "catalog"), join(stack.folder, "examples", "catalog"), { recursive: true });
  put(stack.folder, "Pulumi.yaml", "name: program\nruntime: nodejs\nmain: examples/catalog\n");
  const languages = (...wanted: string[]) => stack.configure({ "program:languages": JSON.stringify(wanted) });
  languages("en");
  return { stack, languages };
}

async function provisions(stack: Stack, emulator: Emulator, voices: number): Promise<void> {
  const { voicesBilled } = emulator.summary();
  await stack.ok(stack.up());
  await stack.ok(stack.preview("--expect-no-changes"));
  expect(emulator.summary().voicesBilled).toBe(voicesBilled + voices);
  const { manifest = {} } = await stack.outputs();
  const held = emulator.voices().map(({ voice }) => voice);
  expect(Object.keys(manifest as object)).not.toEqual([]);
  for (const entry of Object.values(manifest as object) as { voice: string }[]) expect(held).toContain(entry.voice);
}

/** Changes a file of the project. */
function rewrite({ folder }: Stack, file: string, from: RegExp, to: (line: string) => string): void {
  const before = readFileSync(join(folder, file), "utf8");
  const after = before.replace(from, to);
  expect(after).not.toBe(before);
  writeFileSync(join(folder, file), after);
}

// The example in Python makes a virtual environment, whose interpreter is a link, in the folder of the tools.
test("the clone's scripts run after the example in Python", () => {
  const link = join(root, ".local", `python-${process.pid}`);
  mkdirSync(join(root, ".local"), { recursive: true });
  symlinkSync(process.execPath, link);
  try {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(CLOUDVOICE_|PULUMI_|JEST_)/.test(name));
    const run = spawnSync(
      join(root, "node_modules", ".bin", "tsx"),
      ["tools/pulumi.ts", "stack", "--show-name", "--stack", "dev"],
      {
        cwd: root,
        encoding: "utf8",
        env: Object.fromEntries(inherited),
      },
    );
    expect({ status: run.status, stderr: run.stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining("Emulator: no call") as string,
    });
  } finally {
    rmSync(link);
  }
});

/** The examples of the native plugin, each in its language. Those of Python and Go use the SDKs that Pulumi generates. */
test.each<[string, number, file: string, entry: RegExp]>([
  ["native", 3, "index.ts", / {4}support: (.*),\n/],
  ["yaml", 3, "Pulumi.yaml", / {8}support: (.*)\n/],
  ["python", 2, "__main__.py", /"support": (.*),\n/],
  ["go", 2, "main.go", /\t"support": (.*),\n/],
])(
  "examples/%s provisions its voices once; without room the only error is that of the voice, and the outputs stay",
  async (example, voices, file, entry) => {
    const emulator = await emulate({ accounts: exampleAccounts });
    const stack = await exampleStack(example, emulator);
    await provisions(stack, emulator, voices);
    const before = await stack.outputs();
    rewrite(stack, file, entry, (line) => line + line.replace("support", "another"));
    const full = stack.with({ CLOUDVOICE_VOICE_QUOTA: String(emulator.voices().length) });
    for (const run of [await full.preview(), await full.up()]) {
      const errors = run.output.slice(run.output.indexOf("Diagnostics:")).match(/error: .*/g);
      expect(errors).toEqual([expect.stringContaining("the account is too small for this update")]);
      expect(run.code).not.toBe(0);
    }
    expect(await stack.outputs()).toEqual(before);
    expect(emulator.summary().voicesBilled).toBe(voices);
  },
);

test("the unit test of examples/python passes", async () => {
  const { folder, env } = await exampleStack("python", await emulate());
  const run = spawnSync("python", ["-m", "unittest"], { cwd: folder, env, encoding: "utf8" });
  expect(run).toMatchObject({ status: 0, stderr: expect.stringContaining("Ran 1 test") as string });
});

test("the example of the README, in TypeScript, provisions the voices of its languages once", async () => {
  const emulator = await emulate();
  const { stack, languages } = await catalogExample(emulator);
  await stack.ok(stack.up());
  languages("en", "de");
  await stack.ok(stack.up());
  await stack.ok(stack.preview("--expect-no-changes"));
  expect(emulator.summary()).toMatchObject({ voicesBilled: 3, tasks: 1, calls: { decide: 1 } });
  expect(Object.keys((await stack.outputs()).voices as object).sort()).toEqual([
    "narrator-de",
    "narrator-en",
    "support-en",
  ]);
});

/** The program of docs/account.md in this language. */
const adoptingCode = (language: string) =>
  codeBlocks(readFileSync(join(root, "docs", "account.md"), "utf8"), language)[0] ?? "";

test.each([
  ["native", "index.ts", "ts"],
  ["yaml", "Pulumi.yaml", "yaml"],
  ["python", "__main__.py", "python"],
  ["go", "main.go", "go"],
])(
  "the program of the page in examples/%s: %s adopts the printed entries at no cost, and needs no `adopt` afterwards",
  async (example, file, language) => {
    const emulator = await emulate({ accounts: exampleAccounts });
    const stack = await exampleStack(example, emulator);
    emulator.seedVoices("default", 1, { preferredName: "news" });
    emulator.seedVoices("default", 2, { preferredName: "by_hand" });
    const byHand = emulator.voices().map(({ voice }) => voice);
    for (const key of ["by_hand", "by_hand_2", "news"]) copy(recordings.wav, stack.folder, `audio/${key}.wav`);
    const { stdout: entries } = await cloudvoice(stack, ["voices", "--adopt"]);
    const project = readFileSync(join(stack.folder, "Pulumi.yaml"), "utf8").split("resources:")[0] ?? "";
    const write = (text: string) => {
      put(stack.folder, "entries.json", text);
      const code = adoptingCode(language).replace('"pulumi-cloudvoice"', '"pulumi-cloudvoice/native"');
      put(stack.folder, file, language === "yaml" ? project + code.replace("ENTRIES", text) : code);
    };
    write(entries);
    await stack.ok(stack.up());
    const { manifest = {} } = await stack.outputs();
    const held = (Object.values(manifest as object) as { voice: string }[]).map(({ voice }) => voice);
    expect(held.sort()).toEqual(byHand.sort());
    expect(emulator.summary()).toMatchObject({ voicesBilled: 0, charge: 0 });

    const without = JSON.parse(entries, (key, value: unknown) => (key === "adopt" ? undefined : value)) as object;
    write(JSON.stringify(without, null, 2));
    // Go reads a text that is absent as an empty one.
    if (language === "go") rewrite(stack, file, /\t*Adopt: .*\n/, () => "");
    await stack.ok(stack.up());
    await stack.ok(stack.preview("--expect-no-changes"));
    expect(emulator.summary()).toMatchObject({ voicesBilled: 0 });
  },
);
