import { type Answers, question, type Questions, stateText } from "../../provider/src/rules/decision";
import { answerProblems, unmetExpectations } from "../../provider/src/rules/decision-answers";
import { checkDecisionInputs, decisionInputs } from "../../provider/src/rules/decision-inputs";
import { changedInputs, checkFailure } from "../../provider/src/rules/inputs";

const questions = {
  team: question.choice("Who?", { billing: "b", support: "s" }),
  risky: question.noul("Risky?"),
  mood: question.score("Mood?", ["low", "middle", "high"]),
} satisfies Questions;

const answers: Answers<typeof questions> = {
  team: { type: "choice", choice: "billing", confidence: 0.64, probabilities: { billing: 0.82, support: 0.17 } },
  risky: { type: "noul", noul: 0.5 },
  mood: {
    type: "score",
    score: 1.25,
    confidence: 0.4,
    legend: { "0": "low", "1": "middle", "2": "high" },
    probabilities: { "2": 0.4, "0": 0.2, "1": 0.41 },
  },
};

test("one text for one state, whatever the order of its keys", () => {
  expect(stateText({ b: [1, { d: 1, c: 2 }], a: "x" })).toBe('{"a":"x","b":[1,{"c":2,"d":1}]}');
  expect(stateText({ a: "x", b: [1, { c: 2, d: 1 }] })).toBe(stateText({ b: [1, { d: 1, c: 2 }], a: "x" }));
  expect(stateText(" as it is ")).toBe(" as it is ");
});

test("answers that fit are believed: sums of 0.99 and 1.01, any order of keys", () => {
  expect(answerProblems(answers, questions)).toEqual([]);
});

test.each<[string, object, RegExp]>([
  ["one is missing", { team: undefined }, /"team" is missing/],
  ["one was not asked", { other: {} }, /"other", which was not asked/],
  ["of another type", { risky: { type: "score" } }, /of the type "score", and not noul/],
  ["a noul over 1", { risky: { type: "noul", noul: 1.2 } }, /no noul between 0 and 1/],
  ["a noul as text", { risky: { type: "noul", noul: "0.5" } }, /no noul between/],
  [
    "a choice that was no option",
    { team: { ...answers.team, choice: "sales" } },
    /chooses an option that was not given/,
  ],
  [
    "probabilities of other options",
    { team: { ...answers.team, probabilities: { billing: 1 } } },
    /other keys than were given/,
  ],
  [
    "a probability below 0",
    { team: { ...answers.team, probabilities: { billing: 1, support: -0.1 } } },
    /not between 0 and 1/,
  ],
  ["a confidence that is none", { team: { ...answers.team, confidence: null } }, /no confidence/],
  ["a score beyond the levels", { mood: { ...answers.mood, score: 2.5 } }, /no score between 0 and 2/],
  ["a legend of other levels", { mood: { ...answers.mood, legend: { "0": "low" } } }, /legend of other levels/],
])("answers are refused: %s", (_, change, fault) => {
  expect(answerProblems({ ...answers, ...change }, questions).join("; ")).toMatch(fault);
});

test.each<[object | undefined, RegExp | undefined]>([
  [undefined, undefined],
  [{ team: { choice: "billing" }, risky: { min: 0.5, max: 0.5 }, mood: { min: 1.25, minConfidence: 0.4 } }, undefined],
  [{ team: { choice: ["support", "billing"] } }, undefined],
  [
    { team: { choice: "support" } },
    /^team: expected support; came billing with confidence 0\.64 \(probabilities: billing 0\.82, support 0\.17\)$/,
  ],
  [{ team: { minConfidence: 0.7 } }, /^team: expected a confidence of at least 0\.7; came billing/],
  [{ risky: { max: 0.4 } }, /^risky: expected at most 0\.4; came 0\.5$/],
  [
    { mood: { min: 1.5, minConfidence: 0.5 } },
    /^mood: expected at least 1\.5 and a confidence of at least 0\.5; came 1\.25/,
  ],
])("expecting %j", (expect_, message) => {
  const unmet = unmetExpectations(answers, expect_)
    .map(({ id, expected, received }) => `${id}: expected ${expected}; came ${received}`)
    .join("; ");
  if (message) expect(unmet).toMatch(message);
  else expect(unmet).toBe("");
});

test.each<[what: string, inputs: Record<string, unknown>, unknown: string[], faults: string[]]>([
  ["nothing wrong", { state: "a", questions, expect: { team: { choice: "billing", minConfidence: 0.5 } } }, [], []],
  ["an object as state", { state: { a: 1 }, questions }, [], []],
  ["nothing given", {}, [], ["state: is required", "questions: is required"]],
  ["nothing known", {}, ["state", "questions", "expect"], []],
  ["a blank state", { state: " ", questions }, [], ["state: is empty"]],
  // The engine shows the value of the property that a failure names, and a state may be secret.
  ["a state that is no text", { state: 1, questions }, [], [": state must be a text or an object"]],
  ["no question", { state: "a", questions: {} }, [], ["questions: must be an object with at least one question"]],
  [
    "one option",
    { state: "a", questions: { q: { type: "choice", instructions: "i", criteria: { a: "A" } } } },
    [],
    ['questions["q"].criteria: must give two options or more, each with what it means'],
  ],
  [
    "one level",
    { state: "a", questions: { q: { type: "score", instructions: "i", criteria: ["a"] } } },
    [],
    ['questions["q"].criteria: must list two levels or more, the lowest first'],
  ],
  [
    "a type of its own",
    { state: "a", questions: { q: { type: "essay", instructions: "" } } },
    [],
    ['questions["q"].type: must be choice, noul or score'],
  ],
  [
    "an expectation of nothing asked",
    { state: "a", questions, expect: { other: {} } },
    [],
    ['expect["other"]: there is no such question'],
  ],
  [
    "an option that is none",
    { state: "a", questions, expect: { team: { choice: "sales" } } },
    [],
    ['expect["team"].choice: sales is not an option; allowed: billing, support'],
  ],
  [
    "a bound of another type",
    { state: "a", questions, expect: { risky: { choice: "a" } } },
    [],
    ['expect["risky"].choice: is not for a noul question; allowed: min, max'],
  ],
  ["an expectation of questions not known yet", { state: "a", expect: { other: {} } }, ["questions"], []],
])("problems of the inputs: %s", (_, inputs, unknown, faults) => {
  const failures = checkDecisionInputs(inputs, new Set(unknown)).map(checkFailure);
  expect(failures.map(({ property, reason }) => `${property}: ${reason}`)).toEqual(faults);
});

test("what asks anew, and what judges the kept answers", () => {
  const olds = { state: { a: 1, b: 2 }, questions, expect: {} };
  const none: ReadonlySet<string> = new Set();
  expect(changedInputs(decisionInputs, "replaces", olds, { ...olds, state: { b: 2, a: 1 } }, none)).toEqual([]);
  expect(changedInputs(decisionInputs, "replaces", olds, { ...olds, state: "a", triggers: [1] }, none)).toEqual([
    "state",
    "triggers",
  ]);
  expect(changedInputs(decisionInputs, "updates", olds, { ...olds, expect: { risky: { min: 0.1 } } }, none)).toEqual([
    "expect",
  ]);
});
