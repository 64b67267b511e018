import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
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

test("each inline program asks the account of its own configuration", async () => {
  const emulator = await emulate({ accounts: { one: "key-of-one", two: "key-of-two" } });
  emulator.seedVoices("one", 1);
  emulator.seedVoices("two", 2);
  const { folder, env } = await Stack.create(emulator);
  writeFileSync(join(folder, "automation.js"), script);
  const { CLOUDVOICE_BASE_URL: SERVICE, CLOUDVOICE_API_KEY: _, ...inherited } = env;
  const { stdout } = await promisify(execFile)(process.execPath, ["automation.js"], {
    cwd: folder,
    env: { ...inherited, SERVICE },
  });
  expect(JSON.parse(stdout)).toEqual([1, 2, 1]);
});
