import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { LocalWorkspace } from "@pulumi/pulumi/automation";
import { type Emulator, startEmulator } from "pulumi-cloudvoice/emulator";

/**
 * A test with the real engine (`pulumi` must be on the PATH) and the emulator. It checks what an update creates and
 * costs, and that a second update creates nothing.
 */

let emulator: Emulator;
let folder: string;
beforeAll(async () => {
  emulator = await startEmulator();
  folder = mkdtempSync(join(tmpdir(), "testing-"));
});
afterAll(async () => {
  await emulator.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a second update creates no voices, and destroy deletes them", async () => {
  const envVars = {
    CLOUDVOICE_BASE_URL: emulator.url,
    CLOUDVOICE_API_KEY: emulator.apiKey,
    CLOUDVOICE_IMAGE_POLL_SECONDS: "0.1",
    PULUMI_BACKEND_URL: `${pathToFileURL(folder).href}?metadata=skip`,
    PULUMI_CONFIG_PASSPHRASE: "for tests",
  };
  // A separate project with the same program, so that the test does not touch your project, its stacks or its files.
  const projectSettings = { name: "testing", runtime: "nodejs" as const, main: __dirname };
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: "test", workDir: folder },
    { envVars, projectSettings },
  );

  const { outputs } = await stack.up();
  const voices = emulator.voices().map(({ voice }) => voice);
  expect(voices).toHaveLength(2);
  expect(
    Object.values(outputs.manifest?.value as Record<string, { voice: string }>)
      .map(({ voice }) => voice)
      .sort(),
  ).toEqual(voices.sort());
  expect(emulator.summary().charge).toBe(0.02);

  await stack.up();
  expect(emulator.summary().voicesBilled).toBe(2);

  await stack.destroy();
  expect(emulator.voices()).toEqual([]);
}, 120_000);
