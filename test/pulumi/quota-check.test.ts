import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { serve } from "../support/serve";
import { SimulatedStack, type Voice } from "../support/simulated-stack";

/** A check compares the planned voices with the quota of the account before anything is billed. */

let emulator: Emulator;
async function setUp(voiceQuota: number, options: Parameters<typeof emulate>[0] = {}) {
  emulator = await emulate(options);
  return new SimulatedStack(emulator, { voiceQuota: String(voiceQuota) });
}
const many = (count: number, voice: Partial<Voice> = {}) =>
  Array.from({ length: count }, (_, i) => ({ ...voice, name: `v${i}` }));
const billed = () => emulator.summary().voicesBilled;

test("a voice that a create would reuse or adopt does not count as new", async () => {
  const stack = await setUp(5);
  await stack.ok(stack.up(many(4)));
  // The state is as if the run had been killed before the engine saved the first three.
  stack.state.entries.splice(0, 3);
  const [adopt] = emulator.seedVoices("default", 1);
  const program = [...many(4), { name: "w", adopt }];
  await stack.ok(stack.preview(program));
  await stack.ok(stack.up(program));
  expect(billed()).toBe(4);
  expect(stack.held()).toHaveLength(5);
});

test("quotaCheck set to warn logs one warning, and set to off logs nothing", async () => {
  const stack = await setUp(5);
  emulator.seedVoices("default", 5);
  stack.settings = { ...stack.settings, quotaCheck: "warn" };
  const { log } = await stack.ok(stack.preview(many(3)));
  expect(log.split("warning: the account is too small")).toHaveLength(2);
  stack.settings = { ...stack.settings, quotaCheck: "off" };
  expect(await stack.ok(stack.preview(many(3)))).toMatchObject({ log: "" });
});

test.each([
  ["no key", { apiKey: undefined }, /the quota could not be checked: no API key/],
  ["no service", { baseUrl: "http://127.0.0.1:9" }, /the quota could not be checked: http\S+ could not be reached/],
])("with %s, preview logs one warning and continues", async (_, settings, warning) => {
  const stack = await setUp(5);
  stack.settings = settings;
  const { log } = await stack.ok(stack.preview(many(3)));
  expect(log.match(new RegExp(warning, "g"))).toHaveLength(1);
});

test("with a refused key or a wrong address, a preview fails", async () => {
  const stack = await setUp(5);
  stack.settings = { apiKey: "wrong" };
  expect(await stack.preview(many(3))).toMatchObject({
    ok: false,
    error: expect.stringMatching(/key was refused/) as string,
  });
  const { url } = await serve((_, response) => response.writeHead(405).end());
  stack.settings = { baseUrl: url };
  expect((await stack.preview(many(3))).error).toMatch(
    /listing the account's voices failed: .*HTTP 405.*Check cloudvoice:baseUrl/,
  );
});

test("four of four voices are replaced where six have room: with targets, or with deleteBeforeReplace", async () => {
  const stack = await setUp(6, { voiceQuota: 6 });
  await stack.ok(stack.up(many(4)));
  const { ok, error } = await stack.preview(many(4, { trigger: 1 }));
  expect([ok, error]).toEqual([false, expect.stringMatching(/the update needs 7 at its peak; the quota is 6/)]);

  for (const targets of [
    ["v0", "v1"],
    ["v2", "v3"],
  ])
    await stack.ok(stack.up(many(4, { trigger: 1 }), { targets }));
  await stack.ok(stack.up(many(4, { trigger: 2, deleteBeforeReplace: true })));
  expect([billed(), emulator.voices().length]).toEqual([12, 4]);
});

test("stackQuota bounds the voices of the stack, however many the account has", async () => {
  const stack = await setUp(1000);
  stack.settings = { voiceQuota: "1000", stackQuota: "2" };
  emulator.seedVoices("default", 3);
  await stack.ok(stack.up(many(2)));
  await stack.ok(stack.preview(many(2)));
  const over = await stack.up(many(3));
  expect(over.error).toMatch(
    /the stack may have: cloudvoice:stackQuota is 2\. The stack has 2 voices\. .* add 1, and the update needs 3 at its peak/,
  );
  expect((await stack.up(many(2, { trigger: 1 }))).error).toMatch(/needs 3 at its peak/);
  expect(billed()).toBe(2);
  await stack.ok(stack.up(many(2, { trigger: 1, deleteBeforeReplace: true })));
  expect(billed()).toBe(4);
});

test("stackQuota counts a voice that was deleted outside Pulumi, because a refresh creates it again", async () => {
  const stack = await setUp(1000);
  stack.settings = { voiceQuota: "1000", stackQuota: "2" };
  await stack.ok(stack.up(many(2)));
  emulator.vanish("default", String(stack.outputs("v0").voice));
  expect((await stack.up([{ name: "v0" }, { name: "v1", trigger: 1 }])).error).toMatch(
    /The stack has 2 voices\. .* add 1, and the update needs 3 at its peak/,
  );
});

test("a missing voice that a refresh takes out of the state leaves its place, also if an alias renames its resource", async () => {
  const stack = await setUp(5);
  stack.settings.stackQuota = "1";
  await stack.ok(stack.up([{ name: "a" }]));
  const [id = ""] = stack.held();
  emulator.vanish("default", id);
  await stack.ok(stack.up([{ name: "b", aliases: ["a"] }], { refresh: true }));
  expect(stack.held()).toEqual(emulator.voices().map(({ voice }) => voice));
});

describe("--replace in a full account", () => {
  const [a, replaced] = [{ name: "a" }, { name: "a", deleteBeforeReplace: true, trigger: 1 }];
  let stack: SimulatedStack;
  beforeEach(async () => {
    stack = await setUp(1, { voiceQuota: 1 });
    await stack.ok(stack.up([a]));
  });

  test("deletes first and needs no room for a second voice", async () => {
    await stack.ok(stack.up([replaced], { replaces: ["a"] }));
    expect(stack.held()).toEqual(emulator.voices().map(({ voice }) => voice));
    expect(billed()).toBe(2);
  });

  test("that deletes last is refused before anything is deleted or paid for", async () => {
    const { error } = await stack.up([{ ...replaced, deleteBeforeReplace: false }], { replaces: ["a"] });
    expect(error).toContain("VoiceQuotaExceeded");
    expect(emulator.summary().calls).not.toHaveProperty("delete");
  });

  test("is refused if an alias renames the resource in the same update, and goes through in the next", async () => {
    const renamed = { name: "b", aliases: ["a"], deleteBeforeReplace: true, trigger: 0 };
    expect((await stack.up([renamed], { replaces: ["b"] })).error).toContain("VoiceQuotaExceeded");
    await stack.ok(stack.up([renamed]));
    await stack.ok(stack.up([{ ...renamed, trigger: 1 }], { replaces: ["b"] }));
    expect(stack.held()).toEqual(emulator.voices().map(({ voice }) => voice));
    expect(billed()).toBe(2);
  });
});
