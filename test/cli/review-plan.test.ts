import { jsonOf } from "../../provider/src/cli/print";
import { markdownOf } from "../../provider/src/cli/review/markdown";
import { parsePreview, type Step } from "../../provider/src/cli/review/preview";
import { exitCodeOf, type Review } from "../../provider/src/cli/review/review";
import { textOf } from "../../provider/src/cli/review/text";
import { alarms, countsText, quotaText } from "../../provider/src/cli/review/words";
import { accountId, type PlanLine, planText } from "../../provider/src/rules/plan-line";
import { htmlOf } from "../support/page-of";
import { fingerprint, plansOf, quotaLine, review, step, targetModel, urnOf } from "../support/review-steps";

/** What the provider planned is in every form of a review, as it was planned. */

async function formsOf(reviewed: Review): Promise<[form: string, text: string][]> {
  const [text, markdown, json] = [textOf(reviewed), markdownOf(reviewed), jsonOf(reviewed)];
  const forms = { text, markdown, json, html: await htmlOf(reviewed) };
  // Tables wrap in the terminal, and markup escapes.
  const plain = (text: string) =>
    text
      .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
      .replace(/<[^>]*>/g, " ")
      .replace(/\s*│\s*\n?│?\s*/g, " ")
      .replace(/\s+/g, " ");
  return Object.entries(forms).map(([form, text]) => [form, plain(text)]);
}

const content = { targetModel, audio: "a.wav", preferredName: "v_1abcdef", nameVersion: 1 };
const created = step("create", "v", { news: content });
const urn = urnOf("v");
const existing = "svc-tts-vc-v_1abcdef-voice-20261121115500000-beef";
const question = {
  ...{ id: "take-0123456789abcdef", kind: "take", uncertain: `the account has ${existing}` },
  ...{ yes: "it is used", otherwise: "set namespace" },
};
const gate = step("create", "gate", { kind: "decision", news: { state: "s", questions: {}, expect: { fit: {} } } });
const gateUrn = urnOf("gate", "decision");
const behind = step("create", "behind", { news: content, dependencies: [gateUrn] });
const expects = "fit: at least 0.5";

describe("each line of the plan is in text, Markdown, HTML and JSON", () => {
  test.each<[what: string, steps: Step[], lines: PlanLine[], says: RegExp[], code: number, charge: number]>([
    ["takes", [created], [quotaLine("v"), { urn, takes: existing }], [new RegExp(existing)], 0, 0],
    ["fails", [created], [{ urn, fails: "no such model" }], [/the update will fail: no such model/], 1, 0.01],
    [
      "gone",
      [step("same", "v", { olds: content, news: content })],
      [{ urn, gone: "svc-v" }],
      [/missing at the service; .*pulumi up --refresh/],
      0,
      0.01,
    ],
    [
      "question",
      [created],
      [{ urn, question }],
      [new RegExp(question.uncertain), /set namespace/, /it is used/, /take-0123456789abcdef/],
      1,
      0.01,
    ],
    [
      "gate that is asked",
      [gate, behind],
      [{ urn: gateUrn, gate: { expects, opens: "at the update" } }],
      [/fit: at least 0\.5/, /is known only in the update/],
      0,
      0.01,
    ],
    [
      "gate that is closed",
      [{ ...gate, op: "update", oldState: gate.newState ?? null }, behind],
      [{ urn: gateUrn, gate: { expects, kept: "fit: 0.1", opens: "no" } }],
      [/the update will stop here: expects fit: at least 0\.5, and the kept answer is fit: 0\.1/],
      1,
      0.01,
    ],
    ["quota", [created], [quotaLine("v", { now: 7, limit: 9 })], [/7 now, 8 at the peak, 8 after|"peak": 8/], 0, 0.01],
  ])("%s", async (_, steps, lines, says, code, charge) => {
    const reviewed = review(steps, {}, ...lines);
    for (const [form, text] of await formsOf(reviewed))
      for (const each of says) expect([form, text]).toEqual([form, expect.stringMatching(each)]);
    expect([exitCodeOf(reviewed), reviewed.charge.atMost]).toEqual([code, charge]);
  });

  test("a gate that is asked stands in the first lines, with how many changes wait for it", () => {
    const reviewed = review([gate, behind], {}, { urn: gateUrn, gate: { expects, opens: "at the update" } });
    expect(alarms(reviewed)[0]).toBe("1 gate is answered only in the update (gate); 1 change waits for it.");
    expect(reviewed.changes.find(({ name }) => name === "gate")?.waiting).toEqual([urnOf("behind")]);
  });

  test("a kept gate shows its answer and its verdict", () => {
    const line = { urn: gateUrn, gate: { expects, kept: "fit: 0.9", opens: "yes" as const } };
    const changed = { ...gate, op: "update", oldState: { ...gate.newState!, id: "1" } };
    const [change] = review([changed], {}, line).changes;
    expect(change?.why).toMatch(/expects fit: at least 0\.5, and the kept answer is fit: 0\.9: stays open$/);
  });

  test("questions come first, each once with what yes means, and one line answers all of them", () => {
    const other = { ...question, id: "take-1", uncertain: "it may have been paid" };
    const steps = ["v", "w"].map((name) => step("create", name, { news: content }));
    const lines = [
      { urn, question },
      { urn: urnOf("w"), question },
      { urn: urnOf("w"), question: other },
    ];
    const reviewed = review(steps, { limits: { voices: 0 } }, ...lines);
    expect(alarms(reviewed).slice(0, 3)).toEqual([
      `Question: ${question.uncertain} set namespace If you say yes, it is used.`,
      "Question: it may have been paid set namespace If you say yes, it is used.",
      `To say yes to all of them, run the update with CLOUDVOICE_ACCEPT=${question.id},take-1`,
    ]);
    expect(exitCodeOf(reviewed)).toBe(3);
  });

  test("an id is never copied from what the program or the engine prints", () => {
    const notes = ["To say yes, run this with CLOUDVOICE_ACCEPT=pay-again-0123456789abcdef"];
    const printed = review([created], { preview: { errors: notes, messages: notes } });
    expect([printed.questions, alarms(printed).join().includes("CLOUDVOICE_ACCEPT")]).toEqual([[], false]);
  });

  test("of eleven changes at which the update will fail, ten are named and one is counted", () => {
    const names = Array.from({ length: 11 }, (_, at) => `v${at}`);
    const steps = names.map((name) => step("create", name, { news: content }));
    const lines = names.map((name) => ({ urn: urnOf(name), fails: "no room" }));
    const failing = alarms(review(steps, {}, ...lines)).filter((line) => line.includes("will fail"));
    expect([failing.length, failing.at(-1)]).toEqual([11, "The update will fail at 1 more resource."]);
  });
});

describe("the plans of two provider processes are one plan", () => {
  const [one, other] = [fingerprint, "https://others.example 0f0f0f"].map(accountId);
  const classes = { account: one!, now: 3, limit: 5 };
  const plugin = { account: other!, now: 40, limit: 41 };
  const native = "urn:pulumi:dev::program::cloudvoice:index:CloudVoice::w";
  const nativeStep = (op: string, parts: Parameters<typeof step>[2] = {}) => {
    const made = step(op, "w", parts);
    const typed = (state: Step["newState"]) => state && { ...state, type: "cloudvoice:index:CloudVoice" };
    return { ...made, urn: native, newState: typed(made.newState), oldState: typed(made.oldState) };
  };
  const outputs = { account: fingerprint };

  test("each account has its own peak: created first, deleted first, adopted and taken voices count", () => {
    const replaced = { olds: content, news: { ...content, audio: "b.wav" }, outputs };
    const steps = [
      created,
      step("replace", "first", replaced),
      step("replace", "last", { ...replaced, old: { delete: true } }),
      // An adopted voice stays, so deleting first frees no place.
      step("replace", "adopted", { ...replaced, outputs: { ...outputs, adopted: true } }),
      step("create", "taking", { news: content }),
      step("delete", "removed", { olds: content, outputs }),
      nativeStep("create", { news: content }),
    ];
    const of = (name: string) => ({ urn: urnOf(name), quota: classes });
    const lines = ["v", "first", "last", "adopted", "taking"].map(of);
    const reviewed = review(
      steps,
      {},
      ...lines,
      { urn: urnOf("taking"), takes: existing },
      { urn: native, quota: plugin },
    );
    expect(reviewed.quotas).toEqual([
      { account: other, now: 40, limit: 41, peak: 41, after: 41 },
      // Created: v, first, last, adopted. Deleted: first, last, removed.
      { account: one, now: 3, limit: 5, peak: 6, after: 4 },
    ]);
    expect(quotaText(reviewed)).toBe(
      `40 now, 41 at the peak, 41 after, of 41 (account ${other}); 3 now, 6 at the peak, 4 after, of 5 (account ${one})`,
    );
    expect([exitCodeOf(reviewed), reviewed.charge.voices]).toEqual([3, 5]);
  });

  test("lines of both are added by resource", () => {
    const plans = plansOf({ urn: "" }, { urn, takes: existing }, { urn: "" }, { urn, quota: classes });
    expect([...plans]).toEqual([
      ["", { questions: [] }],
      [urn, { takes: existing, quota: classes, questions: [] }],
    ]);
  });
});

describe("a review without the whole plan is incomplete: exit 1, with what to do", () => {
  const digest = (steps: Step[], messages: string[], more: object = {}) => {
    const diagnostics = messages.map((message) => ({ severity: "info", message, ...more }));
    return parsePreview(Buffer.from(JSON.stringify({ steps, diagnostics, changeSummary: { create: steps.length } })));
  };
  const line = planText({ urn, takes: existing });

  test.each<[what: string, of: () => ReturnType<typeof digest>, why: RegExp]>([
    [
      "no plan at all",
      () => digest([created], []),
      /CLOUDVOICE_PLAN=1 pulumi preview --json --show-sames > preview\.json/,
    ],
    ["a line that can't be read", () => digest([created], [line, "cloudvoice-plan: {"]), /plan can't be read/],
    ["a line with a key that is not known", () => digest([], [`${line.slice(0, -1)},"more":1}`]), /plan can't be read/],
    [
      "lines of the program, which look like a plan",
      () => digest([created], [line], { urn: "urn:of:a::s::t" }),
      /CLOUDVOICE_PLAN=1/,
    ],
  ])("%s", (_, of, why) => {
    const reviewed = review([], { preview: of() });
    expect([reviewed.complete, exitCodeOf(reviewed), exitCodeOf(reviewed, true)]).toEqual([false, 1, 1]);
    expect(reviewed.errors.join()).toMatch(why);
    expect(countsText(reviewed)).toMatch(/incomplete$/);
    for (const form of [textOf(reviewed), markdownOf(reviewed)]) expect(form).toMatch(/incomplete/);
  });

  // The engine may start no provider for these.
  test.each([
    [
      "an update that only deletes",
      {
        steps: [{ ...created, op: "delete", oldState: created.newState, newState: null }],
        changeSummary: { delete: 1 },
      },
    ],
    ["the refresh of a stack without resources", { duration: 126868 }],
  ])("%s needs no plan", (_, ofDigest) => {
    const reviewed = review([], { preview: parsePreview(Buffer.from(JSON.stringify(ofDigest))) });
    expect([reviewed.complete, exitCodeOf(reviewed)]).toEqual([true, 0]);
  });

  test("with the whole plan it is complete, and no line of the plan is a note", () => {
    const reviewed = review([], { preview: digest([created], [planText({ urn: "" }), `${line}\n`]) });
    expect([reviewed.complete, reviewed.notes]).toEqual([true, []]);
    expect(reviewed.changes).toMatchObject([{ action: "take", takes: existing }]);
  });

  test("a stack without resources of this package needs no plan", () => {
    expect(digest([], []).errors).toEqual([]);
  });
});
