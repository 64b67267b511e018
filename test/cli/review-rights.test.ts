import { markdownOf } from "../../provider/src/cli/review/markdown";
import type { Step } from "../../provider/src/cli/review/preview";
import type { ReviewFacts } from "../../provider/src/cli/review/facts";
import { textOf } from "../../provider/src/cli/review/text";
import { alarms, chargeText } from "../../provider/src/cli/review/words";
import type { Prices } from "../../provider/src/rules/price";
import { storedRights } from "../../provider/src/rules/rights";
import { type Kind, review as reviewWith, step as stepOf, targetModel, urnOf } from "../support/review-steps";

/** Rights, prices and ages in the forms of a review. */

const nowMs = Date.parse("2026-11-21T12:00:00Z");

const step = (op: string, name: string, news: object, olds: object = news, kind: Kind = "voice") =>
  stepOf(op, name, { kind, news, olds });

function review(steps: Step[], facts: Partial<ReviewFacts> = {}, gmtCreate = "2026-11-01 00:00:00") {
  const account = steps.flatMap(({ oldState }) =>
    oldState?.id ? [{ voice: oldState.id, targetModel, gmtCreate }] : [],
  );
  return reviewWith(steps, { account, ...facts });
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

test("a secret field is shown as [secret], and its end counts if the state was read with its secrets", () => {
  const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", plaintext: '"2026-11-01"' };
  const rights = storedRights({ ...jane, until: secret });
  const urn = urnOf("v");
  const held = [{ stack: "dev", urn, savedUrn: urn, voice: "svc-v", isOld: false, rights }];
  const same = step("same", "v", { ...audio, rights: { ...jane, until: "[secret]" } });
  expect(review([same]).remarks.rightsEnded).toEqual([]);
  const reviewed = review([same], { held });
  expect(reviewed.remarks.rightsEnded).toMatchObject([{ rights: { ...jane, until: "[secret]" } }]);
  for (const form of [...forms(reviewed), JSON.stringify(reviewed)]) expect(form).not.toContain("2026-11-01");
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
    /another recording; whether the evidence changed is secret/,
  ],
  ["other evidence", { ...other, rights: { ...jane, evidence: "file 8" } }, { ...audio, rights: jane }, undefined],
  ["no rights", other, audio, undefined],
  ["the same recording", { ...audio, language: "de", rights: jane }, { ...audio, rights: jane }, undefined],
])("a replacement by another recording under %s", (_, news, olds, expected) => {
  const { changes, notes } = review([step("replace", "v", news, olds)]);
  expect(changes[0]?.why).toMatch(expected ?? /changed$/);
  expect(notes.join()).toMatch(
    expected === undefined ? /^$/ : /^v: another recording.*Check that it covers this recording/,
  );
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

  test.each([
    [{ maxCost: 1 }, ["1 image task", "1 decision"]],
    [{ maxCost: 1, maxImageTasks: 5 }, ["1 decision"]],
    [{ maxCost: 1, maxImageTasks: 5, maxDecisions: 5 }, []],
    [{}, []],
  ])("with the limits %j, it is said what --max-cost does not cover", (limits, uncovered) => {
    const lines = alarms(review(steps, { limits }));
    expect(
      lines.map((line) => /^--max-cost does not cover (.*) at unknown prices\. Set cloudvoice:/.exec(line)?.[1]),
    ).toEqual(uncovered);
  });

  test("every form shows the charges", () => {
    for (const form of forms(review(steps, prices))) expect(form).toMatch(/€0\.02[\s\S]*€0\.10[\s\S]*≈ €0\.01/);
  });

  test("free voices still count towards the quota", () => {
    const reviewed = review([step("create", "v", audio)], { ...prices, voicePrice: 0 });
    expect([reviewed.charge.voices, reviewed.quota]).toMatchObject([1, { peak: 1 }]);
  });
});

test.each([
  ["2025-12-22 00:00:00", []],
  ["2025-12-20 00:00:00", [{ name: "v", ageDays: 336 }]],
])("of voices created at %s, those older than 335 days may be deleted soon, by the service's time", (at, old) => {
  const same = step("same", "v", audio);
  expect(review([same], {}, at).remarks.mayBeDeletedSoon).toMatchObject(old);
  const later = review([same], { todayMs: nowMs + 400 * 24 * 3600 * 1000 }, at);
  for (const form of forms(later))
    expect(form).toMatch(/may be deleted soon[\s\S]*v[\s\S]*created 2025-12-2[02], age 7\d\d days/);
});
