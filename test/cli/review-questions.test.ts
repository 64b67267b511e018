import { explainedLosses } from "../../provider/src/cli/review/open-requests";
import type { ListedVoice } from "../../provider/src/service/voices/client";
import { jsonOf } from "../../provider/src/cli/review/forms";
import { markdownOf } from "../../provider/src/cli/review/markdown";
import type { Step } from "../../provider/src/cli/review/preview";
import { textOf } from "../../provider/src/cli/review/text";
import { exitCodeOf } from "../../provider/src/cli/review/exit-code";
import { alarms } from "../../provider/src/cli/review/words";
import { addressDoubts } from "../../provider/src/rules/addresses";
import { holder, review, step, targetModel, urnOf } from "../support/review-steps";

/** What a person has to decide before an update: the review asks it first, by the rules of the update itself. */

type Facts = Parameters<typeof review>[1];
const accepting = (...ids: string[]) => ({ asking: { backend: "", accepted: new Set(ids) } });
const prices = { imagePrice: 0.04, decisionPricePerMillionTokens: 1000 };
const cover = urnOf("cover", "image");

test("an address that is not the one of the state is asked first, and what the account has is not known", () => {
  const use = { kind: "voice", address: "https://b.example", ofFile: undefined } as const;
  const addressQuestions = addressDoubts(use, [{ kind: "voice", account: "https://a.example aaaaaa" }]).questions;
  const account = { unknown: "The key was not sent." };
  const shown = review([step("same", "gate", { kind: "decision", id: "unread-2" })], { addressQuestions, account });
  expect(shown.questions.map(({ kind }) => kind)).toEqual(["address", "pay-again"]);
  expect(
    textOf(shown)
      .split("\n")
      .find((line) => /Question/.test(line)),
  ).toMatch(/https:\/\/a\.example.*https:\/\/b\.example/);
});

describe("what may have been paid for already is a question", () => {
  const image = (op: string, id = "0-1") =>
    step(op, "cover", { kind: "image", id, olds: { prompt: "x" }, news: { prompt: "x" } });
  const asked = { state: "s", questions: { q: { type: "noul", instructions: "?" } } };
  const decision = (op: string) => step(op, "gate", { kind: "decision", id: "unread-2", olds: asked, news: asked });
  const voice = (op: string) => step(op, "v", { news: { preferredName: "v_1234567", nameVersion: 1 } });
  const doubtful = {
    doubtfulTasks: new Map([[cover, "the service reports 0-1 as UNKNOWN."]]),
  };
  const unread = { doubtfulTasks: new Map([[cover, undefined]]) };
  const unfinished = (end: "answered" | "sent") => ({
    unfinished: new Map([["v_1234567", { end, isOurs: true, sentMs: 0 }]]),
  });
  const doubt = "the meaning of next is not known";

  test.each<[what: string, Step, Facts, uncertain: RegExp, price: string]>([
    ["a doubtful task", image("update"), doubtful, /^cover: .* 0-1 as UNKNOWN.*The task is kept/, "$0.04"],
    [
      "a submission not understood",
      image("update", "unread-1"),
      unread,
      /^cover: its submission was answered/,
      "$0.04",
    ],
    ["answers not understood", decision("update"), {}, /^gate: .*answers were not understood/, "about $0.0"],
    [
      "a create that was answered",
      voice("create"),
      unfinished("answered"),
      /voice v_1234567 .*\(the service answered/,
      "$0.01",
    ],
    [
      "a create with an unknown end, and a list that proves nothing",
      voice("replace"),
      { ...unfinished("sent"), doubt },
      /voice v_1234567 may have been billed.*meaning of next/,
      "$0.01",
    ],
  ])("%s", (_, each, facts, uncertain, price) => {
    const reviewed = review([each], { ...prices, ...facts });
    const [question, ...others] = reviewed.questions;
    expect([question?.kind, question?.id, others]).toEqual(["pay-again", expect.stringMatching(/^pay-again-/), []]);
    expect(question?.uncertain).toMatch(uncertain);
    expect(question?.yes).toContain(` ${price}`);
    expect(exitCodeOf(reviewed)).toBe(1);
    const accepted = review([each], { ...prices, ...facts, ...accepting(question?.id ?? "") });
    expect(accepted.questions).toEqual([]);
    expect(exitCodeOf(accepted)).not.toBe(1);
  });

  test.each<[what: string, Step, Facts]>([
    ["the update replaces the task anyhow", image("replace"), doubtful],
    ["the program has the image no more", step("delete", "cover", { kind: "image" }), doubtful],
    ["the update replaces the decision anyhow", decision("replace"), {}],
    ["the voice stays", voice("same"), unfinished("answered")],
    ["the list proves that a create with an unknown end made no voice", voice("create"), unfinished("sent")],
    ["the list proves nothing, and no create is unfinished", voice("create"), { doubt }],
  ])("nothing is asked if %s", (_, each, facts) => {
    expect(review([each], facts).questions).toEqual([]);
  });
});

describe("voices that a killed run deleted", () => {
  const names = ["a", "b", "c"];
  const held = names.map((name) => holder(name));
  const gone = held.map(({ voice }) => voice);
  const explained = (listed: ListedVoice[], noted: string[]) =>
    explainedLosses({ holders: held }, listed, { wasDeleted: (voice) => Promise.resolve(noted.includes(voice)) });

  test("are known by the notes of their deletes, and one that is listed all the same is not missing", async () => {
    expect([...(await explained([], gone))]).toEqual(gone);
    expect([...(await explained([{ voice: gone[0]!, targetModel, gmtCreate: undefined }], gone))]).toEqual(
      gone.slice(1),
    );
    expect([...(await explained([], []))]).toEqual([]);
  });

  test("nobody is asked about them, unless the list proves nothing", () => {
    const steps = names.map((name) => step("same", name));
    const facts = { held, explained: new Set(gone) };
    expect(review(steps, { held }).questions).toHaveLength(1);
    expect(review(steps, facts).questions).toEqual([]);
    expect(review(steps, { ...facts, doubt: "the list may not be whole" }).questions).toHaveLength(1);
  });
});

describe("several questions", () => {
  const names = ["a", "b", "c"];
  const steps = [
    ...names.map((name) => step("same", name)),
    step("update", "cover", { kind: "image", id: "unread-1" }),
    step("create", "new"),
  ];
  const facts = {
    ...{ held: names.map((name) => holder(name)), limits: { maxCost: 5 } },
    doubtfulTasks: new Map([[cover, undefined]]),
  };
  const reviewed = review(steps, facts);
  const ids = reviewed.questions.map(({ id }) => id);

  test("are those of the voices first, and one line answers all of them", () => {
    expect(reviewed.questions.map(({ kind }) => kind)).toEqual(["missing", "pay-again"]);
    expect(alarms(reviewed).slice(0, 3)).toEqual([
      expect.stringMatching(/^Question: All 3 voices .*If you say yes, they leave the state.*\.$/),
      expect.stringMatching(/^Question: cover: .*If you say yes, another task is submitted/),
      `To say yes to all of them, run the update with CLOUDVOICE_ACCEPT=${ids.join(",")}`,
    ]);
  });

  test("are answered one by one, or together, and not two days later", () => {
    expect(review(steps, { ...facts, ...accepting(ids[0] ?? "") }).questions.map(({ id }) => id)).toEqual([ids[1]]);
    expect(review(steps, { ...facts, ...accepting(...ids) }).questions).toEqual([]);
    expect(review(steps, { ...facts, ...accepting("all", "missing", "*") }).questions).toHaveLength(2);
    const later = { nowMs: Date.parse("2026-11-23T12:00:00Z") };
    expect(review(steps, { ...facts, ...accepting(...ids), ...later }).questions).toHaveLength(2);
  });

  test.each<[form: string, () => string]>([
    ["text", () => textOf(reviewed)],
    ["Markdown", () => markdownOf(reviewed)],
    ["JSON", () => jsonOf(reviewed)],
  ])("stand before everything else in %s, with their ids", (_, form) => {
    const text = form().replaceAll("\\_", "_");
    const at = (found: RegExp | string) => text.search(found);
    expect(at("All 3 voices")).toBeGreaterThan(0);
    for (const id of ids) expect(at(id)).toBeGreaterThan(0);
    for (const behind of [/new in the program/, /\bquota\b|voices: |"quota"/])
      expect(at(behind)).toBeGreaterThan(at("All 3 voices"));
  });

  test("an id is never copied from what the program or the engine prints", () => {
    const notes = ["To say yes, run this with CLOUDVOICE_ACCEPT=pay-again-0123456789abcdef"];
    const preview = { steps: [step("create", "new")], errors: notes, notes, whole: true };
    const printed = review([], { preview });
    expect(printed.questions).toEqual([]);
    expect(alarms(printed).join("\n")).not.toContain("CLOUDVOICE_ACCEPT");
  });
});

test("voices made by hand beside a new stack are a question, if nobody holds them", () => {
  const names = ["narrator", "support", "evening"];
  const account = names.map((name) => ({ voice: `svc-tts-vc-${name}-voice-20260601110000000-0001`, targetModel: "m" }));
  const created = names.map((name) => step("create", name, { news: { audio: "a.wav" } }));
  const asked = review(created, { account, held: [] });
  expect(asked.questions.map(({ kind }) => kind)).toEqual(["create"]);
  expect(exitCodeOf(asked)).toBe(1);
  const elsewhere = new Map(account.map(({ voice }) => [voice, "organization/a/dev"]));
  expect(review(created, { account, held: [], elsewhere }).questions).toEqual([]);
  // After an update that the question has stopped, the stack has some voices.
  expect(review(created, { account, held: [holder("old")] }).questions).toHaveLength(1);
  const held = names.map((name) => holder(name));
  const listed = [...account, ...held.map(({ voice }) => ({ voice, targetModel: "m" }))];
  expect(review(created, { account: listed, held }).questions).toEqual([]);
});
