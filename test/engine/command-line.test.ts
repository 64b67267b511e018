import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { emulate } from "../support/emulate";
import { root } from "../support/files";
import { Stack } from "../support/stack";

/** Asynchronously: the emulator lives in this process and must answer. */
function cloudvoice(stack: Stack, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [join(root, "provider", "dist", "cli.js"), ...args], { cwd: stack.folder, env: stack.env });
}

test("cloudvoice voices lists, filters, and finds and deletes the strays of a stack", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  await stack.ok(stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`).up());
  const [voice] = await stack.resources();
  emulator.seedVoices("default", 2, { preferredName: "by_hand", ageMs: 10 * 24 * 3600 * 1000 });
  const [stray = ""] = emulator.seedVoices("default", 1, { preferredName: String(voice?.outputs?.preferredName) });

  const table = await cloudvoice(stack, "voices");
  expect(table.stdout).toMatch(/by_hand[^]*4 of 1000 voices in the account/);
  const old = await cloudvoice(stack, "voices", "--json", "--prefix", "by_", "--older-than", "7");
  expect(JSON.parse(old.stdout)).toMatchObject({ voices: [{ name: "by_hand" }, { name: "by_hand" }], total: 4, quota: 1000, remaining: 996 });

  const strays = await cloudvoice(stack, "voices", "--strays", "--stack", "dev", "--json", "--delete");
  expect(JSON.parse(strays.stdout)).toMatchObject({ voices: [{ voice: stray }] });
  const left = emulator.voices().map((row) => row.voice);
  expect(left).toHaveLength(3);
  expect(left).not.toContain(stray);
  expect(left).toContain(voice?.id);
});

test("the command line says what is wrong, without a stack", () => {
  for (const [args, message] of [
    [["voices", "--delete"], /--delete goes with --strays/],
    [["voices"], /no address of the service: set cloudvoice:baseUrl/],
    [["nonsense"], /unknown command 'nonsense'/],
    [["emulator", "--port", "x"], /must be a whole number/],
    [["emulator", "--file", "/nonexistent/file"], /ENOENT/],
  ] as const) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("CLOUDVOICE_")));
    const run = spawnSync(process.execPath, [join(root, "provider", "dist", "cli.js"), ...args], { encoding: "utf8", env, timeout: 20_000 });
    expect(run.stderr).toMatch(message);
    expect(run.stderr).not.toMatch(/\n\s+at /);
    expect(run.status).not.toBe(0);
  }
});
