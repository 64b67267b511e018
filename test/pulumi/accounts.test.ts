import type { Emulator } from "../../provider/emulator";
import { VoiceEvidence } from "../../provider/src/pulumi/provider/voice/evidence";
import { emulate } from "../support/emulate";
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

test.each([
  ["a refresh", () => stack.refresh()],
  ["a destroy", () => stack.destroy()],
  ["an update with --refresh", () => stack.up(program, { refresh: true })],
])("with the key of another account, %s fails and keeps the state", async (_, run) => {
  withKey("key-of-theirs");
  const { ok, error } = await run();
  expect(ok).toBe(false);
  expect(error).toMatch(/not in this account.*the same address, another key/);
  expect(stack.held()).toEqual(
    emulator
      .voices("ours")
      .map(({ voice }) => voice)
      .sort(),
  );
  expect(stack.held()).toHaveLength(2);
});

test("with the key of another account, a replacement fails before anything is billed", async () => {
  withKey("key-of-theirs");
  const changed = program.map((voice) => ({ ...voice, content: 1 }));
  for (const { ok, error } of [await stack.preview(changed), await stack.up(changed)])
    expect([ok, error]).toEqual([false, expect.stringMatching(/can't be replaced: it is not in this account/)]);
  expect(emulator.summary("theirs")).toMatchObject({ voicesBilled: 0 });
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
  const evidence = new VoiceEvidence({ states } as never);
  const found = await evidence.accountsOfStack({ identity: { ...identity, provider: of(now) } } as never);
  expect([...found.keys()]).toEqual(accounts);
});

describe("a new voice in a stack whose voices are all of another account", () => {
  const grown = [{ name: "new", inputs: { text: "new" } }, ...program];

  test("is refused in preview and update, before anything is billed", async () => {
    withKey("key-of-theirs");
    for (const { ok, error } of [await stack.preview(grown), await stack.up(grown)])
      expect([ok, error]).toEqual([false, expect.stringMatching(/of this stack is not in this account.*another key/)]);
    expect(emulator.summary("theirs")).toMatchObject({ voicesBilled: 0 });
    expect(stack.held()).toHaveLength(2);
  });

  test("is created with a new key of the same account", async () => {
    withKey("rotated-key-of-ours");
    await stack.ok(stack.up(grown));
    expect(emulator.summary("ours")).toMatchObject({ voicesBilled: 3 });
  });

  test("is created if a person confirms the account", async () => {
    withKey("key-of-theirs");
    stack.settings = { ...stack.settings, rotatedFrom: String(stack.state.entries[0]?.outputs.account) };
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

  test("without a neighbour, the error names the setting that confirms the account once", async () => {
    vanish();
    const { ok, error } = await stack.refresh();
    expect(ok).toBe(false);
    const [, recorded = ""] = /once with CLOUDVOICE_ROTATED_FROM=(\S+)/.exec(error) ?? [];
    const confirm = (rotatedFrom: string) => (stack.settings = { ...stack.settings, rotatedFrom });
    confirm("0000-000000");
    expect((await stack.destroy()).ok).toBe(false);
    confirm(recorded);
    await stack.ok(stack.up(program, { refresh: true }));
    expect(emulator.voices("ours")).toHaveLength(2);
    withKey("rotated-key-of-ours");
    await stack.ok(stack.destroy());
    expect(emulator.voices("ours")).toEqual([]);
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
