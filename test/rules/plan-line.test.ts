import { accountId, isPlanning, planIn, type PlanLine, planText } from "../../provider/src/rules/plan-line";

const urn = "urn:pulumi:dev::app::cloudvoice:index:CloudVoice::guide";
const question = { id: "take-1", kind: "take", uncertain: "The account has it.", yes: "it is used" };

const read = (...lines: PlanLine[]) => planIn(lines.map((line) => ({ message: planText(line) })))!;

test("a line comes back as it was written, also with marks of the engine and characters that mislead", () => {
  const line = { urn, takes: "<{%reset%}>a\u202eb\nc", fails: "no room" };
  expect(planText(line)).not.toMatch(/[<\u202e\n]/);
  expect(read(line)).toEqual({
    plans: new Map([[urn, { takes: "<{%reset%}>a\\u{202e}b⏎c", fails: "no room", questions: [] }]]),
    problems: [],
  });
});

test("lines about one resource add up, and a question that is asked twice is one question", () => {
  const quota = { account: accountId("https://voices.example 012345"), now: 3, limit: 1000 };
  const { plans } = read({ urn, question }, { urn, quota }, { urn, question });
  expect([...plans]).toEqual([[urn, { questions: [question], quota }]]);
});

test("a line of the program, which has a URN, is not read as a plan", () => {
  expect(planIn([{ urn, message: planText({ urn, gone: "a" }) }])?.plans.size).toBe(undefined);
});

test.each([["{"], ["{}"], ['{"urn":"a","surprise":1}'], ['{"urn":"a","gate":{"expects":"b","opens":"perhaps"}}']])(
  "a line that can't be read is a problem: %s",
  (text) => {
    const { plans, problems } = planIn([{ message: `cloudvoice-plan: ${text}` }])!;
    expect(plans.size).toBe(0);
    expect(problems).toEqual([expect.stringContaining("can't be read")]);
  },
);

test("a plan is written only if the variable is set to something that means yes", () => {
  expect(["1", "true", "yes"].every((value) => isPlanning({ CLOUDVOICE_PLAN: value }))).toBe(true);
  expect(["", " ", "0", "false", undefined].some((value) => isPlanning({ CLOUDVOICE_PLAN: value }))).toBe(false);
});
