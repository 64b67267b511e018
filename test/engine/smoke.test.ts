import { pluginStack, writeProgram } from "../../tools/plugin-stack";
import { Stack as AnyStack } from "../../tools/stack";
import { emulate } from "../support/emulate";
import { exampleAccounts, exampleStack } from "../support/example";
import { temporaryFolder } from "../support/files";
import { startGateway } from "../support/gateway";
import { hosted } from "../support/hosted";
import { startPostgres } from "../../tools/postgres/start";
import { fastStart, Stack } from "../support/stack";

/**
 * One small run for each backend, for the native classes, for a program in YAML and for another language. `npm run
 * test:backends` and `npm run test:faces` prove the rest.
 */

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
});

/** The variables with which a stack has its state in the backend, and the name of the stack there. */
const backends: Record<string, () => Promise<[settings: Record<string, string>, name: string]>> = {
  "Pulumi's hosted backend": async () => [{ ...(await hosted()).env }, "acme/dev"],
  "a bucket": async () => {
    const gateway = await startGateway();
    for (const bucket of ["state", "journal"]) gateway.createBucket(bucket);
    const places = { PULUMI_BACKEND_URL: gateway.url("state"), CLOUDVOICE_JOURNAL: gateway.url("journal") };
    return [{ ...places, ...gateway.credentials }, "dev"];
  },
  PostgreSQL: async () => {
    const postgres = await startPostgres();
    closing.push(() => Promise.resolve(postgres.stop()));
    return [{ PULUMI_BACKEND_URL: postgres.url }, "dev"];
  },
};

test.each(Object.keys(backends))(
  "with the state in %s, a voice is created, found unchanged and deleted",
  async (name) => {
    const emulator = await emulate();
    const [settings, stackName] = (await backends[name]?.()) ?? [{}, ""];
    const stack = await Stack.create(emulator, settings, stackName);
    await stack.ok(stack.program('new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });').up());
    await stack.ok(stack.preview("--expect-no-changes"));
    await stack.ok(stack.destroy());
    expect(emulator.summary()).toMatchObject({ voicesBilled: 1, calls: { create: 1, delete: 1 } });
  },
);

test("the native classes create a voice, find it unchanged, and delete it", async () => {
  const emulator = await emulate();
  const stack = await AnyStack.in(temporaryFolder(), emulator, { settings: fastStart, native: true });
  await stack.ok(stack.program('new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });').up());
  expect((await stack.resources()).map(({ type }) => type)).toEqual(["cloudvoice:index:CloudVoice"]);
  await stack.ok(stack.preview("--expect-no-changes"));
  await stack.ok(stack.destroy());
  expect(emulator.summary()).toMatchObject({ voicesBilled: 1, calls: { create: 1, delete: 1 } });
});

test("a program in YAML creates a voice with the native plugin, finds it unchanged, and deletes it", async () => {
  const emulator = await emulate();
  const stack = await pluginStack(temporaryFolder(), emulator);
  const properties = { targetModel: "svc3-tts-vc-2026-01-22", audio: "a.wav" };
  writeProgram(stack.folder, { resources: { v: { type: "cloudvoice:CloudVoice", properties } } });
  await stack.ok(stack.up());
  expect((await stack.resources()).map(({ id }) => id)).toEqual(emulator.voices().map(({ voice }) => voice));
  await stack.ok(stack.preview("--expect-no-changes"));
  await stack.ok(stack.destroy());
  expect(emulator.summary()).toMatchObject({ voicesBilled: 1, calls: { create: 1, delete: 1 } });
});

test("the example in Python is provisioned with the SDK that Pulumi generates", async () => {
  const emulator = await emulate({ accounts: exampleAccounts });
  const stack = await exampleStack("python", emulator);
  await stack.ok(stack.up());
  expect(emulator.summary().voicesBilled).toBe(2);
  await stack.ok(stack.destroy());
  expect(emulator.voices()).toEqual([]);
});
