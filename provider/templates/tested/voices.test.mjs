import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { startEmulator } from "pulumi-cloudvoice/emulator";

// The test uses a stack and a state of its own. Settings that the program needs can be in the stack's file.
const stack = "test";
// Decisions get the first option, true or the highest level. Others are chosen by the question: { tone: "rude" }.
const answers = {};

// The Pulumi of the PATH, or else the newest that `npx --yes pulumi version` has installed.
const versions = join(process.env.PULUMI_HOME ?? join(homedir(), ".pulumi"), "versions");
const installed = (existsSync(versions) ? readdirSync(versions) : [])
  .sort((one, other) => other.localeCompare(one, "en", { numeric: true }))
  .map((version) => join(versions, version, "bin"));
const PATH = [process.env.PATH, ...installed].join(delimiter);

test("each voice is paid once, outputs name voices, and destroy deletes all", async (t) => {
  const { error } = spawnSync("pulumi", ["version"], { env: { ...process.env, PATH } });
  assert.ok(!error, "This test needs Pulumi: https://www.pulumi.com/docs/install/");
  const emulator = await startEmulator({ answers });
  const state = await mkdtemp(join(tmpdir(), "voices-"));
  const isNew = !existsSync(`Pulumi.${stack}.yaml`);
  t.after(async () => {
    await emulator.close();
    await rm(state, { recursive: true });
    if (isNew) await rm(`Pulumi.${stack}.yaml`, { force: true });
  });
  const env = {
    ...process.env,
    PATH,
    CLOUDVOICE_BASE_URL: emulator.url,
    CLOUDVOICE_API_KEY: emulator.apiKey,
    CLOUDVOICE_JOURNAL: state,
    CLOUDVOICE_IMAGE_POLL_SECONDS: "0.1", // the emulator's images are ready at once
    PULUMI_BACKEND_URL: pathToFileURL(state).href,
    PULUMI_CONFIG_PASSPHRASE: "test",
  };
  const pulumi = (...args) =>
    promisify(execFile)("pulumi", [...args, "--stack", stack], { env }).catch(({ message, stdout }) => {
      throw new Error(`${message}\n${stdout}`);
    });

  await pulumi("stack", "init", "--no-select");
  await pulumi("up", "--yes");
  const voices = emulator.voices().map(({ voice }) => voice);
  const outputs = (await pulumi("stack", "output", "--json", "--show-secrets")).stdout;
  // A name, a list or a manifest: whoever speaks with these voices needs their names.
  const named = voices.filter((voice) => outputs.includes(`"${voice}"`));
  assert.ok(named.length > 0, `No output of the program names a voice:\n${outputs}`);
  assert.equal(emulator.summary().voicesBilled, voices.length);

  await pulumi("preview", "--expect-no-changes");
  await pulumi("up", "--yes");
  assert.equal(emulator.summary().voicesBilled, voices.length);

  await pulumi("destroy", "--yes");
  assert.deepEqual(emulator.voices(), []);
});
