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

describe("with the key of another account", () => {
  const grown = [{ name: "new", inputs: { text: "new" } }, ...program];
  const paid = () => [emulator.summary("ours").voicesBilled, emulator.summary("theirs").voicesBilled];
  beforeEach(() => withKey("key-of-theirs"));

  test("an update that has nothing to do ends well, asks nothing and pays nothing", async () => {
    await stack.ok(stack.up(program));
    expect(emulator.summary("theirs").calls).toEqual({});
    expect(stack.held()).toHaveLength(2);
  });

  test("each other operation asks with one id, and changes and pays nothing", async () => {
    const held = stack.held();
    const changed = program.map((voice) => ({ ...voice, content: 1 }));
    const runs = [
      () => stack.refresh(),
      () => stack.up(program, { refresh: true }),
      () => stack.destroy(),
      () => stack.preview(grown),
      () => stack.up(grown),
      () => stack.up(changed),
    ];
    const ids = new Set<string>();
    for (const run of runs) {
      const { ok, error } = await run();
      expect(ok).toBe(false);
      for (const id of questionsIn(error)) ids.add(id);
      expect([stack.held(), paid()]).toEqual([held, [2, 0]]);
    }
    expect([...ids]).toEqual([expect.stringMatching(/^key-/)]);
  });

  test("yes creates a new voice there", async () => {
    stack.accepted = questionsIn((await stack.preview(grown)).error);
    await stack.ok(stack.up(grown));
    expect(paid()).toEqual([2, 1]);
  });

  test("yes counts the key as a new one: the voices that it does not show are created again, once each", async () => {
    stack.accepted = questionsIn((await stack.refresh()).error);
    await stack.ok(stack.up(program, { refresh: true }));
    stack.accepted = new Set();
    await stack.ok(stack.up(program, { refresh: true }));
    expect(paid()).toEqual([2, 2]);
    const theirs = emulator.voices("theirs").map(({ voice }) => voice);
    expect(stack.held()).toEqual(theirs.sort());
  });
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

describe("after a rotation of the key", () => {
  beforeEach(async () => {
    withKey("rotated-key-of-ours");
    emulator.revokeKey("key-of-ours");
    await stack.ok(stack.up(program));
  });

  test("a voice that was deleted outside Pulumi is created again, because its neighbour proves the account", async () => {
    vanish();
    await stack.ok(stack.up(program, { refresh: true }));
    expect(emulator.summary("ours")).toMatchObject({ voicesBilled: 3 });
    vanish();
    await stack.ok(stack.refresh());
    expect(stack.held()).toHaveLength(1);
    await stack.ok(stack.destroy());
    expect(emulator.voices("ours")).toEqual([]);
  });

  test("without a neighbour a person is asked", async () => {
    for (let voices = 0; voices < 2; voices++) vanish();
    const held = stack.held();
    const { ok, error } = await stack.refresh();
    expect([ok, questionsIn(error).size, stack.held()]).toEqual([false, 1, held]);
    stack.accepted = questionsIn(error);
    const accepted = await stack.ok(stack.refresh());
    // Each voice to which the answer applies is logged.
    expect(accepted.log).toContain("(key: accepted)");
    for (const voice of held) expect(accepted.log).toContain(`the voice ${voice} no longer exists`);
  });
});
