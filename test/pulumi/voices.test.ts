import type { Emulator } from "../../provider/emulator";
import { emulate, voicesIn } from "../support/emulate";
import { inFrontOf } from "../support/in-front";
import { questionsIn } from "../support/questions-in";
import { fakeClock } from "../support/service";
import { SimulatedStack } from "../support/simulated-stack";

/** A voice is billed once and never deleted while a resource holds it, whatever the user does to a run. */

let emulator: Emulator;
let clock: ReturnType<typeof fakeClock>;
let stack: SimulatedStack;
beforeEach(async () => {
  clock = fakeClock();
  emulator = await emulate({ now: () => clock.now() });
  stack = new SimulatedStack(emulator, {}, clock);
});

const billed = () => emulator.summary().voicesBilled;
const voices = () => voicesIn(emulator);
const v = { name: "v" };
const days = (count: number) => count * 24 * 3600 * 1000;

test.each([
  ["the removal of a preferredName that the program had chosen", { preferredName: "chosen" }, {}],
  ["a change of the namespace", {}, { namespace: "another" }],
])("a voice is kept, and nothing is billed, after %s", async (_, inputs, settings) => {
  await stack.ok(stack.up([{ ...v, inputs }]));
  const [id] = stack.held();
  stack.settings = settings;
  await stack.ok(stack.up([v], { refresh: true }));
  expect([stack.held(), voices(), billed()]).toEqual([[id], [id], 1]);
});

test("a refresh reports the orphan of a create that the service finished after the next run had started", async () => {
  await stack.ok(stack.up([v]));
  const { preferredName, voice } = stack.outputs("v");
  const [orphan] = emulator.seedVoices("default", 1, { preferredName: String(preferredName) });
  const { log } = await stack.ok(stack.refresh());
  expect(log).toContain(`a second voice with the name of ${String(voice)}: ${String(orphan)}`);
  expect(log).toContain(`To delete it: \`npx --no-install pulumi-cloudvoice delete ${String(orphan)}\``);
});

test("--replace keeps a voice of any age, and says how to create another; with deleteBeforeReplace it pays", async () => {
  for (const deleteBeforeReplace of [false, true]) {
    const program = [{ ...v, deleteBeforeReplace }];
    await stack.ok(stack.up(program));
    const [id] = stack.held();
    await clock.sleep(days(200));
    const { log } = await stack.ok(stack.up(program, { replaces: ["v"] }));
    expect([stack.held(), billed()]).toEqual([voices(), deleteBeforeReplace ? 2 : 1]);
    if (!deleteBeforeReplace) expect([stack.held(), log]).toEqual([[id], expect.stringContaining("change triggers")]);
  }
});

test("new triggers create a new voice and delete the old one, in either order", async () => {
  for (const [index, deleteBeforeReplace] of [false, true].entries()) {
    await stack.ok(stack.up([{ ...v, deleteBeforeReplace, trigger: 10 * index }]));
    await stack.ok(stack.up([{ ...v, deleteBeforeReplace, trigger: 10 * index + 1 }]));
    expect(stack.held()).toEqual(voices());
    expect(voices()).toHaveLength(1);
  }
  expect(billed()).toBe(4);
});

describe("with CLOUDVOICE_MAX_BILLED=voices=0 and deleteBeforeReplace", () => {
  const first = { ...v, deleteBeforeReplace: true };
  beforeEach(async () => {
    await stack.ok(stack.up([first]));
    process.env.CLOUDVOICE_MAX_BILLED = "voices=0";
  });
  afterEach(() => delete process.env.CLOUDVOICE_MAX_BILLED);

  test("a voice whose replacement would be refused is not deleted first", async () => {
    const [id] = stack.held();
    const { error } = await stack.up([{ ...first, trigger: 1 }]);
    expect(error).toContain("CLOUDVOICE_MAX_BILLED allows 0 voices");
    expect([stack.held(), voices(), billed()]).toEqual([[id], [id], 1]);
  });

  test("a voice is deleted first if its replacement adopts another, which is free", async () => {
    const [adopt = ""] = emulator.seedVoices("default", 1, { preferredName: "by_hand" });
    await stack.ok(stack.up([{ ...first, trigger: 1, inputs: { adopt } }], { replaces: ["v"] }));
    expect([stack.held(), voices(), billed()]).toEqual([[adopt], [adopt], 1]);
  });

  test("a voice is deleted first if the program drops its resource", async () => {
    await stack.ok(stack.up([]));
    expect([voices(), billed()]).toEqual([[], 1]);
  });
});

test("a voice that was deleted outside Pulumi is not reused by its own replacement", async () => {
  const program = [{ ...v, deleteBeforeReplace: true }];
  await stack.ok(stack.up(program));
  const [id = ""] = stack.held();
  await clock.sleep(60_000);
  emulator.vanish("default", id);
  await stack.ok(stack.up(program, { replaces: ["v"] }));
  expect([voices(), billed()]).toEqual([stack.held(), 2]);
});

test("an early refresh keeps a voice that the list shows late, although the service's clock is another", async () => {
  const late = await emulate({ now: () => clock.now() - 8 * 3600 * 1000, listDelayMs: 20_000 });
  const ours = new SimulatedStack(late, {}, clock);
  await ours.ok(ours.up([v]));
  await ours.ok(ours.refresh());
  await ours.ok(ours.up([v]));
  expect(ours.held()).toEqual(late.voices().map(({ voice }) => voice));
  expect(late.summary().voicesBilled).toBe(1);
});

test("a destroy succeeds when the voices have already been deleted; with a refresh, an empty list is asked about", async () => {
  for (const refresh of [false, true]) {
    await stack.ok(stack.up([v, { name: "w" }]));
    await clock.sleep(days(1));
    for (const { voice } of emulator.voices()) emulator.vanish("default", voice);
    if (refresh) stack.accepted = questionsIn((await stack.destroy({ refresh })).error);
    expect([...stack.accepted].join()).toMatch(refresh ? /^missing-\w+$/ : /^$/);
    await stack.ok(stack.destroy({ refresh }));
    expect(stack.held()).toEqual([]);
  }
});

// test/service/remove-voice.test.ts and test/corpus/deletion have more forms.
test("after a delete that is refused, the list decides", async () => {
  const refusal = { status: 404, answer: '{"code":"NotFound","message":"it cannot be deleted"}' };
  let isRefusing = true;
  const front = await inFrontOf(
    emulator,
    () => undefined,
    ({ body }) => (isRefusing && body.includes('"action":"delete"') ? refusal : undefined),
  );
  const ours = new SimulatedStack(front, { maxRetries: "1" }, clock);
  await ours.ok(ours.up([v, { name: "w" }]));
  const [gone = "", there = ""] = ours.held();
  emulator.vanish("default", gone);
  const { ok, error } = await ours.destroy();
  expect([ok, error]).toEqual([false, expect.stringContaining("it cannot be deleted")]);
  expect([ours.held(), voices()]).toEqual([[there], [there]]);

  isRefusing = false;
  await ours.ok(ours.destroy());
  expect([ours.held(), voices()]).toEqual([[], []]);
});

test("a refresh whose list call fails is an error and keeps the state", async () => {
  await stack.ok(stack.up([v, { name: "w" }]));
  const before = structuredClone(stack.state);
  emulator.setFaults([{ kind: "500", on: ["list"] }]);
  const { ok, error } = await stack.refresh();
  expect(ok).toBe(false);
  expect(error).toMatch(
    /listing the account's voices failed: An internal error has occurred \(HTTP 500, InternalError, request id/,
  );
  expect(stack.state).toEqual(before);
});
