import { markdownOf } from "../../provider/src/cli/review/markdown";
import type { Step } from "../../provider/src/cli/review/preview";
import { textOf } from "../../provider/src/cli/review/text";
import { chargeText } from "../../provider/src/cli/review/words";
import type { Prices } from "../../provider/src/rules/price";
import { type Kind, quotaLine, review as reviewWith, step as stepOf } from "../support/review-steps";

/** Rights, prices and ages in the forms of a review. */

const nowMs = Date.parse("2026-11-21T12:00:00Z");

const step = (op: string, name: string, news: object, olds: object = news, kind: Kind = "voice") =>
  stepOf(op, name, { kind, news, olds });

/** `createdAt`: of the voices in the state. */
function review(steps: Step[], facts: Parameters<typeof reviewWith>[1] = {}, createdAt = "2026-11-01T00:00:00Z") {
  const dated = steps.map((each) => ({
    ...each,
    oldState: each.oldState && { ...each.oldState, outputs: { ...each.oldState.outputs, createdAt } },
  }));
  return reviewWith(dated, facts, quotaLine("v"));
}

/** The forms for people. test/faces/page.test.ts tests the page. Entities and markup of Markdown are removed. */
function forms(of: ReturnType<typeof review>): string[] {
  const plain = (text: string) => text.replace(/&#x?\w+;(<!-- -->)?/g, "?").replace(/<[^>]+>/g, " ");
  return [textOf(of), plain(markdownOf(of))];
}

const audio = { audio: "a.wav", audioSha256: "aa" };
const other = { audio: "b.wav", audioSha256: "bb" };
const jane = { holder: "Jane", evidence: "file 7" };
const until = (day: string, parts = {}) => ({ ...audio, rights: { ...jane, until: day, ...parts } });

test("every form has the rights of a change, those that end within 30 days and those that have ended", () => {
  const reviewed = review([
    step("create", "fresh", until("2030-01-01")),
    step("same", "ended", until("2026-11-20")),
    step("same", "ending", until("2026-12-21")),
    step("same", "later", until("2026-12-22")),
    step("delete", "gone", until("2020-01-01")),
  ]);
  expect(reviewed.changes).toMatchObject([
    { action: "create", rights: { ...jane, until: "2030-01-01" } },
    { action: "delete", rights: { ...jane, until: "2020-01-01" } },
  ]);
  expect(reviewed.remarks).toMatchObject({
    rightsEnded: [{ name: "ended", voice: "svc-ended", rights: { ...jane, until: "2026-11-20" } }],
    rightsEndWithin30Days: [{ name: "ending" }],
    mayBeDeletedSoon: [],
  });
  for (const form of forms(reviewed)) {
    expect(form).toMatch(/Jane[\s\S]*file 7[\s\S]*until 2030-01-01/);
    expect(form).toMatch(/Rights that have ended: 1[\s\S]*ended[\s\S]*until 2026-11-20/);
    expect(form).toMatch(/Rights that end within 30 days: 1[\s\S]*ending[\s\S]*until 2026-12-21/);
  }
  expect(textOf(reviewed)).toContain("│ rights ");
  expect(markdownOf(reviewed)).toContain("| | kind | resource | why | rights | charge |");
});

test("the remarks have one order, although the steps of two previews have not", () => {
  const soon = ["c", "a", "b"].map((name) =>
    step("same", name, { ...audio, rights: { ...jane, until: "2026-12-01" } }),
  );
  for (const steps of [soon, soon.toReversed()])
    expect(review(steps).remarks.rightsEndWithin30Days.map(({ name }) => name)).toEqual(["a", "b", "c"]);
});

test("a secret field is shown as [secret], and its end is not judged", () => {
  const rights = { ...jane, until: "[secret]" };
  const reviewed = review([step("create", "new", { ...audio, rights }), step("same", "v", { ...audio, rights })]);
  expect(reviewed.changes).toMatchObject([{ rights }]);
  expect(reviewed.remarks).toMatchObject({ rightsEnded: [], rightsEndWithin30Days: [] });
});

test.each<[string, object, object, RegExp | undefined]>([
  [
    "the same evidence",
    { ...other, rights: jane },
    { ...audio, rights: jane },
    /another recording under the same evidence/,
  ],
  [
    "evidence that is secret",
    { ...other, rights: { ...jane, evidence: "[secret]" } },
    { ...audio, rights: { ...jane, evidence: "[secret]" } },
    /another recording; the evidence is secret, changed or not/,
  ],
  ["other evidence", { ...other, rights: { ...jane, evidence: "file 8" } }, { ...audio, rights: jane }, undefined],
  ["no rights", other, audio, undefined],
  ["the same recording", { ...audio, language: "de", rights: jane }, { ...audio, rights: jane }, undefined],
])("a replacement by another recording under %s", (_, news, olds, expected) => {
  const { changes } = review([step("replace", "v", news, olds)]);
  expect(changes[0]?.why).toMatch(expected ?? /changed; the old voice is deleted/);
});

test("a change of rights alone is free, and is shown", () => {
  const { changes, charge } = review([step("update", "v", until("2031-01-01"), until("2030-01-01"))]);
  expect(changes).toMatchObject([
    {
      why: "rights changed; free",
      charge: 0,
      fields: [{ old: "Jane; file 7; until 2030-01-01", new: "Jane; file 7; until 2031-01-01" }],
    },
  ]);
  expect(charge.atMost).toBe(0);
});

describe("prices", () => {
  const image = step("create", "i", { model: "svc-image", prompt: "x", n: 2 }, {}, "image");
  const decision = step("create", "d", { state: "x".repeat(2993), questions: {} }, {}, "decision");
  const hidden = step("create", "h", { state: "[secret]", questions: {} }, {}, "decision");
  const steps = [step("create", "v", audio), image, decision];
  const prices = { voicePrice: 0.02, imagePrice: 0.05, decisionPricePerMillionTokens: 10, currency: "EUR" };

  test.each<[string, Step[], Prices | undefined, string, number]>([
    [
      "without prices",
      steps,
      undefined,
      "at most $0.01 for 1 voice, plus 1 image task and 1 decision at unknown prices",
      0.01,
    ],
    [
      "with all prices",
      steps,
      prices,
      "about €0.13 for 1 voice, 1 image task and 1 decision (the tokens are estimated)",
      0.13,
    ],
    ["of an image alone", [image], prices, "at most €0.10 for 1 image task", 0.1],
    ["of a secret", [image, hidden], prices, "at most €0.10 for 1 image task, plus 1 decision at unknown prices", 0.1],
  ])("%s", (_, some, given, text, atMost) => {
    const reviewed = review(some, given);
    expect([chargeText(reviewed), reviewed.charge.atMost]).toEqual([text, atMost]);
  });

  test("every form shows the charges", () => {
    for (const form of forms(review(steps, prices))) expect(form).toMatch(/€0\.02[\s\S]*€0\.10[\s\S]*≈ €0\.01/);
  });

  test("free voices still count towards the quota", () => {
    const reviewed = review([step("create", "v", audio)], { ...prices, voicePrice: 0 });
    expect([reviewed.charge.voices, reviewed.quotas]).toMatchObject([1, [{ peak: 1 }]]);
  });
});

test.each([
  ["2025-12-22T00:00:00Z", []],
  ["2025-12-20T00:00:00Z", [{ name: "v", ageDays: 336 }]],
])("of voices created at %s, those older than 335 days may be deleted soon, by their state", (at, old) => {
  const same = step("same", "v", audio);
  expect(review([same], {}, at).remarks.mayBeDeletedSoon).toMatchObject(old);
  const later = review([same], { nowMs: nowMs + 400 * 24 * 3600 * 1000 }, at);
  for (const form of forms(later))
    expect(form).toMatch(/may be deleted soon[\s\S]*v[\s\S]*created 2025-12-2[02], age 7\d\d days/);
});
