import {
  acceptedIds,
  type Question,
  QuestionError,
  questionIds,
  type QuestionKind,
  questionText,
} from "../../provider/src/rules/question";

const hour = 3600 * 1000;
const noon = Date.parse("2026-11-21T12:00:00Z");
const about = { kind: "missing" as QuestionKind, account: "https://a.example aaaaaa", stack: "studio/prod" };
const idOf = (changes: Partial<Question> = {}, at = noon) => questionIds({ ...about, ...changes }, at)[0];

test("an id names the kind, and is the same in each release: an update with another one takes the answer", () => {
  expect(idOf()).toBe("missing-eac823c15759691a");
  expect(idOf({ request: "" })).toBe(idOf());
});

test.each<[what: string, id: string]>([
  ["another kind", idOf({ kind: "account" })],
  ["another account", idOf({ account: "https://a.example bbbbbb" })],
  ["another stack", idOf({ stack: "studio/dev" })],
  ["another request", idOf({ request: "task-1" })],
  ["another day", idOf({}, noon + 24 * hour)],
])("%s gives another id", (_, id) => {
  expect(id).not.toBe(idOf());
  // Only the hash may differ, or else the test compares kinds.
  expect(id.replace(/^.*-/, "")).not.toBe(idOf().replace(/^.*-/, ""));
});

test("parts can't run into one another", () => {
  expect(idOf({ stack: "ab", account: "c" })).not.toBe(idOf({ stack: "b", account: "ca" }));
});

test("texts and prices are no part of it", () => {
  const facts = { uncertain: "3 voices of the key aaaa-1 are missing.", yes: "3 voices, $0.03" };
  expect(questionIds({ ...about, ...facts }, noon)[0]).toBe(idOf());
});

test.each<[what: string, hoursLater: number, holds: boolean]>([
  ["at once", 0, true],
  ["at the end of the day", 11.99, true],
  ["on the next day", 12, true],
  ["at the end of the next day", 35.99, true],
  ["on the day after", 36, false],
  ["a moment before it was asked, by another clock", -11.99, true],
  ["on the day before it was asked", -12.01, false],
])("an id is accepted %s: %d h later, %s", (_, hoursLater, holds) => {
  expect(questionIds(about, noon + hoursLater * hour).includes(idOf())).toBe(holds);
});

test.each<[value: string | undefined, ids: string[]]>([
  [undefined, []],
  [" , ", []],
  ["missing-1,key-2", ["missing-1", "key-2"]],
  [" missing-1 ,\n key-2, ", ["missing-1", "key-2"]],
  ["missing-1 key-2", ["missing-1", "key-2"]],
  // No word answers all questions.
  ["all", ["all"]],
])("CLOUDVOICE_ACCEPT=%j says yes to %j", (value, ids) => {
  expect([...acceptedIds({ CLOUDVOICE_ACCEPT: value, CLOUDVOICE_ACCEPT_MISSING: "all" })]).toEqual(ids);
});

describe("the text of a question", () => {
  const question = { ...about, uncertain: "The voice v is missing.", yes: "it leaves the state" };

  test("says what is not certain, what yes does, the one line that says it, and what else can be done", () => {
    const text =
      "The voice v is missing. If you say yes, it leaves the state. To say yes, run this with CLOUDVOICE_ACCEPT=missing-1.";
    expect(questionText(question, "missing-1")).toBe(text);
    expect(questionText({ ...question, otherwise: "Or set adopt." }, "missing-1")).toBe(`${text} Or set adopt.`);
  });

  test("is the message of the error, which the engine must not take for a resource: it has no id, properties or reasons", () => {
    const error = new QuestionError(question, "missing-1");
    expect([error.message, error.questionId]).toEqual([questionText(question, "missing-1"), "missing-1"]);
    for (const name of ["id", "properties", "reasons"]) expect(error).not.toHaveProperty(name);
    expect(error.billed).toBe("no");
  });
});
