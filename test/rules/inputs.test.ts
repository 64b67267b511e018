import { z } from "zod";
import { checkInputs, inputsIn, quoted, recordOf, text, updates } from "../../provider/src/rules/inputs";

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
