import { type Answers, question, type Questions } from "../../provider/src/rules/decision";
import {
  checkAnswers,
  contractAnswers,
  missingAnswers,
  readGenerously,
  unmetExpectations,
} from "../../provider/src/rules/decision-answers";
import {
  checkDecisionInputs,
  decisionInputs,
  decisionWarnings,
  stateText,
} from "../../provider/src/rules/decision-fields";
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

const withTeam = (change: object) => ({ team: { ...answers.team, ...change } });
const withMood = (change: object) => ({ mood: { ...answers.mood, ...change } });
const withRisky = (noul: unknown) => ({ risky: { type: "noul", noul } });

test("one text for one state, whatever the order of its keys", () => {
  expect(stateText({ b: [1, { d: 1, c: 2 }], a: "x" })).toBe('{"a":"x","b":[1,{"c":2,"d":1}]}');
  expect(stateText({ a: "x", b: [1, { c: 2, d: 1 }] })).toBe(stateText({ b: [1, { d: 1, c: 2 }], a: "x" }));
  expect(stateText(" as it is ")).toBe(" as it is ");
});

test("accepts answers in the usual ranges without a warning: sums of 0.99 and 1.01, any order of keys", () => {
  expect(checkAnswers(answers, questions)).toEqual({ problems: [], warnings: [] });
});

test("accepts the options of a choice in another order", () => {
  const answer = { type: "choice", choice: "b", confidence: 0.8, probabilities: { b: 0.9, a: 0.1 } };
  const found = checkAnswers({ q: answer }, { q: question.choice("?", { a: "A", b: "B" }) });
  expect(found).toEqual({ problems: [], warnings: [] });
});

describe("an answer that is read generously", () => {
  test.each<[what: string, came: object, read: object]>([
    ["as it came", answers, answers],
    [
      "numbers as text",
      {
        ...withRisky(" 10.93E+02 "),
        ...withMood({ score: "1.25", confidence: "400e-3", probabilities: { "0": "0.2", "1": ".4", "2": 0.4 } }),
      },
      { ...withRisky(1093), ...withMood({ probabilities: { "0": 0.2, "1": ".4", "2": 0.4 } }) },
    ],
    [
      "white space around an option",
      withTeam({ choice: " billing\n", probabilities: { "billing ": "0.82", support: 0.17 } }),
      { team: answers.team },
    ],
    [
      "an option in another case, by its number, and percent are not guessed",
      { ...withTeam({ choice: "Billing", confidence: 0 }), ...withRisky("93%") },
      { ...withTeam({ choice: "Billing", confidence: 0 }), ...withRisky("93%") },
    ],
    ["what is no answer stays", { team: null, risky: [1], other: "0.5" }, { team: null, risky: [1], other: "0.5" }],
    [
      "what is neither a number nor an option stays",
      {
        team: { choice: 7, confidence: [1], probabilities: [1] },
        risky: { noul: null },
        mood: { score: "1e12345678901" },
      },
      {
        team: { choice: 7, confidence: [1], probabilities: [1] },
        risky: { noul: null },
        mood: { score: "1e12345678901" },
      },
    ],
  ])("%s", (_, came, read) => {
    expect(readGenerously(came as Record<string, unknown>, questions)).toEqual(read);
  });

  test("an option that two declared ones could be stays as it came", () => {
    const odd = { q: question.choice("?", { a: "A", "a ": "B" }) };
    const choice = (option: string) => ({ q: { type: "choice", choice: option } });
    expect(readGenerously(choice(" a"), odd)).toEqual(choice(" a"));
    expect(readGenerously(choice("a "), odd)).toEqual(choice("a "));
  });
});

test("of an answer only the fields of the contract are kept, and of what was not asked nothing", () => {
  const came = {
    team: { ...answers.team, echo: "key" },
    risky: { noul: 0.5, type: "noul", score: 1 },
    mood: "low",
    other: {},
  };
  expect(contractAnswers(came, questions)).toEqual({ team: answers.team, risky: { type: "noul", noul: 0.5 } });
  expect(contractAnswers({ risky: { type: "noul" } }, questions)).toStrictEqual({ risky: { type: "noul" } });
});

test.each<[string, object, RegExp]>([
  ["of another type", { risky: { type: "score" } }, /of the type "score", and not noul/],
  ["that is no object", { risky: 0.5 }, /"risky" is not an object/],
  ["with a noul as text", withRisky("98%"), /no number noul \(it is "98%"\)$/],
  ["without a noul", { risky: { type: "noul" } }, /has no number noul$/],
  ["with an infinite noul", withRisky(Infinity), /no number noul/],
  ["with a choice that was no option", withTeam({ choice: "sales" }), /option that was not given \(it is "sales"\)$/],
  ["with a choice from the prototype", withTeam({ choice: "toString" }), /option that was not given/],
  ["with probabilities as texts", withTeam({ probabilities: { billing: "1" } }), /that are numbers/],
  ["without a confidence", withTeam({ confidence: null }), /no number confidence/],
  ["with a score as text", withMood({ score: "1" }), /"mood" has no number score/],
  [
    "with a legend that is not all texts",
    withMood({ legend: { "0": "low", "1": 1, "2": "high" } }),
    /no legend of texts/,
  ],
])("rejects an answer %s, and warns of nothing beside", (_, change, problem) => {
  const { problems, warnings } = checkAnswers({ ...answers, ...change }, questions);
  expect(problems.join("; ")).toMatch(problem);
  expect(warnings).toEqual([]);
});

test.each<[string, object, RegExp]>([
  ["an answer that is null", { team: null }, /^the answer to "team" is missing$/],
  ["an answer that was not asked", { other: {} }, /"other", which was not asked/],
  ["a noul over 1", withRisky(1.2), /the noul 1.2, outside 0 to 1/],
  ["a confidence below 0", withTeam({ confidence: -0.01 }), /confidence -0.01, outside 0 to 1/],
  ["fewer probabilities", withTeam({ probabilities: { billing: 1 } }), /probabilities that do not match the options/],
  [
    "a probability below 0",
    withTeam({ probabilities: { billing: 1, support: -0.1 } }),
    /"support" the probability -0.1, outside 0 to 1/,
  ],
  ["a score over the highest level", withMood({ score: 2.01 }), /the score 2.01, outside 0 to 2/],
  ["a choice that is unlikely", withTeam({ choice: "support" }), /gives another option a higher probability/],
  [
    "probabilities that add up to more than rounding explains",
    withMood({ probabilities: { "0": 0.23, "1": 0.42, "2": 0.4 } }),
    /add up to 1.05/,
  ],
  [
    "probabilities that are no distribution",
    withTeam({ probabilities: { billing: 0.5, support: 0.1 } }),
    /add up to 0.60/,
  ],
  ["a score far from its probabilities", withMood({ score: 0 }), /its own probabilities contradict/],
  ["a legend of other levels", withMood({ legend: { "0": "low" } }), /legend that does not match the levels/],
])("keeps paid answers with a warning: %s", (_, change, warning) => {
  const { problems, warnings } = checkAnswers({ ...answers, ...change }, questions);
  expect(problems).toEqual([]);
  expect(warnings.join("; ")).toMatch(warning);
});

test("an option that a program writes as a number is met like the text, because the check accepts it", () => {
  const stars = { stars: question.choice("How many?", { 1: "One", 2: "Two" }) };
  const given = { stars: { type: "choice", choice: "1", confidence: 0.8, probabilities: { 1: 0.9, 2: 0.1 } } };
  const unmetBy = (choice: unknown) => {
    const expect_ = { stars: { choice } } as Parameters<typeof unmetExpectations>[2];
    expect(checkDecisionInputs({ state: "s", questions: stars, expect: expect_ }, new Set())).toEqual([]);
    return unmetExpectations(given, stars, expect_).map(({ expected }) => expected);
  };
  expect([unmetBy(1), unmetBy([2, 1]), unmetBy(2)]).toEqual([[], [], ["2"]]);
});

test.each<[string, object, boolean]>([
  ["a float that is a little over 1", withRisky(1 + 2 ** -52), true],
  ["a score that is the likeliest level", withMood({ score: 2 }), true],
  ["a score that is the mean", withMood({ score: 1.2 }), true],
  [
    "a score that is half a level from the mean",
    withMood({ score: 1.5, probabilities: { "0": 0.5, "1": 0, "2": 0.5 } }),
    true,
  ],
  [
    "a score that only the mean is near to",
    withMood({ score: 1, probabilities: { "0": 0.5, "1": 0, "2": 0.5 } }),
    true,
  ],
  [
    "a score that is a likely level, a hundredth less likely than another",
    withMood({ score: 0, probabilities: { "0": 0.49, "1": 0.01, "2": 0.5 } }),
    true,
  ],
  [
    "probabilities that add up to what rounding explains",
    withMood({ probabilities: { "0": 0.21, "1": 0.42, "2": 0.4 } }),
    true,
  ],
  ["a noul in percent", withRisky(98), false],
  ["an answer of another type", { risky: { type: "score", score: 1 } }, false],
])("whether %s can meet an expectation", (_, change, isMet) => {
  const all = { risky: { min: -9, max: 99 }, mood: { min: -9, max: 99 }, team: {} };
  const unmet = unmetExpectations({ ...answers, ...change }, questions, all);
  expect(unmet.map(({ id }) => id)).toEqual(isMet ? [] : Object.keys(change));
  // Where nothing is expected, the answer is the program's to judge.
  expect(unmetExpectations({ ...answers, ...change }, questions, undefined)).toEqual([]);
});

test("any text is a legal key of questions, options and answers", () => {
  const odd = JSON.parse(
    '{"__proto__":{"type":"choice","criteria":{"__proto__":"a","toString":"b"}},"toString":{"type":"noul"}}',
  ) as Questions;
  const choice = '{"type":"choice","choice":"__proto__","confidence":1,"probabilities":{"__proto__":1,"toString":0}}';
  const given = JSON.parse(`{"__proto__":${choice},"toString":{"type":"noul","noul":0.5}}`) as Record<string, unknown>;
  expect(checkAnswers(given, odd)).toEqual({ problems: [], warnings: [] });
  expect(checkAnswers({}, odd).warnings).toEqual([
    'the answer to "__proto__" is missing',
    'the answer to "toString" is missing',
  ]);
  expect(missingAnswers({}, odd)).toEqual(["__proto__", "toString"]);
  expect(checkDecisionInputs({ state: "a", questions: odd }, new Set())).toEqual([]);
  const expect_ = JSON.parse('{"toString":{"min":0.9},"__proto__":{"choice":"toString"}}') as object;
  expect(unmetExpectations(given, odd, expect_).map(({ id }) => id)).toEqual(["__proto__", "toString"]);
});

test("a program learns which questions a response left out", () => {
  expect(missingAnswers({ ...answers }, questions)).toEqual([]);
  expect(missingAnswers({ team: answers.team, risky: null, mood: undefined }, questions)).toEqual(["risky", "mood"]);
});

test("an expectation of an answer that is missing is not met", () => {
  const missing = { expected: "an answer", received: expect.stringContaining("missing") as string };
  expect(unmetExpectations({}, { team: questions.team }, { team: { choice: "billing" } })).toEqual([
    { id: "team", ...missing },
  ]);
  const { team, ...others } = answers;
  expect(unmetExpectations(others, questions, { risky: { min: 0 } })).toEqual([{ id: "team", ...missing }]);
  expect(unmetExpectations({ ...others, team: null }, questions, undefined)).toEqual([{ id: "team", ...missing }]);
  expect(unmetExpectations({ team }, {}, { team: { choice: "billing" } })).toMatchObject([{ id: "team" }]);
  expect(unmetExpectations({}, {}, { team: undefined })).toEqual([]);
});

test.each<[string, object, RegExp[]]>([
  ["no instructions", { questions: { q: { type: "noul" } } }, [/^questions\["q"\] has no instructions/]],
  ["an empty state", { state: " ", questions: { q: question.noul("i") } }, [/^`state` is empty; the service may/]],
  [
    "criteria that have no use",
    { questions: { q: { type: "noul", instructions: "i", criteria: {} } } },
    [/^questions\["q"\] has criteria, which are not used for a yes-or-no question/],
  ],
  ["one option", { questions: { q: question.choice("i", { a: "A" }) } }, [/one option only/]],
  ["one level", { questions: { q: question.score("i", ["a"]) } }, [/one level only/]],
  [
    "a bound below the usual range",
    { questions: { q: question.noul("i") }, expect: { q: { max: -0.1 } } },
    [/^expect\["q"\] has a bound outside a noul's range of 0 to 1: all answers meet it, or none/],
  ],
  [
    "a bound over the highest level",
    { questions: { q: question.score("i", ["a", "b"]) }, expect: { q: { min: 1.5 } } },
    [/^expect\["q"\] has a bound outside a score's range of 0 to 1/],
  ],
  ["usual questions", { questions, expect: { risky: { min: 0.5 }, mood: { min: 2 } } }, []],
])("warns of %s, and does not reject it", (_, inputs, warnings) => {
  expect(checkDecisionInputs({ state: "a", ...inputs }, new Set())).toEqual([]);
  const given = decisionWarnings(inputs);
  expect(given).toHaveLength(warnings.length);
  warnings.forEach((warning, index) => expect(given[index]).toMatch(warning));
});

test.each<[object | undefined, RegExp | undefined]>([
  [undefined, undefined],
  [{ team: { choice: "billing" }, risky: { min: 0.5, max: 0.5 }, mood: { min: 1.25, minConfidence: 0.4 } }, undefined],
  [{ team: { choice: ["support", "billing"] } }, undefined],
  // A program that sets an expectation under a condition.
  [{ team: undefined }, undefined],
  // The check of the inputs rejects an expectation of another type of question.
  [{ team: { min: 2, max: 0 }, risky: { choice: "billing", minConfidence: 1 } }, undefined],
  [
    { team: { choice: "support" } },
    /^team: expected support; came billing with confidence 0\.64 \(probabilities: billing 0\.82, support 0\.17\)$/,
  ],
  [
    { team: { minConfidence: 0.7 } },
    /^team: expected a confidence of at least 0\.7; came billing with confidence 0\.64 \([^()]*\)$/,
  ],
  [
    { team: { choice: ["support", "sales"], minConfidence: 0.7 } },
    /^team: expected support or sales and a confidence of at least 0\.7; came billing with confidence 0\.64 \([^()]*\)$/,
  ],
  [{ risky: { max: 0.4 } }, /^risky: expected at most 0\.4; came 0\.5$/],
  [
    { mood: { min: 1.5, minConfidence: 0.5 } },
    /^mood: expected at least 1\.5 and a confidence of at least 0\.5; came 1\.25 with confidence 0\.4 \([^()]*\)$/,
  ],
])("expecting %j", (expect_, message) => {
  const unmet = unmetExpectations(answers, questions, expect_)
    .map(({ id, expected, received }) => `${id}: expected ${expected}; came ${received}`)
    .join("; ");
  if (message) expect(unmet).toMatch(message);
  else expect(unmet).toBe("");
});

function faultsOf(inputs: object, unknown: string[] = []): string[] {
  const problems = checkDecisionInputs({ state: "a", questions, ...inputs }, new Set(unknown));
  return problems.map((problem) => checkFailure(problem)).map(({ property, reason }) => `${property}: ${reason}`);
}

test("all that is wanting or not known yet is found, or waited for", () => {
  const none = { state: undefined, questions: undefined };
  expect(faultsOf(none)).toEqual(["state: is required", "questions: is required"]);
  expect(faultsOf({ questions: {} })).toEqual(["questions: must be an object with at least one question"]);
  expect(faultsOf(none, ["state", "questions", "expect"])).toEqual([]);
  expect(faultsOf({ questions: undefined, expect: { other: {} } }, ["questions"])).toEqual([]);
});

test.each([{ a: 1 }, ["a"], " "])("the state %j is accepted, since the service may accept it", (state) => {
  expect(faultsOf({ state })).toEqual([]);
});

test("a state that is no text is refused without being shown, because it may be secret", () => {
  expect(faultsOf({ state: 1 })).toEqual([": state must be a text or an object"]);
});

const noOption = ['questions["q"].criteria: must give one option or more, each with what it means'];
const noLevel = ['questions["q"].criteria: must list one level or more, the lowest first'];
test.each<[type: string, criteria: unknown, faults: string[]]>([
  ...[{}, "yes", ["yes"], { yes: 1, no: "n" }].map((each): [string, unknown, string[]] => ["choice", each, noOption]),
  ...[[], "low", { "0": "low" }, ["low", 1], [1]].map((each): [string, unknown, string[]] => ["score", each, noLevel]),
  // The service may accept criteria that have no use.
  ["noul", ["no", "yes"], []],
])("a question of the type %s with the criteria %j", (type, criteria, faults) => {
  expect(faultsOf({ questions: { q: { type, instructions: "i", criteria } } })).toEqual(faults);
});

test.each<[what: string, expect: object, faults: string[]]>([
  [
    "to its bounds",
    {
      team: { choice: "billing", minConfidence: 0 },
      risky: { min: 0.5, max: 0.5 },
      mood: { max: 1, minConfidence: 1 },
    },
    [],
  ],
  ["of a list of options", { team: { choice: ["billing"] } }, []],
  ["of nothing asked", { other: {} }, ['["other"]: there is no such question']],
  [
    "with misspelt names",
    { taem: {}, mood: { minConfidense: 0.5 } },
    [
      '["taem"]: there is no such question; did you mean `team`?',
      '["mood"].minConfidense: is not for a score question; did you mean `minConfidence`?',
    ],
  ],
  [
    "that is for another type of question",
    { risky: { choice: "a" } },
    ['["risky"].choice: is not for a noul question; the allowed names are min, max'],
  ],
  [
    "of an empty list of options",
    { team: { choice: [] } },
    ['["team"].choice: is empty, so no answer can meet it; allowed: billing, support'],
  ],
  [
    "of an option that is none",
    { team: { choice: ["billing", "sales"] } },
    ['["team"].choice: sales is not an option; allowed: billing, support'],
  ],
  [
    "with bounds that are texts",
    { risky: { min: "b", max: "a" }, mood: { min: "9", max: 1 } },
    ['["risky"].min: must be a number', '["risky"].max: must be a number', '["mood"].min: must be a number'],
  ],
  ["with an upper bound that is a text", { risky: { min: 9, max: "1" } }, ['["risky"].max: must be a number']],
  ["with a bound that is no number", { risky: { max: NaN } }, ['["risky"].max: must be a number']],
  [
    "of a confidence out of its range",
    { team: { minConfidence: -0.1 }, mood: { minConfidence: 1.1 } },
    [
      '["team"].minConfidence: is -0.1; a confidence is between 0 and 1',
      '["mood"].minConfidence: is 1.1; a confidence is between 0 and 1',
    ],
  ],
  [
    "that no answer can meet",
    { risky: { min: 0.6, max: 0.4 } },
    ['["risky"]: no answer can meet it: min is 0.6, and max is 0.4'],
  ],
])("an expectation %s", (_, expected, faults) => {
  expect(faultsOf({ expect: expected })).toEqual(faults.map((fault) => `expect${fault}`));
  const ifSecret = checkDecisionInputs({ state: "a", questions, expect: expected }, new Set(), true);
  const reason = "expect is invalid; the reason is not shown, because an input is secret";
  expect(ifSecret.map((problem) => checkFailure(problem))).toEqual(faults.map(() => ({ property: "", reason })));
});

test("of a question that is wrong, the expectation is not judged", () => {
  const essay = { q: { type: "essay", instructions: "" } };
  expect(faultsOf({ questions: essay, expect: { q: { min: 1 } } })).toEqual([
    'questions["q"].type: must be choice, noul or score',
  ]);
  const open = { q: { type: "choice", instructions: "i" } };
  expect(faultsOf({ questions: open, expect: { q: { choice: "a" } } })).toEqual(noOption);
});

test("of secret inputs a problem says only which one is invalid, and a name that is no input is still corrected", () => {
  const inputs = { state: "a", questions: { canary: { type: "noul", instructions: 1 } }, expct: {} };
  const failures = checkDecisionInputs(inputs, new Set(), true).map((problem) => checkFailure(problem));
  expect(failures).toEqual([
    { property: "", reason: "`expct` is not an input of Decision; did you mean `expect`?" },
    { property: "", reason: "questions is invalid; the reason is not shown, because an input is secret" },
  ]);
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
