import { exitCodeOf } from "../../provider/src/cli/review/review";
import { isReplacedOver, limitsExceeded, limitsIn } from "../../provider/src/cli/review/charge";
import type { Step } from "../../provider/src/cli/review/preview";
import { alarms, countsText } from "../../provider/src/cli/review/words";
import { quotaCode } from "../../provider/src/rules/plan-line";
import { quotaLine, review, step, targetModel, urnOf } from "../support/review-steps";

/** The limits of a review and its exit codes, on which pipelines depend. */

const content = { targetModel, audio: "a.wav" };
const voices = (count: number, op = "create") =>
  Array.from({ length: count }, (_, at) => step(op, `v${at}`, { olds: content, news: content }));
const question = { id: "take-1", kind: "take", uncertain: "It is there.", yes: "it is used" };
const paid = [
  ...voices(3),
  step("create", "i", { kind: "image", news: { model: "svc-image", prompt: "x" } }),
  step("create", "d", { kind: "decision", news: { state: "s", questions: {} } }),
];

describe("the exit code of a review", () => {
  test.each<[string, () => ReturnType<typeof review>, code: number, withExitCode: number]>([
    ["without changes", () => review(voices(1, "same")), 0, 0],
    ["with changes", () => review(voices(1)), 0, 2],
    ["at which the update will fail", () => review(voices(1), {}, { urn: urnOf("v0"), fails: "no file" }), 1, 1],
    ["of a preview that failed", () => review([], { preview: { errors: ["no such file"] } }), 1, 1],
    ["with a question", () => review(voices(1), {}, { urn: urnOf("v0"), question }), 1, 1],
    ["over the quota", () => review(voices(2), {}, quotaLine("v0", { now: 9, limit: 10 }), quotaLine("v1")), 3, 3],
    [
      "whose provider says that there is no room",
      () => review(voices(1), {}, { urn: urnOf("v0"), fails: `too small ${quotaCode}` }),
      3,
      3,
    ],
    ["at a limit", () => review(paid, { limits: { voices: 3, images: 1, decisions: 1, cost: 0.03 } }), 0, 2],
    ["over the limit of the cost", () => review(paid, { limits: { cost: 0.02 } }), 3, 3],
    ["over the limit of voices", () => review(paid, { limits: { voices: 2 } }), 3, 3],
    ["over the limit of images", () => review(paid, { limits: { images: 0 } }), 3, 3],
    ["over the limit of decisions", () => review(paid, { limits: { decisions: 0 } }), 3, 3],
    ["over CLOUDVOICE_MAX_BILLED", () => review(paid, { limits: { mostBilled: { voices: 2 } } }), 3, 3],
    ["over a limit, and failed", () => review(paid, { limits: { voices: 2 }, preview: { errors: ["x"] } }), 3, 3],
  ])("%s", (_, of, code, withExitCode) => {
    expect([exitCodeOf(of()), exitCodeOf(of(), true)]).toEqual([code, withExitCode]);
  });

  test("nothing to change says so, also if it is not known", () => {
    expect(countsText(review(voices(1, "same")))).toBe("nothing to change");
    expect(countsText(review([], { preview: { errors: ["HTTP 401"] } }))).toBe("no changes are known, incomplete");
  });
});

test("each limit that is exceeded is named with where it was set", () => {
  const replaced = voices(6, "replace");
  const limits = { cost: 0.05, voices: 5, images: 0, decisions: 0, replaced: 20, mostBilled: { voices: 4, images: 0 } };
  expect(limitsExceeded(review([...paid.slice(3), ...replaced], { limits }))).toEqual([
    "Over the limit of $0.05 that --limit sets.",
    "Over the limit of 5 voices that --limit sets.",
    "Over the limit of 20% of the stack's voices (6 of 6 are replaced) that --limit sets.",
    "Over the limit of 0 image tasks that --limit sets.",
    "Over the limit of 0 decisions that --limit sets.",
    "Over the limit of 4 voices that CLOUDVOICE_MAX_BILLED sets.",
    "Over the limit of 0 image tasks that CLOUDVOICE_MAX_BILLED sets.",
  ]);
});

test.each([
  [
    "voices=12,images=3,decisions=5,cost=5,replaced=20%",
    { voices: 12, images: 3, decisions: 5, cost: 5, replaced: 20 },
  ],
  ["cost=0.5", { cost: 0.5 }],
  [" voices=0 , replaced=2.5%", { voices: 0, replaced: 2.5 }],
  ["replaced=100%", { replaced: 100 }],
])("--limit %s is understood", (text, limits) => expect(limitsIn(text)).toEqual(limits));

test.each(["", "12", "voices", "voices=", "voices=-1", "voices=1.5", "voices=1,voices=2", "voice=1", "cost=1e2"])(
  "--limit %j is refused, with the form",
  (text) => expect(() => limitsIn(text)).toThrow("voices=12,images=3,decisions=5,cost=5,replaced=20%"),
);

test.each(["replaced=20", "replaced=101%", "replaced=a%", "toString=1", "voices=1=2", "cost=1,"])(
  "--limit %j is refused",
  (text) => expect(() => limitsIn(text)).toThrow(/at most one number/),
);

const renamed = [step("create", "new", { news: content }), step("delete", "v0", { olds: content })];
test.each<[what: string, steps: Step[], replaced: { voices: number; of: number }]>([
  ["a first update", voices(9), { voices: 0, of: 0 }],
  ["another recording for each", voices(6, "replace"), { voices: 6, of: 6 }],
  ["one of three", [...voices(1, "replace"), ...voices(3, "same").slice(1)], { voices: 1, of: 3 }],
  ["a new name of a resource without an alias", [...renamed, ...voices(2, "same").slice(1)], { voices: 1, of: 2 }],
  ["removed voices", [...voices(1, "delete"), ...voices(2, "same").slice(1)], { voices: 0, of: 2 }],
])("the share of replaced voices: %s counts", (_, steps, replaced) => {
  expect(review(steps).replaced).toMatchObject(replaced);
});

test.each<[voices: number, of: number, limit: number | undefined, isOver: boolean]>([
  [5, 24, 20, true],
  [5, 25, 20, false],
  [4, 4, 20, false],
  [61, 61, 100, false],
  [61, 61, undefined, false],
  [5, 100, 0, true],
])("%d of %d with a limit of %s percent", (replaced, of, limit, isOver) => {
  expect(isReplacedOver({ voices: replaced, of, limit })).toBe(isOver);
});

test.each([
  [{ cost: 1 }, ["1 image task", "1 decision"]],
  [{ cost: 1, images: 5 }, ["1 decision"]],
  [{ cost: 1, images: 5, decisions: 5 }, []],
  [{}, []],
])("with the limits %j, it is said what the limit of the cost does not cover", (limits, uncovered) => {
  const found = alarms(review(paid, { limits })).map(
    (line) => /does not cover (.*) at unknown prices\. Set cloudvoice:/.exec(line)?.[1],
  );
  expect(found).toEqual(uncovered);
});
