import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { SimulatedStack } from "../support/simulated-stack";

/** Whole lives of voices, on the simulated engine. */

let emulator: Emulator;
let stack: SimulatedStack;
beforeEach(async () => {
  emulator = await emulate();
  stack = new SimulatedStack(emulator);
});
const two = [{ name: "narrator", inputs: { language: "en", text: "Welcome." } }, { name: "support" }];

test("a refresh of many voices makes one list call, and one that proves that the total counts all", async () => {
  const many = Array.from({ length: 12 }, (_, i) => ({ name: `v${i}` }));
  await stack.ok(stack.up(many));
  const before = emulator.summary().calls.list ?? 0;
  await stack.ok(stack.refresh());
  expect(emulator.summary().calls.list).toBe(before + 2);
});

test.each([false, true])(
  "a destroy succeeds when the voices have already been deleted (with a refresh: %s)",
  async (refresh) => {
    await stack.ok(stack.up(two));
    for (const { voice } of emulator.voices()) emulator.vanish("default", voice);
    await stack.ok(stack.destroy({ refresh }));
    expect(stack.held()).toEqual([]);
  },
);

test("a refresh whose list call fails is an error and keeps the state", async () => {
  await stack.ok(stack.up(two));
  const before = structuredClone(stack.state);
  emulator.setFaults([{ kind: "500", on: ["list"] }]);
  const { ok, error } = await stack.refresh();
  expect(ok).toBe(false);
  expect(error).toMatch(
    /listing the account's voices failed: An internal error has occurred \(HTTP 500, InternalError, request id/,
  );
  expect(stack.state).toEqual(before);
});
