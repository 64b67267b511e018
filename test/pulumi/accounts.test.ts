import type { Emulator } from "../../provider/emulator";
import { VoiceFacts } from "../../provider/src/voices/facts";
import { emulate } from "../support/emulate";
import { questionsIn } from "../support/operation";
import { SimulatedStack } from "../support/simulated-stack";

/** A key of another account must not look as if all voices had been deleted. */

let emulator: Emulator;
let stack: SimulatedStack;
const program = [{ name: "a" }, { name: "b" }];
beforeEach(async () => {
  emulator = await emulate({ accounts: { ours: ["key-of-ours", "rotated-key-of-ours"], theirs: "key-of-theirs" } });
  stack = new SimulatedStack(emulator);
  await stack.ok(stack.up(program));
});
const withKey = (apiKey: string) => (stack.settings = { apiKey });
const vanish = () => emulator.vanish("ours", emulator.voices("ours")[0]?.voice ?? "");

test("with the key of another account, an update that has nothing to do ends well, asks nothing and pays nothing", async () => {
  withKey("key-of-theirs");
  await stack.ok(stack.up(program));
  expect(emulator.summary("theirs").calls).toEqual({});
  expect(stack.held()).toHaveLength(2);
});

test.each([
  ["default_0_1_0", "default_0_2_0", ["A"]],
  ["default_0_1_0", "default", ["A"]],
  ["studio", "default_0_2_0", []],
  ["studio", "studio", ["A"]],
])("a voice of the provider %s counts for the process of %s: the account is compared", async (saved, now, accounts) => {
  const of = (name: string) => `urn:pulumi:dev::p::pulumi:providers:cloudvoice::${name}`;
  const identity = { urn: "urn:a", savedUrn: "urn:b" };
  const holder = { ...identity, stack: "dev", voice: "v", isOld: false, account: "A", provider: of(saved) };
  const states = { ownAtStart: () => Promise.resolve({ stack: "dev", holders: [holder] }) };
  const facts = new VoiceFacts({ states } as never);
  const found = await facts.accountsOfStack({ identity: { ...identity, provider: of(now) } });
  expect([...found.keys()]).toEqual(accounts);
});

describe("a new voice in a stack whose voices are all of another account", () => {
  const grown = [{ name: "new", inputs: { text: "new" } }, ...program];

  test("is created with a new key of the same account", async () => {
    withKey("rotated-key-of-ours");
    await stack.ok(stack.up(grown));
    expect(emulator.summary("ours")).toMatchObject({ voicesBilled: 3 });
  });

  test("is created if a person says so: preview and update ask, with one id", async () => {
    withKey("key-of-theirs");
    const asked = questionsIn((await stack.preview(grown)).error);
    expect(questionsIn((await stack.up(grown)).error)).toEqual(asked);
    expect([...asked]).toEqual([expect.stringMatching(/^key-/)]);
    expect(emulator.summary("theirs")).toMatchObject({ voicesBilled: 0 });
    stack.accepted = asked;
    await stack.ok(stack.up(grown));
    expect(emulator.summary("theirs")).toMatchObject({ voicesBilled: 1 });
  });
});

describe("after a rotation of the key", () => {
  beforeEach(async () => {
    withKey("rotated-key-of-ours");
    emulator.revokeKey("key-of-ours");
    await stack.ok(stack.up(program));
    vanish();
  });

  test("a voice that was deleted outside Pulumi is created again, because its neighbour proves the account", async () => {
    await stack.ok(stack.up(program, { refresh: true }));
    expect(emulator.summary("ours")).toMatchObject({ voicesBilled: 3 });
    vanish();
    await stack.ok(stack.refresh());
    expect(stack.held()).toHaveLength(1);
    await stack.ok(stack.destroy());
    expect(emulator.voices("ours")).toEqual([]);
  });

  test("without a neighbour, a person is asked once for the stack, and yes is not needed any more afterwards", async () => {
    vanish();
    const held = stack.held();
    const { ok, error } = await stack.refresh();
    expect([ok, error]).toEqual([false, expect.stringMatching(/the same address, another key.*If you say yes/)]);
    const asked = questionsIn(error);
    expect(asked.size).toBe(1);
    stack.accepted = new Set(["key-0000000000000000", "key", "all"]);
    const destroyed = await stack.destroy();
    expect([destroyed.ok, questionsIn(destroyed.error), stack.held()]).toEqual([false, asked, held]);
    stack.accepted = asked;
    const { log } = await stack.ok(stack.up(program, { refresh: true }));
    // Each voice to which the answer applies is logged.
    expect(log).toContain("(key: accepted)");
    for (const voice of held) expect(log).toContain(`the voice ${voice} no longer exists`);
    expect(emulator.voices("ours")).toHaveLength(2);
    stack.accepted = new Set();
    await stack.ok(stack.destroy());
    expect(emulator.voices("ours")).toEqual([]);
  });

  test("a stored rotatedFrom of an earlier release confirms nothing, and is named in one warning", async () => {
    vanish();
    stack.settings = { ...stack.settings, rotatedFrom: String(stack.state.entries[0]?.outputs.account) };
    const { ok, error, log } = await stack.refresh();
    expect([ok, questionsIn(error).size]).toEqual([false, 1]);
    expect(log.split("rotatedFrom is no setting any more")).toHaveLength(2);
  });
});

test("a key that the service rejects is an error with status and code, and keeps the state", async () => {
  withKey("a-key-never-given");
  const { ok, error } = await stack.refresh();
  expect(ok).toBe(false);
  expect(error).toMatch(/the key was refused: .*\(HTTP 401, InvalidApiKey, request id/);
  expect(error).not.toContain("a-key-never-given");
  expect(stack.held()).toHaveLength(2);
});
