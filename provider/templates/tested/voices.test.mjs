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

// Change these three with the program: a stack whose branch the test takes, an output with the name of a voice, and the
// most that a first update may cost, in dollars.
const [stack, output, mostCharge] = ["test", "voice", 0.05];

// The Pulumi of the PATH, or else the newest that `npx --yes pulumi version` has installed.
const versions = join(process.env.PULUMI_HOME ?? join(homedir(), ".pulumi"), "versions");
const installed = (existsSync(versions) ? readdirSync(versions) : [])
  .sort((one, other) => other.localeCompare(one, "en", { numeric: true }))
  .map((version) => join(versions, version, "bin"));
const PATH = [process.env.PATH, ...installed].join(delimiter);

test("a second update pays for nothing, and destroy deletes all voices", async (t) => {
  const { error } = spawnSync("pulumi", ["version"], { env: { ...process.env, PATH } });
  assert.ok(!error, "This test needs Pulumi: https://www.pulumi.com/docs/install/");
  const emulator = await startEmulator();
  const state = await mkdtemp(join(tmpdir(), "voices-"));
  t.after(async () => {
    await emulator.close();
    await rm(state, { recursive: true });
    await rm(`Pulumi.${stack}.yaml`, { force: true });
  });
  const env = {
    ...process.env,
    PATH,
    CLOUDVOICE_BASE_URL: emulator.url,
    CLOUDVOICE_API_KEY: emulator.apiKey,
    CLOUDVOICE_JOURNAL: state,
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
  const outputs = JSON.parse((await pulumi("stack", "output", "--json")).stdout);
  assert.ok(outputs[output], `This test reads the program's output ${output}. Change the test with the program.`);
  assert.ok(voices.includes(outputs[output]));
  const { charge } = emulator.summary();
  assert.ok(charge <= mostCharge, `The first update costs $${charge}.`);

  await pulumi("up", "--yes");
  assert.equal(emulator.summary().charge, charge);

  await pulumi("destroy", "--yes");
  assert.deepEqual(emulator.voices(), []);
});
