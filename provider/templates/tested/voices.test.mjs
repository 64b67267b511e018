import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { startEmulator } from "pulumi-cloudvoice/emulator";

test("an update pays for one voice, a second update for none, and destroy deletes it", async (t) => {
  const emulator = await startEmulator();
  const state = await mkdtemp(join(tmpdir(), "voices-"));
  t.after(async () => {
    await emulator.close();
    await rm(state, { recursive: true });
    await rm("Pulumi.test.yaml", { force: true });
  });
  const env = {
    ...process.env,
    CLOUDVOICE_BASE_URL: emulator.url,
    CLOUDVOICE_API_KEY: emulator.apiKey,
    CLOUDVOICE_JOURNAL: state,
    PULUMI_BACKEND_URL: pathToFileURL(state).href,
    PULUMI_CONFIG_PASSPHRASE: "test",
  };
  const pulumi = (...args) => promisify(execFile)("pulumi", [...args, "--stack", "test"], { env });

  await pulumi("stack", "init", "--no-select");
  await pulumi("up", "--yes");
  const [voice] = emulator.voices();
  assert.equal((await pulumi("stack", "output", "voice")).stdout.trim(), voice.voice);
  assert.equal(emulator.summary().charge, 0.01);

  await pulumi("up", "--yes");
  assert.equal(emulator.summary().voicesBilled, 1);

  await pulumi("destroy", "--yes");
  assert.deepEqual(emulator.voices(), []);
});
