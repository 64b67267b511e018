import type { Emulator } from "../../provider/emulator";
import type { JournalStore } from "../../provider/src/service/journal/note";
import { emulate, voicesIn } from "../support/emulate";
import { recordings } from "../support/files";
import { inFrontOf } from "../support/in-front";
import { journalIn } from "../support/journal";
import { kept } from "../support/kept";
import { newOperation, questionsIn } from "../support/operation";
import { fakeClock } from "../support/service";
import { SimulatedStack, type Voice } from "../support/simulated-stack";

/**
 * Each kind of question, asked and answered. Before a person says yes, the service sees nothing that is billed, and no
 * state loses anything. Afterwards exactly what the question has named is paid for.
 */

type Call = "list" | "create" | "submit" | "decide";
let emulator: Emulator;
let clock: ReturnType<typeof fakeClock>;
let stack: SimulatedStack;
/** How the service's answers to these calls are changed on their way. */
let odd: Partial<Record<Call, (answer: string) => string>>;
beforeEach(async () => {
  clock = fakeClock();
  odd = {};
  emulator = await emulate({ now: () => clock.now() });
  const callOf = (url = "", body: string): Call | undefined => {
    if (body.includes('"action":"list"')) return "list";
    if (body.includes('"action":"create"')) return "create";
    if (url.includes("systemone")) return "decide";
    return body.includes('"prompt"') ? "submit" : undefined;
  };
  const front = await inFrontOf(emulator, ({ request, body, answer }) => {
    const call = callOf(request.url, body);
    const change = call && odd[call];
    return change && { answer: change(answer) };
  });
  stack = new SimulatedStack(front, { imagePrice: "0.04", decisionPricePerMillionTokens: "1000" }, clock);
});

const days = (count: number) => count * 24 * 3600 * 1000;
const billed = () => emulator.summary().voicesBilled;
const calls = (call: "submit" | "decide" | "create") => emulator.summary().calls[call] ?? 0;
const listed = () => voicesIn(emulator);
const voicesNamed = (...names: string[]): Voice[] => names.map((name, content) => ({ name, content }));
const onlyId = (text: string) => {
  const [id = "", ...others] = questionsIn(text);
  expect(others).toEqual([]);
  return id;
};
/** A refusal in an envelope whose other fields are left at their defaults. */
const rateLimited = (answer: string) =>
  answer.replace(/^\{/, '{"base_resp":{"status_code":1002,"status_msg":"rate limit"},');

describe("missing: voices that the list lacks, although it may not be whole", () => {
  test("all of three are missing: one id answers for all of them, and the next update pays what was said", async () => {
    const program = voicesNamed("a", "b", "c");
    await stack.ok(stack.up(program));
    await clock.sleep(days(1));
    const held = stack.held();
    for (const voice of held) emulator.vanish("default", voice);
    for (const run of [() => stack.refresh(), () => stack.up(program, { refresh: true })]) {
      const { ok, error } = await run();
      expect([ok, onlyId(error)]).toEqual([false, expect.stringMatching(/^missing-[0-9a-f]{16}$/)]);
      expect(error).toMatch(/the list has no voice at all, which may be a fault.*creates each again for \$0\.01/);
      expect([stack.held(), billed()]).toEqual([held, 3]);
    }
    stack.accepted = questionsIn((await stack.refresh()).error);
    await stack.ok(stack.up(program, { refresh: true }));
    expect([stack.held(), billed()]).toEqual([listed(), 6]);
  });

  test("one of two is missing in a list that may be a refusal: the state keeps it until a person says yes", async () => {
    const program = voicesNamed("a", "b");
    await stack.ok(stack.up(program));
    await clock.sleep(days(1));
    const held = stack.held();
    emulator.vanish("default", String(stack.outputs("a").voice));
    odd.list = rateLimited;
    const { ok, error } = await stack.up(program, { refresh: true });
    expect([ok, error]).toEqual([false, expect.stringMatching(/is no proof of a deletion: .*status_code/)]);
    expect([stack.held(), billed()]).toEqual([held, 2]);

    stack.accepted = new Set([onlyId(error)]);
    await stack.ok(stack.up(program, { refresh: true }));
    expect([stack.held(), billed()]).toEqual([listed(), 3]);
  });

  // test/service/one-field.test.ts has more forms.
  const empty = { request_id: "r", count: 0, voice_list: [] };
  test.each<[what: string, answer: object, isRefusal: boolean]>([
    ["a refusal under 200", { ...empty, base_resp: { status_code: 1002, status_msg: "rate limit" } }, true],
    ["a status that is not known", { ...empty, status: "a" }, false],
  ])(
    "an account that looks empty with %s: nothing is concluded, also for a single voice",
    async (_, answer, isRefusal) => {
      const program = voicesNamed("a");
      await stack.ok(stack.up(program));
      const held = stack.held();
      odd.list = () => JSON.stringify(answer);
      const { ok, error } = await stack.up(program, { refresh: true });
      expect(ok).toBe(false);
      // A call that failed is no list that a person could believe.
      if (isRefusal) expect(questionsIn(error).size).toBe(0);
      else expect(onlyId(error)).toMatch(/^missing-/);
      expect([stack.held(), billed()]).toEqual([held, 1]);
      // The service is itself again: nobody has to say anything.
      odd = {};
      await stack.ok(stack.up(program, { refresh: true }));
      expect([stack.held(), listed(), billed()]).toEqual([held, held, 1]);
    },
  );
});

describe("take: a voice under a resource's own name, for which no note speaks", () => {
  let lost: SimulatedStack;
  const program = voicesNamed("a", "b");
  beforeEach(async () => {
    await stack.ok(stack.up(program));
    await clock.sleep(days(3));
    // The state is lost, and the journal. What is left is the account.
    stack.notes.clear();
    stack.state = { entries: [], pendingCreates: [] };
    lost = stack;
  });

  test("an update asks it, and nothing is billed or saved", async () => {
    const before = listed();
    const { ok, error } = await lost.up(program);
    expect([ok, onlyId(error)]).toEqual([false, expect.stringMatching(/^take-/)]);
    expect(error).toMatch(/, created on [-0-9]+, .*If you say yes, .* at no cost/);
    expect([lost.held(), listed(), billed(), calls("create")]).toEqual([[], before, 2, 2]);
  });

  test("yes takes both voices, with one id and at no cost", async () => {
    const before = listed();
    lost.accepted = questionsIn((await lost.up(program)).error);
    expect(lost.accepted.size).toBe(1);
    await lost.ok(lost.up(program));
    expect([lost.held(), listed(), billed()]).toEqual([before, before, 2]);
    // They are the stack's own from now on.
    lost.accepted = new Set();
    await lost.ok(lost.up(program, { refresh: true }));
    expect([lost.held(), billed()]).toEqual([before, 2]);
  });
});

test("take: of two jobs with one project and stack and a state each, neither takes or deletes what the other one made", async () => {
  const program = voicesNamed("v");
  const two = new SimulatedStack(emulator, {}, clock);
  await stack.ok(stack.up(program));
  const made = listed();
  const { ok, error } = await two.up(program);
  expect([ok, onlyId(error), billed()]).toEqual([false, expect.stringMatching(/^take-/), 1]);
  await two.ok(two.destroy());
  expect(listed()).toEqual(made);
  await stack.ok(stack.destroy());
  expect(listed()).toEqual([]);
});

describe("pay-again: a voice whose create was answered with success, and whose name did not come", () => {
  const program = voicesNamed("v");
  /** Nor does the list show it. */
  const withUnknownStatus = (answer: string) => answer.replace(/^\{/, '{"status":"a",');
  const hide = (answer: string) =>
    JSON.stringify({ ...(JSON.parse(answer) as object), output: { voice_list: [], total_count: 0 } });

  test("the next runs look for it and ask, and nothing is sent before yes, and one create after it", async () => {
    odd = { create: () => '{"done":true}', list: hide };
    const first = await stack.up(program);
    expect([first.ok, first.error]).toEqual([false, expect.stringMatching(/may have been billed/)]);
    expect([stack.held(), calls("create")]).toEqual([[], 1]);

    delete odd.create;
    const second = await stack.up(program);
    expect(second.ok).toBe(false);
    expect(second.error).toMatch(/may have been billed.*answered with success.*created again, and paid for: \$0\.01/);
    expect(onlyId(second.error)).toMatch(/^pay-again-/);
    expect([stack.held(), calls("create")]).toEqual([[], 1]);

    stack.accepted = questionsIn(second.error);
    const { log } = await stack.ok(stack.up(program));
    expect(log).toMatch(/is created again \(pay-again: accepted\)/);
    expect(calls("create")).toBe(2);
    // The answer was for that create. What it made is in the state.
    await stack.ok(stack.up(program));
    expect([calls("create"), stack.held().length]).toEqual([2, 1]);
  });

  test("the list shows it by then: it is taken, at no cost and without a question", async () => {
    odd = { create: () => '{"done":true}', list: hide };
    await stack.up(program);
    odd = {};
    const { log } = await stack.ok(stack.up(program));
    expect(questionsIn(log).size).toBe(0);
    expect([stack.held(), billed()]).toEqual([listed(), 1]);
  });

  test("a create whose response was lost, beside a list that proves nothing, is not sent again in its run or the next", async () => {
    odd.list = (answer) => withUnknownStatus(hide(answer));
    emulator.setFaults([{ kind: "500-after", on: ["create"], times: 1 }]);
    stack.settings = { ...stack.settings, maxRetries: "5" };
    const first = await stack.up(program);
    expect([first.ok, calls("create")]).toEqual([false, 1]);
    expect(first.error).toMatch(/may have been billed.*status.*CLOUDVOICE_ACCEPT=pay-again-/);
    const { ok, error } = await stack.up(program);
    expect([ok, error, calls("create")]).toEqual([false, expect.stringMatching(/may have been billed.*status/), 1]);
    stack.accepted = new Set([onlyId(error)]);
    await stack.ok(stack.up(program));
    expect(calls("create")).toBe(2);
  });
});

describe.each<[kind: "image" | "decision", call: "submit" | "decide", odd: (answer: string) => string]>([
  ["image", "submit", (answer) => answer.replace(/"task_id":"[^"]*"/, '"task_id":[1]')],
  ["decision", "decide", (answer) => answer.replace('"answers"', '"replies"')],
])("pay-again: the response to a request of the kind %s was not understood", (kind, call, unreadable) => {
  const program: Voice[] = [{ name: "it", kind }];

  test("the state has what came; each update asks with one id, and sends nothing before yes, and one request after it", async () => {
    odd[call] = unreadable;
    const first = await stack.up(program);
    expect([first.ok, calls(call)]).toEqual([false, 1]);
    const id = onlyId(first.error);
    expect([id, stack.held()]).toEqual([
      expect.stringMatching(/^pay-again-/),
      [expect.stringMatching(/^unread-[0-9a-f]{12}$/)],
    ]);
    odd = {};
    const preview = await stack.ok(stack.preview(program));
    const second = await stack.up(program);
    expect([onlyId(preview.log), second.ok, onlyId(second.error)]).toEqual([id, false, id]);
    const refresh = await stack.ok(stack.refresh());
    expect(onlyId(refresh.log)).toBe(id);
    expect([calls(call), emulator.summary().calls.poll]).toEqual([1, undefined]);

    stack.accepted = new Set([id]);
    await stack.ok(stack.up(program));
    expect(calls(call)).toBe(2);
    expect(stack.held()).toEqual([expect.not.stringMatching(/^unread-/)]);
    expect(stack.state.entries).toHaveLength(1);
    // Yes is for one request.
    await stack.ok(stack.up(program));
    expect(calls(call)).toBe(2);
  });

  test("it stops only its own resource", async () => {
    odd[call] = unreadable;
    await stack.up(program);
    odd = {};
    const beside: Voice[] = [{ name: "new", content: 7 }, { name: "other", content: 8 }, ...program];
    const { ok, error } = await stack.up(beside);
    expect([ok, onlyId(error), calls(call), billed()]).toEqual([false, expect.stringMatching(/^pay-again-/), 1, 2]);
  });

  test("a run that was killed before the state had it has left a note: the next one asks too", async () => {
    const notes = new Map<string, string>();
    const front = await inFrontOf(emulator, ({ body, answer }) =>
      odd[call] && /"(prompt|questions)"/.test(body) ? { answer: odd[call](answer) } : undefined,
    );
    const news = {
      ...{ identity: { urn: "urn:pulumi:dev::program::t::it" } },
      ...(kind === "image"
        ? { model: "svc-image", prompt: "A whale" }
        : { state: "s", questions: { q: { type: "noul", instructions: "?" } } }),
    };
    const create = async (accepted: ReadonlySet<string>, journal: JournalStore = journalIn(notes)) => {
      const { [kind]: life } = newOperation(front, {}, { clock, journal, accepted });
      return life.create((await life.check({}, news, new Set())).inputs);
    };
    odd[call] = unreadable;
    // It is killed before it removes the note, and the engine with it.
    await kept(create(new Set(), { ...journalIn(notes), remove: () => Promise.resolve() }));
    odd = {};
    const { id, message } = await kept(create(new Set()));
    expect([id, onlyId(message), calls(call)]).toEqual([
      expect.stringMatching(/^unread-/),
      expect.stringMatching(/^pay-again-/),
      1,
    ]);
    // Now the state has it, and needs no note.
    expect(notes.size).toBe(0);
  });
});

test("yes is read from the environment, where a pipeline sets it", async () => {
  const identity = { urn: "urn:pulumi:dev::program::t::it" };
  const news = { targetModel: "svc3-tts-vc-2026-01-22", audio: recordings.wav, identity };
  const checked = async () => {
    const { voice } = newOperation(emulator, {}, { clock });
    const { inputs } = await voice.check({}, news, new Set());
    return { preferredName: String(inputs.preferredName), create: () => voice.create(inputs) };
  };
  const [found] = emulator.seedVoices("default", 1, await checked());
  const asked = await (await checked()).create().then(String, String);
  process.env.CLOUDVOICE_ACCEPT = `take-0000000000000000, ${onlyId(asked)}`;
  try {
    expect((await (await checked()).create()).id).toBe(found);
  } finally {
    delete process.env.CLOUDVOICE_ACCEPT;
  }
});
