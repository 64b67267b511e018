import type { Emulator } from "../../provider/emulator";
import { planIn, type Plan, planVariable } from "../../provider/src/rules/plan-line";
import { emulate, voicesIn } from "../support/emulate";
import { inFrontOf } from "../support/in-front";
import { fakeClock } from "../support/service";
import { type Ended, SimulatedStack, type Voice } from "../support/simulated-stack";

/**
 * With CLOUDVOICE_PLAN set, a preview writes for a review what the provider decides. It notes nothing, sends nothing that
 * is billed, and goes on past a problem of the account. An update is refused.
 */

let emulator: Emulator;
let stack: SimulatedStack;
/** How the service's answers to these actions are changed on their way. */
let odd: Partial<Record<"list" | "create" | "submit", (answer: string) => string>>;
beforeEach(async () => {
  const clock = fakeClock();
  odd = {};
  emulator = await emulate({ now: () => clock.now() });
  const front = await inFrontOf(emulator, ({ body, answer }) => {
    const [, action = body.includes('"prompt"') ? "submit" : ""] = /"action":"(\w+)"/.exec(body) ?? [];
    const change = odd[action as "list"];
    return change && { answer: change(answer) };
  });
  stack = new SimulatedStack(front, {}, clock);
});

const voice = (name: string, more: Partial<Voice> = {}): Voice => ({ name, content: 1, ...more });
const planned = ({ log }: Ended) => planIn(log.split("\n").map((message) => ({ message })))!;
/** The plan of each resource, by its name. */
function byName(ended: Ended): Record<string, Plan | undefined> {
  const { plans, problems } = planned(ended);
  expect(problems).toEqual([]);
  return Object.fromEntries([...plans].map(([urn, plan]) => [urn.split("::")[3] ?? "", plan]));
}
const kindsOf = (plan: Plan | undefined) => plan?.questions.map(({ kind }) => kind);

/** The preview with the variable set. Whatever it writes, nothing changes and nothing is paid. */
async function plan(program: Voice[]) {
  const before = [emulator.summary().voicesBilled, [...stack.notes], stack.state.entries, stack.pictures.names];
  const copy = JSON.stringify(before);
  stack.environment = { [planVariable]: "1" };
  const ended = await stack.ok(stack.preview(program));
  stack.environment = {};
  const after = [emulator.summary().voicesBilled, [...stack.notes], stack.state.entries, stack.pictures.names];
  expect(JSON.stringify(after)).toBe(copy);
  return byName(ended);
}

test("the voice of a lost state is taken by its note, and without a note it is a question whose yes takes it", async () => {
  await stack.ok(stack.up([voice("a")]));
  const [id] = stack.held();
  stack.state.entries = [];
  expect((await plan([voice("a")])).a).toMatchObject({ takes: id, questions: [], quota: { now: 1 } });

  stack.notes.clear();
  const { a } = await plan([voice("a")]);
  expect(a?.takes).toBeUndefined();
  expect(a?.questions).toMatchObject([
    { kind: "take", id: expect.stringMatching(/^take-[0-9a-f]{16}$/) as string, yes: expect.anything() as string },
  ]);
  stack.accepted = new Set(a!.questions.map((each) => each.id));
  expect((await plan([voice("a")])).a).toMatchObject({ takes: id, questions: [] });
  await stack.ok(stack.up([voice("a")]));
  expect([stack.held(), emulator.summary().voicesBilled]).toEqual([[id], 1]);
});

test("a create whose end is unknown, beside a list that proves nothing, is the question pay-again, with its wait", async () => {
  emulator.setFaults([{ kind: "500-after", on: ["create"], times: 1 }]);
  odd.list = (answer) => {
    const parsed = JSON.parse(answer) as object;
    return JSON.stringify({
      status: "a state that may mean a failure",
      ...parsed,
      output: { voice_list: [], total_count: 0 },
    });
  };
  expect((await stack.up([voice("a")])).ok).toBe(false);
  const { a } = await plan([voice("a")]);
  expect(kindsOf(a)).toEqual(["pay-again"]);
  const { error } = await stack.up([voice("a")]);
  expect(error).toContain(a!.questions[0]!.id);
});

test("a voice with a generated name is asked about before a resource adopts it", async () => {
  await stack.ok(stack.up([voice("a")]));
  const [id = ""] = stack.held();
  const { b } = await plan([voice("a"), voice("b", { adopt: id })]);
  expect([kindsOf(b), b?.takes]).toEqual([["take"], undefined]);
});

test("a voice to adopt that is not there is written, and the preview goes on; one that is there is taken", async () => {
  await stack.ok(stack.up([voice("made", { chosenName: true })]));
  const [id] = voicesIn(emulator);
  const missing = "svc-tts-vc-nobody-voice-20260101000000000-0000";
  const found = await plan([
    voice("made", { chosenName: true }),
    voice("b", { adopt: missing }),
    voice("c", { adopt: id }),
  ]);
  expect(found.b?.fails).toMatch(/^adopt: the account's list shows no voice/);
  expect(found.c).toMatchObject({ takes: id });
});

test("each voice to create has the quota of its account, and the preview does not stop at it", async () => {
  stack.settings = { voiceQuota: "1" };
  const found = await plan([voice("a"), voice("b", { content: 2 })]);
  expect([found.a?.quota, found.b?.quota]).toEqual([
    { account: expect.stringMatching(/^[0-9a-f]{8}$/) as string, now: 0, limit: 1 },
    found.a?.quota,
  ]);
  expect((await stack.preview([voice("a"), voice("b", { content: 2 })])).error).toMatch(/VoiceQuotaExceeded/);
});

test("a voice that the list lacks is gone", async () => {
  await stack.ok(stack.up([voice("a"), voice("b", { content: 2 })]));
  const [id] = stack.held();
  emulator.vanish("default", id!);
  // A young voice may be missing because the list is late. The quota does not count it, so a replacement needs its place.
  const young = await plan([voice("a"), voice("b", { content: 2 })]);
  expect([young.a?.gone, young.b?.gone]).toEqual([undefined, undefined]);
  const replaced = await plan([voice("a", { content: 3 }), voice("b", { content: 4 })]);
  expect([replaced.a?.gone ?? replaced.b?.gone]).toEqual([[id]]);
  await stack.clock.sleep(120_000);
  const found = await plan([voice("a"), voice("b", { content: 2 })]);
  expect([found.a?.gone ?? found.b?.gone]).toEqual([[id]]);
});

test("a replacement in another account is a question about the account", async () => {
  await stack.ok(stack.up([voice("a")]));
  emulator.vanish("default", stack.held()[0]!);
  await stack.clock.sleep(120_000);
  stack.state.entries.forEach((entry) => (entry.outputs.account = "https://other.example 0a1b2c"));
  expect(kindsOf((await plan([voice("a", { content: 2 })])).a)).toEqual(["account"]);
});

test("gates are asked in the update, kept open or kept closed", async () => {
  const gate = (more: Partial<Voice> = {}): Voice => ({ name: "gate", kind: "decision", content: 1, ...more });
  expect((await plan([gate({ isClosed: true })])).gate?.gate).toEqual({
    expects: expect.stringMatching(/at least 1000/) as string,
    opens: "at the update",
  });
  await stack.up([gate({ isClosed: true })]);
  expect((await plan([gate({ isClosed: true })])).gate?.gate).toMatchObject({
    kept: expect.stringMatching(/\d/) as string,
    opens: "no",
  });
  expect((await plan([gate({ isClosed: true, content: 2 })])).gate?.gate).toMatchObject({ opens: "at the update" });
});

test("a submission that was not understood is the question pay-again", async () => {
  const image: Voice = { name: "cover", kind: "image", content: 1 };
  odd.submit = (answer) => answer.replace(/"task_id":"[^"]*"/, '"task_id":[1]');
  expect((await stack.up([image])).ok).toBe(false);
  expect(kindsOf((await plan([image])).cover)).toEqual(["pay-again"]);
});

test("a saved picture that is missing is gone, and is neither downloaded nor saved", async () => {
  const image: Voice = { name: "cover", kind: "image", content: 1, saveTo: "covers" };
  await stack.ok(stack.up([image]));
  const [file = ""] = stack.pictures.names;
  stack.pictures.touch(file, undefined);
  stack.environment = { [planVariable]: "1" };
  const ended = await stack.ok(stack.refresh());
  expect([...planned(ended).plans.values()].flatMap(({ gone }) => gone ?? [])).toEqual([file.replace("covers/", "")]);
  expect(stack.pictures.names).toEqual([]);
  stack.environment = {};
  await stack.ok(stack.refresh());
  expect(stack.pictures.names).toEqual([file]);
});

test.each<[what: string, run: () => Promise<Ended>]>([
  ["a create", () => stack.up([voice("a"), voice("b", { content: 2 })])],
  ["an update", () => stack.up([voice("a", { inputs: { rights: { holder: "Jane", evidence: "file 7" } } })])],
  ["a delete", () => stack.destroy()],
])("%s is an error that says to unset the variable, and nothing is sent", async (_, run) => {
  await stack.ok(stack.up([voice("a")]));
  const before = [stack.held(), voicesIn(emulator)];
  stack.environment = { [planVariable]: "1" };
  const { ok, error } = await run();
  expect([ok, error]).toEqual([false, expect.stringMatching(/CLOUDVOICE_PLAN is set.*Unset CLOUDVOICE_PLAN/)]);
  expect([stack.held(), voicesIn(emulator)]).toEqual(before);
});

test("a refresh keeps the voices about which it would ask, and writes the question", async () => {
  await stack.ok(stack.up([voice("a")]));
  const held = stack.held();
  emulator.vanish("default", held[0]!);
  await stack.clock.sleep(120_000);
  stack.environment = { [planVariable]: "1" };
  const ended = await stack.ok(stack.refresh());
  expect([...planned(ended).plans.values()].flatMap(kindsOf)).toEqual(["missing"]);
  expect(stack.held()).toEqual(held);
});

test("without the variable no line is written", async () => {
  const { log } = await stack.ok(stack.preview([voice("a")]));
  expect(log).not.toContain("cloudvoice-plan");
});
