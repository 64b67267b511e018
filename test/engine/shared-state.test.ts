import type { Emulator } from "../../provider/src/emulator";
import { emulate } from "../support/emulate";
import { type Postgres, startPostgres } from "../support/postgres";
import { Stack } from "../support/stack";

/** The state of a team in a real PostgreSQL: a second run learns that the stack is locked, and two stacks share one account. */

let postgres: Postgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

async function stackOf(emulator: Emulator, name: string, voices: number): Promise<Stack> {
  const stack = await Stack.create(emulator, { PULUMI_BACKEND_URL: postgres?.url ?? "" }, name);
  return stack.program(
    `for (let i = 0; i < ${voices}; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav" });`,
  );
}

test("two runs at once on one stack: one goes, the other is told why not", async () => {
  const emulator = await emulate({ createDelayMs: 3000 });
  const stack = await stackOf(emulator, "shared", 2);
  const first = stack.start(["up", "--yes", "--skip-preview"]);
  while (emulator.underWay("create") === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const second = await stack.up();
  expect(second.code).not.toBe(0);
  expect(second.output).toMatch(/the stack is currently locked by 1 lock/);
  expect((await first.done).code).toBe(0);
  expect(emulator.summary().voicesBilled).toBe(2);
  await stack.ok(stack.destroy());
});

test("two stacks at once on one account both end right", async () => {
  const emulator = await emulate({ createDelayMs: 200 });
  const stacks = await Promise.all(["one", "two"].map((name) => stackOf(emulator, name, 4)));
  await Promise.all(stacks.map((stack) => stack.ok(stack.up())));
  const held = (await Promise.all(stacks.map((stack) => stack.resources()))).flat().map(({ id }) => id);
  expect(new Set(held).size).toBe(8);
  expect(held.sort()).toEqual(
    emulator
      .voices()
      .map(({ voice }) => voice)
      .sort(),
  );
  expect(emulator.summary().voicesBilled).toBe(8);

  await Promise.all(stacks.map((stack) => stack.ok(stack.destroy())));
  expect(emulator.voices()).toEqual([]);
});
