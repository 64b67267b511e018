import type { Emulator } from "../../provider/emulator";
import { listed } from "../support/held";
import { emulate } from "../support/emulate";
import { type Postgres, startPostgres } from "../../tools/postgres/start";
import { said, Stack } from "../support/stack";
import { until } from "../support/until";

/** Stacks of a team with their state in a real PostgreSQL. */

let postgres: Postgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

async function stackOf(emulator: Emulator, name: string, voices: number): Promise<Stack> {
  const settings = { PULUMI_BACKEND_URL: postgres?.url ?? "", CLOUDVOICE_IMAGE_POLL_SECONDS: "0.1" };
  const stack = await Stack.create(emulator, settings, name);
  return stack.program(`
    for (let i = 0; i < ${voices}; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav" });
    if (pulumi.getStack() === "shared")
      new cv.GeneratedImage("image", { model: "svc-image", prompt: "A lighthouse", size: "64*48" });`);
}

test("of two runs of one stack at the same time, the second fails and reports the lock of the first", async () => {
  // The image keeps the first run waiting until the second run has failed.
  const emulator = await emulate({ finishAfterPolls: 1_000_000 });
  const stack = await stackOf(emulator, "shared", 2);
  const first = stack.start(["up", "--yes", "--skip-preview"]);
  await until(() => emulator.summary().tasks === 1);
  const second = await stack.up();
  emulator.setImages({ finishAfterPolls: 0 });
  expect(second.code).not.toBe(0);
  expect(second.output).toMatch(/the stack is currently locked by 1 lock/);
  expect((await first.done).code).toBe(0);
  expect(emulator.summary().voicesBilled).toBe(2);
  await stack.ok(stack.destroy());
});

test("two stacks updated at the same time on one account each create and delete their own voices", async () => {
  const emulator = await emulate({ createDelayMs: 200 });
  const stacks = await Promise.all(["one", "two"].map((name) => stackOf(emulator, name, 4)));
  await Promise.all(stacks.map((stack) => stack.ok(stack.up())));
  const held = (await Promise.all(stacks.map((stack) => stack.resources()))).flat().map(({ id }) => id);
  expect(new Set(held).size).toBe(8);
  expect(held.sort()).toEqual(listed(emulator));
  expect(emulator.summary().voicesBilled).toBe(8);

  await Promise.all(stacks.map((stack) => stack.ok(stack.destroy())));
  expect(emulator.voices()).toEqual([]);
});

test("a new resource under the former name of another does not take its voice, because the state is asked", async () => {
  const emulator = await emulate();
  const stack = await stackOf(emulator, "renamed", 0);
  const inputs = '{ targetModel: model, audio: "a.wav" }';
  const old = `new cv.CloudVoice("old", ${inputs});`;
  const renamed = `new cv.CloudVoice("ren", ${inputs}, { aliases: [{ name: "old" }] });`;
  await stack.ok(stack.program(old).up());
  await stack.ok(stack.program(renamed).up());
  const urn = (await stack.resources())[0]?.urn.replace(/ren$/, "old") ?? "";
  const run = await stack.ok(stack.program(renamed + old).up("--target", urn));
  expect(
    said(run, "ren of the stack organization/program/renamed holds it: this resource gets a voice of its own"),
  ).toBe(1);
  expect(new Set((await stack.resources()).map(({ id }) => id)).size).toBe(2);
  expect(emulator.summary().voicesBilled).toBe(2);
});
