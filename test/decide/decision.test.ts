import { type Answers, answersFaults, question, type Questions, stateText, unmetExpectations } from "../../provider/src/decide/decision";

const questions = {
  team: question.choice("Who?", { billing: "b", support: "s" }),
  risky: question.noul("Risky?"),
  mood: question.score("Mood?", ["low", "middle", "high"]),
} satisfies Questions;

const answers: Answers<typeof questions> = {
  team: { type: "choice", choice: "billing", confidence: 0.64, probabilities: { billing: 0.82, support: 0.17 } },
  risky: { type: "noul", noul: 0.5 },
  mood: { type: "score", score: 1.25, confidence: 0.4, legend: { "0": "low", "1": "middle", "2": "high" }, probabilities: { "2": 0.4, "0": 0.2, "1": 0.41 } },
};

test("one text for one state, whatever the order of its keys", () => {
  expect(stateText({ b: [1, { d: 1, c: 2 }], a: "x" })).toBe('{"a":"x","b":[1,{"c":2,"d":1}]}');
  expect(stateText({ a: "x", b: [1, { c: 2, d: 1 }] })).toBe(stateText({ b: [1, { d: 1, c: 2 }], a: "x" }));
  expect(stateText(" as it is ")).toBe(" as it is ");
});

test("answers that fit are believed: sums of 0.99 and 1.01, any order of keys", () => {
  expect(answersFaults(answers, questions)).toEqual([]);
});

test.each<[string, object, RegExp]>([
  ["one is missing", { team: undefined }, /"team" is missing/],
  ["one was not asked", { other: {} }, /"other", which was not asked/],
  ["of another type", { risky: { type: "score" } }, /of the type "score", and not noul/],
  ["a noul over 1", { risky: { type: "noul", noul: 1.2 } }, /no noul between 0 and 1/],
  ["a noul as text", { risky: { type: "noul", noul: "0.5" } }, /no noul between/],
  ["a choice that was no option", { team: { ...answers.team, choice: "sales" } }, /chooses what was no option/],
  ["probabilities of other options", { team: { ...answers.team, probabilities: { billing: 1 } } }, /other keys than were asked/],
  ["a probability below 0", { team: { ...answers.team, probabilities: { billing: 1, support: -0.1 } } }, /not between 0 and 1/],
  ["a confidence that is none", { team: { ...answers.team, confidence: null } }, /no confidence/],
  ["a score beyond the levels", { mood: { ...answers.mood, score: 2.5 } }, /no score between 0 and 2/],
  ["a legend of other levels", { mood: { ...answers.mood, legend: { "0": "low" } } }, /legend of other levels/],
])("answers are refused: %s", (_, change, fault) => {
  expect(answersFaults({ ...answers, ...change }, questions).join("; ")).toMatch(fault);
});

test.each<[object | undefined, RegExp | undefined]>([
  [undefined, undefined],
  [{ team: { choice: "billing" }, risky: { min: 0.5, max: 0.5 }, mood: { min: 1.25, minConfidence: 0.4 } }, undefined],
  [{ team: { choice: ["support", "billing"] } }, undefined],
  [{ team: { choice: "support" } }, /^team: expected support; came billing with confidence 0\.64 \(probabilities: billing 0\.82, support 0\.17\)$/],
  [{ team: { minConfidence: 0.7 } }, /^team: expected a confidence of at least 0\.7; came billing/],
  [{ risky: { max: 0.4 } }, /^risky: expected at most 0\.4; came 0\.5$/],
  [{ mood: { min: 1.5, minConfidence: 0.5 } }, /^mood: expected at least 1\.5 and a confidence of at least 0\.5; came 1\.25/],
])("expecting %j", (expect_, message) => {
  const unmet = unmetExpectations(answers, expect_).join("; ");
  if (message) expect(unmet).toMatch(message);
  else expect(unmet).toBe("");
});
