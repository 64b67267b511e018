import { kept } from "../support/kept";
import { emulate } from "../support/emulate";
import { inFrontOf } from "../support/in-front";
import { journalIn } from "../support/journal";
import { newOperation, questionsIn } from "../support/operation";
import { inProgramFolder } from "../support/program-folder";
import { fakeClock } from "../support/service";

inProgramFolder();

const questions = { q: { type: "choice", instructions: "Which?", criteria: { canary_a: "A", canary_b: "B" } } };

test("faults of what is secret show neither values nor what is allowed", async () => {
  const { decision } = newOperation(await emulate());
  const news = { state: "s", questions, expect: { q: { choice: "canary_c" } } };
  // As the class marks what derives from a secret.
  const { failures } = await decision.check({}, { ...news, answers: "" }, new Set());
  expect(failures).toEqual([{ property: "", reason: expect.stringMatching(/^expect is invalid/) as string }]);
  expect(JSON.stringify(failures)).not.toContain("canary");

  const open = await decision.check({}, news, new Set());
  expect(open.failures[0]?.reason).toMatch(/canary_c is not an option; allowed: canary_a, canary_b/);
});

test("a closed gate with secret questions shows neither their names nor their options", async () => {
  const { decision } = newOperation(await emulate());
  const news = { state: "canary_q=canary_a", questions: { canary_q: questions.q }, expect: {} };
  const expect_ = { canary_q: { choice: "canary_b" } };
  const secretInputs = ["questions"];
  const { inputs } = await decision.check({}, { ...news, expect: expect_, answers: "", secretInputs }, new Set());
  expect(inputs).not.toHaveProperty("secretInputs");
  const { message } = await kept(decision.create(inputs));
  expect(message).toMatch(/the answers do not meet the expectations: 1 unmet, not shown/);
  expect(message).not.toContain("canary");
});

test("a gate whose answer is missing in the response is closed, and keeps the other answers", async () => {
  const emulator = await emulate({ quirks: ["missing-answer"] });
  const { decision, lines } = newOperation(emulator);
  const news = { state: "s", questions: { lost: { type: "noul" }, q: questions.q }, expect: { lost: { min: 0 } } };
  const { inputs } = await decision.check({}, news, new Set());
  const error = await kept(decision.create(inputs));
  expect(error.message).toMatch(/lost: expected an answer; the answer is missing in the service's response/);
  expect(Object.keys(error.outs.answers as object)).toEqual(["q"]);
  expect(lines.join("\n")).toMatch(/questions\["lost"\] has no instructions[^]*the answer to "lost" is missing/);
});

test.each<[string, string[], RegExp]>([
  [
    "shows why",
    [],
    /warning: the update will stop at the decision gate, .*q: expected canary_b; the answer is canary_a/,
  ],
  ["shows no secret expectation", ["expect"], /the update will stop at the decision gate, .*1 unmet, not shown/],
])("a preview warns that the kept answers close the gate, and %s", async (_, secretInputs, warning) => {
  const { decision, lines } = newOperation(await emulate());
  const identity = { urn: "urn:pulumi:dev::p::t::gate" };
  const given = { identity, state: "q=canary_a", questions, secretInputs };
  const { inputs: before } = await decision.check({}, given, new Set());
  const { outs } = await decision.create(before);

  const { inputs: after } = await decision.check(
    before,
    { ...given, expect: { q: { choice: "canary_b" } } },
    new Set(),
  );
  expect(await decision.diff("id", outs, after, new Set())).toEqual({ replaces: [], updates: true });
  expect(lines.join("\n")).toMatch(warning);
  if (secretInputs.length > 0) expect(lines.join("\n")).not.toContain("canary_b");

  // A refresh calls `diff` with inputs that no `check` has seen. It says nothing.
  const refresh = newOperation(await emulate());
  await refresh.decision.diff("id", outs, after, new Set());
  expect(refresh.lines).toEqual([]);
});

test("a gate stays closed in every run, and opens for an expectation that the kept answers meet", async () => {
  const emulator = await emulate();
  const given = { state: "q=canary_a", questions };
  const closed = { ...given, expect: { q: { choice: "canary_b" } } };
  const none = new Set<string>();
  let { id, outs } = await kept(newOperation(emulator).decision.create(closed));
  const { answers } = outs;
  for (let runs = 0; runs < 2; runs++) {
    const { decision } = newOperation(emulator);
    expect(await decision.read(id, outs)).toEqual(outs);
    expect(await decision.diff(id, outs, closed, none)).toEqual({ replaces: [], updates: true });
    ({ id, outs } = await kept(decision.update(id, outs, closed)));
  }
  const open = { ...given, expect: { q: { choice: "canary_a" } } };
  const updated = await newOperation(emulator).decision.update(id, outs, open);
  expect(updated.outs.answers).toEqual(answers);
  expect(await newOperation(emulator).decision.diff(id, updated.outs, open, none)).toMatchObject({ updates: false });
  expect(emulator.summary().calls.decide).toBe(1);
});

test("a closed gate that a hook `onError` has the engine create again uses the answers of the first", async () => {
  const emulator = await emulate();
  const { decision, lines } = newOperation(emulator);
  const { inputs } = await decision.check(
    {},
    { state: "s", questions, expect: { q: { choice: "canary_b" } } },
    new Set(),
  );
  const { id } = await kept(decision.create(inputs));
  const again = await kept(decision.create(inputs));
  expect([again.id, again.message]).toEqual([id, expect.stringContaining("the answers do not meet the expectations")]);
  expect(lines.join("\n")).toContain("reusing the answers of an interrupted attempt");
  expect(emulator.summary().calls.decide).toBe(1);
});

test("a decision that was deleted and is declared again is a new one", async () => {
  const emulator = await emulate();
  const given = { state: "q=canary_a", questions };
  const { id, outs } = await newOperation(emulator).decision.create(given);
  await newOperation(emulator).decision.delete(id, outs);
  await newOperation(emulator).decision.create(given);
  expect(emulator.summary().calls.decide).toBe(2);
});

test("decisions with equal inputs share nothing: each has answers of its own, also after a kill", async () => {
  const emulator = await emulate();
  const given = { state: "q=canary_a", questions };
  const inputsOf = async (operation: ReturnType<typeof newOperation>, name: string) =>
    (await operation.decision.check({}, { ...given, identity: { urn: `urn:pulumi:dev::p::t::${name}` } }, new Set()))
      .inputs;
  const killed = newOperation(emulator);
  const inputs = await Promise.all(["one", "two", "three"].map((name) => inputsOf(killed, name)));
  const answered = await Promise.all(inputs.slice(0, 2).map((each) => killed.decision.create(each)));

  // The state has none of them: the journal has the answers of two, and the third was never asked for.
  const next = newOperation(emulator);
  const ids: string[] = [];
  for (const name of ["one", "two", "three"]) ids.push((await next.decision.create(await inputsOf(next, name))).id);
  expect(ids.slice(0, 2)).toEqual(answered.map(({ id }) => id));
  expect(new Set(ids).size).toBe(3);
  expect(emulator.summary().calls.decide).toBe(3);
});

test("secret decisions whose request ids can't be shown have ids of their own, so no answer is forgotten for another", async () => {
  const emulator = await emulate();
  let asked = 0;
  const service = await inFrontOf(emulator, ({ answer }) => ({
    answer: answer.replace(/"request_id":"[^"]*"/, `"request_id":"${++asked}/Zq=="`),
  }));
  const notes = new Map<string, string>();
  const operation = () => newOperation(service, {}, { journal: journalIn(notes) });
  const news = (label: string) => ({ state: "s", questions, label });
  const ids = [];
  for (const label of ["a-0123456789abcdef", "b-0123456789abcdef"])
    ids.push((await operation().decision.create(news(label))).id);
  expect(new Set(ids).size).toBe(2);
  // The state has the first: only the second is still known from the journal.
  await operation().decision.delete(ids[0] ?? "", news("a-0123456789abcdef"));
  expect((await operation().decision.create(news("b-0123456789abcdef"))).id).toBe(ids[1]);
  expect(emulator.summary().calls.decide).toBe(2);
});

describe("a decision whose response was not understood", () => {
  const identity = { urn: "urn:pulumi:dev::p::t::gate" };
  const news = { state: "q=canary_a", questions, identity, secretInputs: [] };
  const none: ReadonlySet<string> = new Set();
  const setUp = async (change: (answer: string) => string, more: object = {}) => {
    const emulator = await emulate();
    const front = await inFrontOf(emulator, ({ answer }) => ({ answer: change(answer) }));
    const notes = new Map<string, string>();
    const settings = { maxRetries: "5", decisionPricePerMillionTokens: "1000" };
    const { decision } = newOperation(front, settings, { clock: fakeClock(), journal: journalIn(notes) });
    const { inputs } = await decision.check({}, { ...news, ...more }, none);
    const { id, outs, message } = await kept(decision.create(inputs));
    return { id, outs, message, front, notes, asked: emulator.summary().calls.decide };
  };

  test.each<[what: string, change: (answer: string) => string, received: RegExp]>([
    ["an answer of another type", (answer) => answer.replace('"type":"choice"', '"type":"score"'), /"type":"score"/],
    ["no answers", (answer) => answer.replace('"answers":', '"replies":'), /"replies":/],
    ["a response that is cut short", (answer) => answer.slice(0, 20), /^"\{/],
  ])("is kept with what came, unless the questions are secret: %s", async (_, change, received) => {
    const { id, outs, message, asked, notes } = await setUp(change);
    expect(id).toMatch(/^unread-[0-9a-f]{12}$/);
    expect(outs).toMatchObject({ answers: {}, model: "decision-model-preview" });
    expect(JSON.stringify(outs.received)).toMatch(received);
    expect(message).toMatch(/This call (was|may have been) billed.*gate: .*asked again, and paid for about \$0\.\d+\./);
    expect([questionsIn(message).size, asked]).toEqual([1, 1]);
    // The state has it, which never expires.
    expect(notes.size).toBe(0);

    const secret = await setUp(change, { secretInputs: ["questions"], answers: "", received: "" });
    expect(secret.outs.received ?? "").toBe("");
    expect(secret.message).not.toMatch(/canary/);
  });

  test("is replaced without a question if the program asks something else", async () => {
    const { front, id, outs } = await setUp((answer) => answer.slice(0, 20));
    const { decision, lines } = newOperation(front);
    // Checked in another operation: each remembers what it has checked.
    const checked = await newOperation(front).decision.check(outs, news, none);
    const inputs = { ...checked.inputs, state: "another" };
    expect(await decision.diff(id, outs, inputs, none)).toEqual({ replaces: ["state"], updates: false });
    expect(questionsIn(lines.join()).size).toBe(0);
  });
});
