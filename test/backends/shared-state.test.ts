import type { Emulator } from "../../provider/emulator";
import { listed } from "../support/held";
import { emulate } from "../support/emulate";
import { type Postgres, startPostgres } from "../../tools/postgres/start";
import { Stack } from "../support/stack";

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

test("two stacks updated at the same time on one account each create and delete their own voices", async () => {
  const emulator = await emulate({ createDelayMs: 200 });
  // The engine creates the table of states when it first opens a database, and fails if two processes do so at once.
  const stacks = [await stackOf(emulator, "one", 4), await stackOf(emulator, "two", 4)];
  await Promise.all(stacks.map((stack) => stack.ok(stack.up())));
  const held = (await Promise.all(stacks.map((stack) => stack.resources()))).flat().map(({ id }) => id);
  expect(new Set(held).size).toBe(8);
  expect(held.sort()).toEqual(listed(emulator));
  expect(emulator.summary().voicesBilled).toBe(8);

  await Promise.all(stacks.map((stack) => stack.ok(stack.destroy())));
  expect(emulator.voices()).toEqual([]);
});
