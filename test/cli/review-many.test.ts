import { readFileSync } from "node:fs";
import { join } from "node:path";
import { groupsOf, manyChanges } from "../../provider/src/cli/review/words";
import { longestComment, markdownOf } from "../../provider/src/cli/review/markdown";
import { parsePreview, type Preview } from "../../provider/src/cli/review/preview";
import type { Review } from "../../provider/src/cli/review/review";
import { textOf } from "../../provider/src/cli/review/text";
import { accountId } from "../../provider/src/rules/plan-line";
import { review } from "../support/review-steps";

/** Reviews of so many changes that nobody reads them one by one. */

const golden = parsePreview(readFileSync(join(__dirname, "golden", "preview.json")));
const step = (name: string) => golden.steps.find(({ urn }) => urn.endsWith(`::${name}`))!;

function reviewWith(facts: Partial<Preview>): Review {
  const { steps } = { ...golden, ...facts };
  const quota = { account: accountId("0e96-8838f4"), now: 0, limit: 5000 };
  const plans = new Map(steps.map(({ urn }) => [urn, { ...golden.plans.get(urn), quota, questions: [] }]));
  return review([], { preview: { ...golden, plans, ...facts } });
}

/** Every third change replaces a voice whose recording changed. The others create one. */
function reviewOfMany(count: number, facts: Partial<Preview> = {}, suffix = ""): Review {
  const three = [step("tight"), step("catalog-fresh"), step("catalog-fresh")];
  const steps = Array.from({ length: count }, (_, index) => {
    const original = three[index % 3]!;
    const { oldState } = original;
    const id = `svc-tts-vc-tight_b57fsve-voice-20261121031316349-${index}`;
    return { ...original, urn: `${original.urn}-${index}${suffix}`, oldState: oldState && { ...oldState, id } };
  });
  return reviewWith({ steps, ...facts });
}

/** Each change has a reason of its own, as when another set of fields changed in each resource. */
function reviewOfReasons(count: number, length: number): Review {
  const review = reviewOfMany(count);
  const changes = review.changes.map((change, index) => ({ ...change, why: `reason ${index} ${"x".repeat(length)}` }));
  return { ...review, changes };
}

test("groups by kind, action and the first part of the reason, which names no single voice", () => {
  const groups = groupsOf(reviewWith({}).changes);
  expect(groups.map(({ action, kind, reason, changes }) => `${action} ${changes.length} ${kind}: ${reason}`)).toEqual([
    "create 3 voice: new in the program",
    "adopt 1 voice: new in the program",
    "take 1 voice: new in the program",
    "replace 1 voice: audio, language changed",
    "replace 1 voice: text changed",
    "replace 1 voice: audio changed",
    "update 1 voice: the same recording under another path",
    "delete 1 voice: no longer in the program",
    "create 1 image: new in the program",
    "replace 1 image: prompt changed",
    "replace 1 decision: state changed",
    "update 1 decision: expect changed",
  ]);
});

test("keeps voices that stay in the account in a group of their own", () => {
  const steps = ["catalog-retired", "catalog-retired"].map((name, index) => {
    const { oldState, ...rest } = step(name);
    return { ...rest, urn: `${rest.urn}-${index}`, oldState: { ...oldState!, retainOnDelete: index === 0 } };
  });
  expect(groupsOf(reviewWith({ steps }).changes).map(({ reason }) => reason)).toEqual([
    "no longer in the program; the old voice stays in the account",
    "no longer in the program",
  ]);
});

describe("in a terminal", () => {
  test("a thousand changes fit on one screen, with charge and quota before the reasons", () => {
    const text = textOf(reviewOfMany(1000));
    expect(text.split("\n").length).toBeLessThan(24);
    expect(text).toMatch(
      /charge: at most \$10\.00 [^]*voices: 0 now, 666 at the peak[^]*666 voices to create[^]*334 voices to replace/,
    );
    expect(text).toMatch(/334 voices to replace +│ audio changed +│ \$3\.34/);
    expect(text).toMatch(/tight-0, tight-102, tight-105, tight-108, … and 330 more/);
  });

  test("also with many reasons, errors and notes", () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`);
    const text = textOf({ ...reviewOfReasons(100, 20), complete: false, errors: lines, notes: lines });
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
    expect(text).toMatch(/… and 94 more changes for 94 other reasons[^]*and 47 more/);
  });

  test("--all prints every change", () => {
    const text = textOf(reviewOfMany(100), { all: true });
    for (let index = 0; index < 100; index++) expect(text).toMatch(new RegExp(`(tight|catalog-fresh)-${index} `));
  });

  test.each([
    [manyChanges - 1, true],
    [manyChanges, false],
  ])("%d changes: each is printed: %p", (count, each) => {
    expect(textOf(reviewOfMany(count)).includes("targetModel: ")).toBe(each);
    expect(markdownOf(reviewOfMany(count)).includes("| | kind | resource |")).toBe(each);
  });
});

describe("in a comment", () => {
  test("a thousand changes are two rows, and each resource is named below them", () => {
    const text = markdownOf(reviewOfMany(1000));
    expect(text.split("\n").slice(3, 9)).toEqual([
      "**666 voices to create, 334 to replace** · charge: **at most $10.00 for 1000 voices** · " +
        "voices: **0 now, 666 at the peak, 666 after, of 5000**",
      "",
      "| | changes | why | charge |",
      "|---|---|---|---|",
      "| + | 666 voices to create | new in the program | $6.66 |",
      "| ± | 334 voices to replace | audio changed | $3.34 |",
    ]);
    // Each resource, the first twenty voices that go, and one note about these.
    expect(text.match(/^- `/gm)).toHaveLength(1000 + 20);
    expect(text).toContain(
      "<details><summary>Voices that are deleted (programs that use their names stop working): 334</summary>",
    );
    expect(text).toContain("- … and 314 more");
    expect(text).toContain("<details><summary>334 voices to replace: audio changed</summary>");
  });

  test("a small group shows what changes in each resource", () => {
    expect(markdownOf(reviewOfMany(30))).toContain(
      "- `tight-0`: audio: `a.wav (13.7 s, df4ac9a)` → `b.mp3 (14.3 s, 5f46855)`",
    );
  });

  test.each<[string, Review]>([
    ["long names", reviewOfMany(3000, {}, "long".repeat(25))],
    ["as many reasons as changes", reviewOfReasons(1000, 20)],
    ["long reasons", reviewOfReasons(1000, 1000)],
    [
      "many errors and notes",
      reviewOfMany(1000, { errors: ["x".repeat(99_999)], messages: Array<string>(999).fill("y".repeat(999)) }),
    ],
  ])("never exceeds GitHub's limit, and counts what it left out: %s", (_, review) => {
    const text = markdownOf(review);
    expect(text.length).toBeLessThan(longestComment);
    expect(text).toMatch(/… and \d+ more/);
  });
});

test("states no charge for nothing", () => {
  const { changes, ...rest } = reviewWith({ steps: [step("gate")] });
  expect(textOf({ ...rest, changes })).toContain("charge: at most 1 decision at unknown prices\n");
  expect(textOf(reviewWith({ steps: [] }))).toContain("charge: nothing\n");
});
