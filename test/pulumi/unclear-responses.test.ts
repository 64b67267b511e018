import { emulate } from "../support/emulate";
import { inFrontOf } from "../support/in-front";
import { SimulatedStack } from "../support/simulated-stack";

/** What the interface description leaves open, in a whole life of a voice. */

// test/service/remove-voice.test.ts and test/corpus/deletion have more forms.
test("after a delete that is refused, the list decides", async () => {
  const refusal = { status: 404, answer: '{"code":"NotFound","message":"it cannot be deleted"}' };
  const emulator = await emulate();
  let isRefusing = true;
  const isDelete = (body: string) => isRefusing && body.includes('"action":"delete"');
  const front = await inFrontOf(
    emulator,
    () => undefined,
    ({ body }) => (isDelete(body) ? refusal : undefined),
  );
  const stack = new SimulatedStack(front, { maxRetries: "1" });
  await stack.ok(stack.up([{ name: "v" }, { name: "w" }]));
  const existing = () => emulator.voices().map(({ voice }) => voice);
  const [gone = "", there = ""] = stack.held();
  emulator.vanish("default", gone);

  const ended = await stack.destroy();
  expect(ended.ok).toBe(false);
  expect(ended.error).toContain("it cannot be deleted");
  expect([stack.held(), existing()]).toEqual([[there], [there]]);

  isRefusing = false;
  await stack.ok(stack.destroy());
  expect([stack.held(), existing()]).toEqual([[], []]);
});

test("the time of a voice stays in the service's own words if nothing shows it in a form that is known", async () => {
  const emulator = await emulate({ dialect: 6, now: () => Date.parse("2026-03-04T05:06:07Z") });
  const [adopt = ""] = emulator.seedVoices("default", 1, { preferredName: "narrator" });
  const stack = new SimulatedStack(emulator);
  const program = [{ name: "v", adopt }];
  await stack.ok(stack.up(program));
  await stack.ok(stack.up(program, { refresh: true }));
  expect(stack.outputs("v")).toMatchObject({ voice: adopt, createdAt: "day 04 of 2026-03" });
});
