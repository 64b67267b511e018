import { emulate } from "../support/emulate";
import { SimulatedStack } from "../support/simulated-stack";

/** `--replace` in a full account, where the old voice goes first. */

async function full() {
  const emulator = await emulate({ voiceQuota: 1 });
  const stack = new SimulatedStack(emulator, { voiceQuota: "1" });
  await stack.ok(stack.up([{ name: "a" }]));
  return { emulator, stack };
}
const deletesFirst = { deleteBeforeReplace: true, trigger: 1 };

test("a replacement on demand that deletes first needs no room for a second voice", async () => {
  const { emulator, stack } = await full();
  await stack.ok(stack.up([{ name: "a", ...deletesFirst }], { replaces: ["a"] }));
  expect(emulator.voices().map(({ voice }) => voice)).toEqual(stack.held());
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2 });
});

test("one that deletes last needs it, and is refused before anything is deleted or paid for", async () => {
  const { emulator, stack } = await full();
  const { error } = await stack.up([{ name: "a", trigger: 1 }], { replaces: ["a"] });
  expect(error).toContain("VoiceQuotaExceeded");
  expect(emulator.summary().calls).not.toHaveProperty("delete");
});

test("if an alias renames it in the same update, it is refused, and goes through in the next update", async () => {
  const { emulator, stack } = await full();
  const renamed = [{ name: "b", aliases: ["a"], ...deletesFirst, trigger: 0 }];
  expect((await stack.up(renamed, { replaces: ["b"] })).error).toContain("VoiceQuotaExceeded");
  await stack.ok(stack.up(renamed));
  expect(emulator.summary()).toMatchObject({ voicesBilled: 1 });
  await stack.ok(stack.up([{ ...renamed[0]!, trigger: 1 }], { replaces: ["b"] }));
  expect(emulator.voices().map(({ voice }) => voice)).toEqual(stack.held());
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2 });
});
