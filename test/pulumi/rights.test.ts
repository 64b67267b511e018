import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { fakeClock } from "../support/service";
import { SimulatedStack, type Voice } from "../support/simulated-stack";

/** Rights of voices in whole operations. The day comes from the operation's clock. */

const noon = Date.parse("2026-11-21T12:00:00Z");
const dayMs = 24 * 3600 * 1000;
let emulator: Emulator;
let nowMs: number;
let stack: SimulatedStack;
const withSettings = (settings: Record<string, string> = {}) =>
  (stack = new SimulatedStack(emulator, settings, { ...fakeClock(), now: () => nowMs }));
beforeEach(async () => {
  emulator = await emulate();
  nowMs = noon;
  withSettings();
});
const narrator = (rights?: object): Voice[] => [{ name: "narrator", inputs: rights === undefined ? {} : { rights } }];
const jane = { holder: "Jane", evidence: "https://files.example/7" };
const until = (day: string) => narrator({ ...jane, until: day });

test("rights are not sent, and adding, changing and removing them is free and keeps the voice and its name", async () => {
  await stack.ok(stack.up(narrator()));
  const [voice] = stack.held();
  for (const program of [narrator(jane), until("2030-01-01"), narrator()]) {
    await stack.ok(stack.up(program));
    expect(stack.held()).toEqual([voice]);
    expect(stack.outputs("narrator").rights).toEqual(program[0]?.inputs?.rights);
  }
  expect(emulator.summary().calls.create).toBe(1);
  expect(JSON.stringify(emulator.ledger())).not.toMatch(/Jane|files\.example/);

  const other = new SimulatedStack(await emulate(), {}, { ...fakeClock(), now: () => nowMs });
  await other.ok(other.up(narrator(jane)));
  expect(other.outputs("narrator").preferredName).toBe(stack.outputs("narrator").preferredName);
});

test("a voice without rights is refused with requireRights: error, and not mentioned with off", async () => {
  withSettings({ requireRights: "error" });
  const { ok, error } = await stack.preview(narrator());
  expect([ok, error]).toEqual([false, expect.stringMatching(/the voice has no rights: add rights/)]);
  withSettings({ requireRights: "off" });
  expect((await stack.ok(stack.preview(narrator()))).log).not.toContain("rights");
});

test("with requireRights: warn, one of many voices without rights is reported, with the command that lists them", async () => {
  withSettings({ requireRights: "warn" });
  const { log } = await stack.ok(stack.up([{ name: "a" }, { name: "b" }, { name: "c" }]));
  expect(log.match(/warning: \w has no rights/g)).toHaveLength(1);
  expect(log).toMatch(/`npx --no-install pulumi-cloudvoice voices --rights --json` prints the rights of all voices/);
});

test("rights stop an update the day after their last day, and never a refresh or a destroy", async () => {
  withSettings({ requireRights: "error" });
  await stack.ok(stack.up(until("2026-11-22")));
  nowMs += dayMs;
  await stack.ok(stack.up(until("2026-11-22")));
  nowMs += dayMs;
  for (const ended of [await stack.preview(until("2026-11-22")), await stack.up(until("2026-11-22"))]) {
    expect(ended.ok).toBe(false);
    expect(ended.error).toMatch(/the voice has rights that ended/);
  }
  await stack.ok(stack.refresh());
  expect(emulator.voices()).toHaveLength(1);
  await stack.ok(stack.destroy({ refresh: true }));
  expect(emulator.voices()).toEqual([]);
});

test.each(["off", "warn"])("rights that have ended are a warning with requireRights: %s", async (requireRights) => {
  withSettings({ requireRights });
  const { log } = await stack.ok(stack.up(until("2026-11-20")));
  expect(log).toMatch(/warning: narrator has rights that ended/);
});
