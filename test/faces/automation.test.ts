import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../tools/local";
import { emulate } from "../support/emulate";
import { Stack } from "../support/stack";

/** Two inline programs in one Node.js process, as the Automation API runs them. */
const script = `
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const pulumi = require("@pulumi/pulumi");
const cv = require("pulumi-cloudvoice");

async function run(stackName, key) {
  const program = async () => {
    const { total } = await cv.getVoices();
    return { total };
  };
  const stack = await LocalWorkspace.createOrSelectStack({ stackName, projectName: "inline", program });
  await stack.setConfig("cloudvoice:apiKey", { value: key, secret: true });
  await stack.setConfig("cloudvoice:baseUrl", { value: process.env.SERVICE });
  const { outputs } = await stack.up();
  return outputs.total.value;
}

(async () => {
  const one = await run("one", "key-of-one");
  const both = await Promise.all([run("two", "key-of-two"), run("one", "key-of-one")]);
  console.log(JSON.stringify([one, ...both]));
})();
`;

const pictures = `
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const cv = require("pulumi-cloudvoice");
const { join } = require("node:path");
const { writeFileSync } = require("node:fs");

(async () => {
  const program = async () => {
    new cv.GeneratedImage("cover", { model: "svc-image", prompt: "A", size: "8*8", saveTo: join(__dirname, "covers") });
    new cv.CloudVoice("v", { targetModel: "svc3-tts-vc-2026-01-22", audio: join(__dirname, "a.wav") });
  };
  const stack = await LocalWorkspace.createOrSelectStack({ stackName: "pictures", projectName: "inline", program });
  await stack.up();
  await stack.up({ expectNoChanges: true });
  writeFileSync("state.json", JSON.stringify(await stack.exportStack()));
})();
`;

/** Runs a program of the Automation API in the folder of a stack. Returns what it prints. */
async function run({ folder, env }: Pick<Stack, "folder" | "env">, program: string): Promise<string> {
  writeFileSync(join(folder, "automation.js"), program);
  return (await promisify(execFile)(process.execPath, ["automation.js"], { cwd: folder, env })).stdout;
}

test("an absolute path of an inline program names the same place for the provider, which runs in another folder", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator, { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05" });
  const { folder } = stack;
  await run(stack, pictures);
  expect(readdirSync(join(folder, "covers"))).toEqual([expect.stringMatching(/^cover-1-[0-9a-f]{12}\.png$/)]);
  expect(readFileSync(join(folder, "state.json"), "utf8")).not.toContain(`"${folder}`);
  expect(emulator.summary()).toMatchObject({ tasks: 1, voicesBilled: 1 });
});

test("each inline program asks the account of its own configuration", async () => {
  const emulator = await emulate({ accounts: { one: "key-of-one", two: "key-of-two" } });
  emulator.seedVoices("one", 1);
  emulator.seedVoices("two", 2);
  const { folder, env } = await Stack.create(emulator);
  const { CLOUDVOICE_BASE_URL: SERVICE, CLOUDVOICE_API_KEY: _, ...inherited } = env;
  expect(JSON.parse(await run({ folder, env: { ...inherited, SERVICE } }, script))).toEqual([1, 2, 1]);
});

/** One program for two tenants, each with a backend and a namespace of its own; one of them has a folder of its own too. */
const tenants = `
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const { mkdirSync } = require("node:fs");
const { join } = require("node:path");
const cv = require(process.env.CLASSES);

async function stackOf(tenant, options) {
  const states = join(__dirname, "states-of-" + tenant);
  mkdirSync(states, { recursive: true });
  const program = async () => {
    new cv.CloudVoice("v", { targetModel: "svc3-tts-vc-2026-01-22", audio: join(__dirname, "a.wav") });
  };
  const envVars = { CLOUDVOICE_NAMESPACE: tenant, PULUMI_BACKEND_URL: "file://" + states };
  const plugins = { providers: [{ name: "cloudvoice", path: process.env.PLUGIN }] };
  const projectSettings = { name: "program", runtime: "nodejs", plugins };
  return LocalWorkspace.createOrSelectStack(
    { stackName: "prod", projectName: "program", program },
    { envVars, ...(process.env.PLUGIN && { projectSettings }), ...options },
  );
}

(async () => {
  mkdirSync("work");
  const [a, b] = [await stackOf("a", {}), await stackOf("b", { workDir: join(__dirname, "work") })];
  await Promise.all([a.up(), b.up()]);
  const { stdout } = await a.destroy();
  console.log(stdout);
})();
`;

test.each([
  ["the classes", "pulumi-cloudvoice", ""],
  ["the native classes", "pulumi-cloudvoice/native", join(root, "provider", "plugin")],
])("tenants of one inline program have names of their own, and keep their voices (%s)", async (_, CLASSES, PLUGIN) => {
  const emulator = await emulate();
  await run((await Stack.create(emulator)).with({ CLASSES, PLUGIN }), tenants);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2, calls: { delete: 1 } });
  expect(emulator.voices()).toHaveLength(1);
});
