import type { Emulator } from "../../provider/src/emulator";
import { emulate } from "../support/emulate";
import { counted, Stack } from "../support/stack";

/** A decision is made once and kept. A closed gate stops the deployment until its inputs or its expectations change. */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate();
  stack = await Stack.create(emulator);
});
const asked = () => emulator.summary().calls.decide ?? 0;
const outputs = async () => (await stack.resources())[0]?.outputs;
const team = `{ team: cv.question.choice("Who?", { billing: "b", support: "s" }) }`;

const gate = (state: string, expected: string, more = "") =>
  stack.program(`
    const gate = new cv.Decision("gate", {
      state: ${JSON.stringify(state)},
      questions: {
        risky: cv.question.noul("Is this risky?"),
        team: cv.question.choice("Who handles it?", { billing: "Invoices", support: "The rest" }),
        mood: cv.question.score("How friendly is it?", ["rude", "plain", "friendly"]),
      },
      expect: ${expected},
    });
    ${more}
  `);
const voice = `new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" }, { dependsOn: gate });`;

test("a decision is requested once and kept: later previews and updates do not request it again", async () => {
  await stack.ok(
    gate(
      "risky=no team=billing",
      `{ risky: { max: 0.2 }, team: { choice: ["billing"], minConfidence: 0.5 }, mood: { min: 0 } }`,
      voice,
    ).up(),
  );
  expect(await outputs()).toMatchObject({
    answers: {
      team: { type: "choice", choice: "billing" },
      risky: { type: "noul" },
      mood: { type: "score", legend: { "0": "rude" } },
    },
    model: "decision-model-preview",
    requestId: expect.any(String) as unknown,
    inputTokens: expect.any(Number) as unknown,
    latencyMs: 42.5,
  });
  expect((await stack.resources())[0]?.id).toBe((await outputs())?.requestId);
  await stack.ok(stack.preview("--expect-no-changes"));
  await stack.ok(stack.up("--refresh", "--expect-no-changes"));
  await stack.ok(stack.destroy());
  expect(asked()).toBe(1);
});

test("a closed gate stops its dependents, reports why, and does not request another decision", async () => {
  const expected = `{ risky: { max: 0.2 }, team: { choice: "support" } }`;
  const first = await gate("risky=yes team=billing", expected, voice).up();
  expect(first.code).not.toBe(0);
  expect(first.output).toMatch(
    /answers do not meet the expectations: risky: expected at most 0\.2; the answer is 0\.9\d; team: expected support; the answer is billing with confidence .* \(probabilities: billing 0\.\d+, support 0\.\d+\)/,
  );
  expect(first.output).not.toMatch(/\n\s+at /);
  expect(emulator.voices()).toEqual([]);

  expect((await stack.up()).code).not.toBe(0);
  await stack.ok(stack.refresh());
  expect(counted(await stack.preview(), "update")).toBe(1);
  expect((await stack.up()).code).not.toBe(0);
  expect(asked()).toBe(1);
  expect(emulator.voices()).toEqual([]);

  await stack.ok(gate("risky=yes team=billing", `{ risky: { min: 0.8 } }`, voice).up());
  expect(asked()).toBe(1);
  expect(emulator.voices()).toHaveLength(1);
  await stack.ok(stack.preview("--expect-no-changes"));
});

test("a changed expectation is checked against the kept answers; a changed state requests a new decision", async () => {
  await stack.ok(gate("risky=no", `{ risky: { max: 0.5 } }`).up());
  const stricter = await gate("risky=no", `{ risky: { min: 0.5 } }`).up();
  expect(stricter.code).not.toBe(0);
  expect(asked()).toBe(1);

  const preview = await stack.ok(gate("risky=yes", `{ risky: { min: 0.5 } }`).preview());
  expect(counted(preview, "replace")).toBe(1);
  expect(asked()).toBe(1);
  await stack.ok(stack.up());
  expect(asked()).toBe(2);
});

test("answers to a secret state are secret in the stack state and in the error of a closed gate", async () => {
  stack.program(`
    new cv.Decision("gate", {
      state: pulumi.secret({ ticket: "canary", note: "risky=yes" }),
      questions: { risky: cv.question.choice("Risky?", { yes: "canary of a legend", no: "No" }) },
      expect: { risky: { choice: "no" } },
    });`);
  const run = await stack.up("--diff");
  expect(run.output).toMatch(/risky: expected no; the answer is secret/);
  const everything = run.output + (await stack.preview("--json")).output + (await stack.state());
  expect(everything).not.toMatch(/"ticket":|probabilities/);
  expect(await stack.state()).not.toContain("canary\\");
});

test("a secret expectation is shown nowhere, also when all changes are ignored", async () => {
  const program = (opts: string) =>
    stack.program(`
      const questions = { risky: cv.question.choice("Risky?", { yes: "Yes", canary_no: "No" }) };
      const expect = { risky: { choice: pulumi.secret("canary_no") } };
      new cv.Decision("gate", { state: "risky=yes", questions, expect }, ${opts});`);
  const runs = [
    await program("{}").up("--diff"),
    await stack.up("--diff"),
    await program(`{ ignoreChanges: ["*"] }`).up("--diff"),
    await program("{}").preview("--diff"),
  ];
  expect(runs.map(({ code }) => code === 0)).toEqual([false, false, false, true]);
  for (const { output } of runs) expect(output).not.toMatch(/expected|choice: +"canary/);
});

test("preview rejects every bad question at its property, without a call to the service", async () => {
  stack.program(`
    new cv.Decision("gate", {
      state: "",
      questions: {
        a: cv.question.choice("", {}),
        b: { type: "maybe", instructions: "x" },
        c: cv.question.noul("fine"),
      },
      expect: { c: { minConfidence: 0.5 }, d: { min: 1 }, a: { choice: "other" } },
    });`);
  const output = (await stack.preview()).output.replace(/\s+/g, " ");
  for (const message of [
    /property state .*is empty/,
    /questions\["a"\]\.criteria .*one option or more/,
    /questions\["b"\]\.type/,
    /expect\["c"\]\.minConfidence .*not for a noul/,
    /expect\["d"\] .*no such question/,
    /expect\["a"\]\.choice .*other is not an option/,
  ]) {
    expect(output).toMatch(message);
  }
  expect(emulator.ledger()).toEqual([]);
});

test("decisionCheckOutput waits for its dependencies: a preview before they exist requests no decision", async () => {
  stack.program(`
    const v = new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });
    const questions = ${team};
    exports.answers = cv.decisionCheckOutput({ state: "team=support", questions }, { dependsOn: [v] }).answers;`);
  await stack.ok(stack.preview());
  expect(asked()).toBe(0);
  await stack.ok(stack.up("--skip-preview"));
  const actions = emulator.ledger().map(({ action }) => action);
  expect(actions.indexOf("decide")).toBeGreaterThan(actions.indexOf("create"));
});

describe("decisionCheck", () => {
  const check = `cv.decisionCheck({ state: { b: 1, a: "team=support" }, questions: ${team} })`;

  test("gives its answers to the program at every preview and every update", async () => {
    stack.program(`exports.team = ${check}.then((result) => result.answers.team.choice);`);
    await stack.ok(stack.preview());
    const run = await stack.ok(stack.up());
    expect(run.output).toMatch(/team: "support"/);
    expect(asked()).toBe(2);
  });

  test("is sent again once after a lost response, and the log says what may have been billed", async () => {
    emulator.setFaults([{ kind: "reset-after", times: 1 }]);
    stack.program(`exports.team = ${check}.then((result) => result.answers.team.choice);`);
    const run = await stack.ok(stack.up());
    expect(run.output).toMatch(/up to 2 calls may have been billed/);
    expect(asked()).toBe(2);
  });

  test("with inputs that preview does not know yet is requested by the update only", async () => {
    stack.program(`
      const voice = new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });
      const state = voice.voice.apply((name) => "team=billing of " + name);
      exports.team = cv.decisionCheckOutput({ state, questions: ${team} }).answers.team.choice;
    `);
    await stack.ok(stack.preview());
    expect(asked()).toBe(0);
    expect((await stack.ok(stack.up())).output).toMatch(/team: "billing"/);
  });

  test("rejects bad questions with a message before any call to the service", async () => {
    const run = await stack.program(`exports.team = cv.decisionCheck({ state: "", questions: {} });`).preview();
    expect(run.code).not.toBe(0);
    expect(run.output).toMatch(/decisionCheck: state is empty; questions must be an object with at least one question/);
    expect(asked()).toBe(0);
  });

  test("gives secret answers to a secret state", async () => {
    stack.program(`
      const state = pulumi.secret("team=billing");
      exports.team = cv.decisionCheckOutput({ state, questions: ${team} }).answers.team.choice;`);
    expect((await stack.ok(stack.up())).output).toMatch(/team: \[secret\]/);
  });
});
