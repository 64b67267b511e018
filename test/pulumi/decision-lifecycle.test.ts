import type { InitializationFailed } from "../../provider/src/pulumi/provider/lifecycle";
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

test("a closed gate with secret questions shows neither their names nor their options", async () => {
  const { decision } = newOperation(await emulate());
  const news = { state: "canary_q=canary_a", questions: { canary_q: questions.q }, expect: {} };
  const expect_ = { canary_q: { choice: "canary_b" } };
  const secretInputs = ["questions"];
  const { inputs } = await decision.check({}, { ...news, expect: expect_, answers: "", secretInputs }, new Set());
  expect(inputs).not.toHaveProperty("secretInputs");
  const { message } = (await decision.create(inputs).catch((thrown: unknown) => thrown)) as InitializationFailed;
  expect(message).toMatch(/the answers do not meet the expectations: 1 of them, which are not shown/);
  expect(message).not.toContain("canary");
});

test("a gate whose answer is missing in the response is closed, and keeps the other answers", async () => {
  const emulator = await emulate({ quirks: ["missing-answer"] });
  const { decision, lines } = newOperation(emulator);
  const news = { state: "s", questions: { lost: { type: "noul" }, q: questions.q }, expect: { lost: { min: 0 } } };
  const { inputs } = await decision.check({}, news, new Set());
  const error = (await decision.create(inputs).catch((thrown: unknown) => thrown)) as InitializationFailed;
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
  [
    "shows no secret expectation",
    ["expect"],
    /the update will stop at the decision gate, .*1 of them, which are not shown/,
  ],
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
