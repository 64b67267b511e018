import { z } from "zod";
import {
  acceptedNames,
  checkFailure,
  checkInputs,
  declareInputs,
  inputsIn,
  inputsThat,
  problemsWith,
  quoted,
  recordOf,
  replaces,
  text,
  updates,
} from "../../provider/src/rules/inputs";

const schema = z.object({
  answers: updates(recordOf(z.object({ why: text }), "must be an object of answers"), "Answers by their ids."),
});

test.each<[answers: unknown, problems: string[]]>([
  [{ tone: { why: "warm" } }, []],
  [{ "the tone": { why: 1 }, pace: 2 }, ['answers["the tone"].why must be a text', 'answers["pace"] ']],
  [["warm"], ["answers must be an object of answers"]],
  ["warm", ["answers must be an object of answers"]],
])("an object whose keys the user chooses: %j", (answers, problems) => {
  const found = checkInputs(schema, { answers }, new Set()).map(({ path, reason }) => `${path} ${reason}`);
  expect(found).toEqual(problems.map((problem) => expect.stringContaining(problem) as string));
});

test("an input without a meaning is a mistake in this package", () => {
  expect(() => inputsIn(z.object({ tone: z.string() }))).toThrow(/The input tone is declared without a meaning/);
});

test("a value in a message is cut to 60 characters", () => {
  expect(quoted("a".repeat(58))).toBe(`"${"a".repeat(58)}"`);
  expect(quoted("a".repeat(59))).toBe(`"${"a".repeat(59)}…`);
});

describe("the inputs of a resource", () => {
  const poem = declareInputs("Poem", ["lines"], {
    metre: replaces(text, "The metre."),
    mood: updates(text.optional(), "The mood."),
  });

  test.each<[what: string, more: object, unknown: string[], refused: string[]]>([
    ["of the resource are accepted", { mood: "dark" }, [], []],
    ["that a check adds are accepted", { lines: 3 }, [], []],
    ["that are misspelled are refused", { moood: "dark" }, [], ["moood"]],
    ["that are misspelled are refused before their values are known", {}, ["moood"], ["moood"]],
    ["that are misspelled are ignored without a value", { moood: undefined, metr: null }, [], []],
    ["of the engine are ignored", { __defaults: [] }, [], []],
    ["that only end like those of the engine are refused", { mood__: "dark" }, [], ["mood__"]],
  ])("%s", (_, more, unknown, refused) => {
    const reason = "is not an input of Poem; did you mean `mood`?";
    // Hidden, because the value may be a secret, and of no input, because the engine prints the value of the one that a
    // failure names.
    expect(checkInputs(poem, { metre: "iamb", ...more }, new Set(unknown))).toEqual(
      refused.map((name) => ({ input: "", path: `\`${name}\``, reason, hidden: true })),
    );
  });

  test("have one effect each", () => {
    expect([inputsThat("replaces", poem), inputsThat("updates", poem)]).toEqual([["metre"], ["mood"]]);
  });

  test.each([
    ["with the names that checks add", poem, ["metre", "mood", "lines"]],
    ["for fields of no resource too", schema, ["answers"]],
  ])("have names that are accepted: %s", (_, inputs, names) => {
    expect([...acceptedNames(inputs)]).toEqual(names);
  });
});

test("a problem of an input names it, unless there is no reason or the value is hidden or secret", () => {
  expect(problemsWith("mood", undefined)).toEqual([]);
  const [problem] = problemsWith("mood", "is too dark");
  if (problem === undefined) throw new Error("There is no problem.");
  expect(checkFailure(problem)).toEqual({ property: "mood", reason: "is too dark" });
  expect(checkFailure({ ...problem, hidden: true })).toEqual({ property: "", reason: "mood is too dark" });
  expect(checkFailure(problem, new Set(["metre"]))).toEqual({ property: "mood", reason: "is too dark" });
  const { property, reason } = checkFailure(problem, new Set(["mood"]));
  expect([property, reason]).toEqual(["", expect.stringMatching(/^mood is invalid; the reason is not shown/)]);
});

test("a reason of any length is cut", () => {
  const problem = { input: "mood", path: "mood", reason: "a".repeat(4001), hidden: false };
  expect(checkFailure(problem).reason).toBe("a".repeat(4000));
});
