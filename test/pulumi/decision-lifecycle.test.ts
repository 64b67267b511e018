import { emulate } from "../support/emulate";
import { newOperation } from "../support/operation";

const questions = { q: { type: "choice", instructions: "Which?", criteria: { canary_a: "A", canary_b: "B" } } };

test("faults of what is secret show neither values nor what is allowed", async () => {
  const { decision } = newOperation(await emulate());
  // As the class marks what derives from a secret.
  const secret = { answers: "" };
  const checked = await decision.check(
    {},
    { ...secret, state: "s", questions, expect: { q: { choice: "canary_c" } } },
    new Set(),
  );
  expect(checked.failures).toEqual([{ property: "", reason: expect.stringMatching(/^expect is invalid/) as string }]);
  const texts = await decision.check({}, { ...secret, state: "s", questions: "canary" }, new Set());
  expect(JSON.stringify([checked, texts].map(({ failures }) => failures))).not.toContain("canary");

  const open = await decision.check({}, { state: "s", questions, expect: { q: { choice: "canary_c" } } }, new Set());
  expect(open.failures[0]?.reason).toMatch(/canary_c is not an option; allowed: canary_a, canary_b/);
});
