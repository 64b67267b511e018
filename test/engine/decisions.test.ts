import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { Stack } from "../support/stack";

/**
 * A decision is made once and kept. A closed gate stops the deployment until its inputs or its expectations change.
 * Here is what takes a real engine; `test/pulumi/decision-*.test.ts` has the rest.
 */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate();
  stack = await Stack.create(emulator);
});
const asked = () => emulator.summary().calls.decide ?? 0;

test("a closed gate stops its dependents until it opens, and its decision is requested once", async () => {
  const gate = (expected: string) =>
    stack.program(`
      const gate = new cv.Decision("gate", {
        state: "risky=yes team=billing",
        questions: {
          risky: cv.question.noul("Is this risky?"),
          team: cv.question.choice("Who handles it?", { billing: "Invoices", support: "The rest" }),
          mood: cv.question.score("How friendly is it?", ["rude", "plain", "friendly"]),
        },
        expect: ${expected},
      });
      new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" }, { dependsOn: gate });`);
  const first = await gate(`{ risky: { max: 0.2 }, team: { choice: "support" } }`).up();
  expect(first.code).not.toBe(0);
  expect(first.output).toMatch(
    /answers do not meet the expectations: risky: expected at most 0\.2; the answer is 0\.9\d; team: expected support; the answer is billing with confidence .* \(probabilities: billing 0\.\d+, support 0\.\d+\)/,
  );
  expect(first.output).toMatch(/The emulator answered, not the service\. .*`dev --answer/);
  expect(first.output).not.toMatch(/\n\s+at /);

  // A refresh does not open it.
  const closed = await stack.up("--refresh");
  expect(closed.output).toMatch(/answers do not meet the expectations/);
  expect([closed.code === 0, asked(), emulator.voices().length]).toEqual([false, 1, 0]);

  const open = `{ risky: { min: 0.8 }, team: { choice: ["billing"], minConfidence: 0.5 }, mood: { min: 0 } }`;
  await stack.ok(gate(open).up());
  const [decision] = await stack.resources();
  expect(decision?.outputs).toMatchObject({
    answers: {
      team: { type: "choice", choice: "billing" },
      risky: { type: "noul" },
      mood: { type: "score", legend: { "0": "rude" } },
    },
    model: "decision-model-preview",
    requestId: decision?.id,
    inputTokens: expect.any(Number) as unknown,
    latencyMs: 42.5,
  });
  await stack.ok(stack.up("--refresh", "--expect-no-changes"));
  expect([asked(), emulator.voices().length]).toEqual([1, 1]);
});

test("secret states, questions and expectations are shown nowhere, also when all changes are ignored", async () => {
  const program = (opts: string) =>
    stack.program(`
      new cv.Decision("ticket", {
        state: pulumi.secret({ text: "canary of a ticket", note: "mood=wild" }),
        questions: { mood: cv.question.choice("Which?", { wild: "Wild", calm: "Calm" }) },
        expect: { mood: { choice: "calm" } },
      }, ${opts});
      const questions = { risky: cv.question.choice("Risky?", { yes: "Yes", canary_no: "No" }) };
      const expect = { risky: { choice: pulumi.secret("canary_no") } };
      new cv.Decision("expecting", { state: "risky=yes", questions, expect }, ${opts});
      new cv.Decision("asking", {
        state: "canary_id=no",
        questions: pulumi.secret({ canary_id: cv.question.choice("canary?", { canary_yes: "a", no: "b" }) }),
        expect: pulumi.secret({ canary_id: { choice: "canary_yes" } }),
      }, ${opts});`);
  const up = ["--diff", "--continue-on-error"];
  const first = await program("{}").up(...up);
  const ignoring = await program(`{ ignoreChanges: ["*"] }`).up(...up);
  const preview = await program("{}").preview("--diff");
  expect([first, ignoring, preview].map(({ code }) => code === 0)).toEqual([false, false, true]);
  expect(first.output).toMatch(/mood: expected calm; the answer is secret/);
  const leak =
    /canary of a ticket|answer is wild|"?choice"? *: "(wild|canary_no)"|"?wild"? *: 0\.|expected canary|canary_yes/;
  const state = await stack.state();
  expect(state.match(/"initErrors"/g)).toHaveLength(3);
  for (const text of [state, first.output, ignoring.output, preview.output]) expect(text).not.toMatch(leak);
});
