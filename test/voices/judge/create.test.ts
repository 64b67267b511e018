import { LostAnswerError, RejectedError, ServiceError, UnexpectedAnswerError } from "../../../provider/src/errors";
import type { LeftRequest } from "../../../provider/src/voices/earlier-runs";
import {
  afterFailedCreate,
  againQuestion,
  type CreateFacts,
  judgeCreate,
  takeQuestionOf,
  unusableLine,
} from "../../../provider/src/voices/judge/create";

/** A generated name, no holder, states that could be read, and no unfinished create, unless a test says otherwise. */
type Facts = CreateFacts<{ voice: string; gmtCreate?: string | undefined }>;
const facts = (found: Facts["found"], changes: Partial<Facts> = {}): Facts => ({
  ...{ name: "n_1", found, generated: true },
  holderOf: () => undefined,
  isOwn: () => false,
  unfinished: undefined,
  statesKnown: true,
  ...changes,
});
const voice = (name: string, gmtCreate?: string) => ({ voice: name, gmtCreate });
const of = (name: string) => (id: string) => id === name;
const unfinished = (end: LeftRequest["end"], id?: string) => ({
  unfinished: { end, isOurs: end !== "unproven", sentMs: 0, id },
});

test("does nothing if the account has no voice of that name", () => {
  expect(judgeCreate(facts([]))).toEqual({ action: "none", lines: [] });
  expect(judgeCreate(facts([], { generated: false }))).toEqual({ action: "none", lines: [] });
});

describe("the name of a voice is no evidence that it is free, and neither is its age", () => {
  const [old, young] = [voice("v", "2025-03-10T11:48:00Z"), voice("w", "2026-03-10T11:48:00Z")];
  const held = { holderOf: (id: string) => (id === "v" ? "ren of the stack dev" : undefined) };

  test.each<[what: string, found: { voice: string }[], Partial<Facts>, expected: string]>([
    ["a voice without evidence is a question", [young], {}, "ask, if it stays listed"],
    ["a voice that the own state names is reused", [old, young], { isOwn: of("v") }, "v"],
    ["a voice that an open note of this stack covers is reused", [old], unfinished("sent"), "v"],
    ["of several, the newest", [old, young], unfinished("sent"), "w"],
    ["wherever it is listed", [young, old], unfinished("sent"), "w"],
    ["and before a voice whose list shows no date", [voice("u"), young], unfinished("sent"), "w"],
    ["also if it is listed before that voice", [young, voice("u")], unfinished("sent"), "w"],
    ["a note that names a voice is evidence for that one", [old, young], unfinished("made", "v"), "v"],
    ["and for no other of the same name", [young], unfinished("made", "v"), "ask, if it stays listed"],
    ["a pending operation is evidence for what stays listed", [old], unfinished("pending"), "v, if it stays listed"],
    ["a note that is not sealed with this key is none", [old], unfinished("unproven", "v"), "ask, if it stays listed"],
    ["a voice that another resource holds is left alone, and another is created", [old], held, "none"],
    ["also if a note covers it", [old], { ...held, ...unfinished("sent") }, "none"],
    ["beside a held voice, a free one is reused", [old, young], { ...held, ...unfinished("sent") }, "w"],
    ["if the states can't be read, nobody can say whose a voice is", [young], { statesKnown: false }, "reject"],
    ["nor the own state", [young], { statesKnown: false, isOwn: of("w") }, "reject"],
    ["but a note can", [young], { statesKnown: false, ...unfinished("sent") }, "w"],
  ])("%s", (_, found, changes, expected) => {
    const verdict = judgeCreate(facts(found, changes));
    const { action } = verdict;
    const said = action === "reuse" ? verdict.voice.voice : action;
    expect(said + ("mustStay" in verdict && verdict.mustStay ? ", if it stays listed" : "")).toBe(expected);
  });

  test("the log names the holder", () => {
    const { lines } = judgeCreate(facts([old], held));
    expect(lines).toEqual([expect.stringMatching(/voice v .*ren of the stack dev holds it.*voice of its own/)]);
  });

  test("the log says why a voice is reused", () => {
    const said = (changes: Partial<Facts>) => judgeCreate(facts([old], changes)).lines.join();
    expect(said({ isOwn: of("v") })).toMatch(/voice v is kept: .*same content\. To create another, change triggers/);
    expect(said(unfinished("sent"))).toMatch(/took the voice v, which an earlier create of this resource made/);
  });

  test("without states that can be read, the rejection says why and what to do", () => {
    expect(judgeCreate(facts([young], { statesKnown: false }))).toMatchObject({
      lines: [],
      reason: expect.stringMatching(/voice w\b.*n_1.*states.*could not be read.*adopt.*cloudvoice:namespace/) as string,
    });
  });

  test("the question names the voice, the generated name and every option, holds for the stack and costs nothing", () => {
    const verdict = judgeCreate(facts([old]));
    const { reason, ifAccepted } = verdict as Extract<typeof verdict, { action: "ask" }>;
    const { kind, uncertain, yes, request } = takeQuestionOf("https://a", "p/dev", reason);
    expect([kind, request]).toEqual(["take", undefined]);
    expect(uncertain).toMatch(
      /^The voice v, created on 2025-03-10, has the name of this resource, n_1, and nothing shows .*adopt.*cloudvoice:namespace.*delete.*triggers\.$/,
    );
    expect(yes).toMatch(/resources of this stack take the voices that have their names, at no cost/);
    expect(ifAccepted).toMatchObject({ action: "reuse", voice: old, mustStay: true });
    expect(ifAccepted.lines.join()).toMatch(/took the voice v for this resource, as a person has said/);
  });

  test("a voice whose list shows no date of its creation is asked about without one", () => {
    expect(judgeCreate(facts([voice("v")]))).toMatchObject({
      reason: expect.stringMatching(/^the voice v has the name of this resource/) as string,
      lines: [],
    });
  });
});

test("reuses no voice of a name that the program chose, and warns with the voices", () => {
  const found = [voice("v", "2026-03-10T11:59:00Z"), voice("w")];
  const chosen = { name: "bob", generated: false, ...unfinished("sent") };
  expect(judgeCreate(facts(found, chosen))).toEqual({
    action: "none",
    lines: [expect.stringMatching(/2 voices named bob: v, w\b.*adopt/) as unknown],
  });
  expect(judgeCreate(facts(found.slice(1), chosen)).lines.join()).toMatch(/a voice named bob: w\b/);
});

test("a voice that its row calls not usable is named, with what the row says and what a person can do", () => {
  expect(unusableLine("v", "status: DELETED")).toMatch(
    /voice v as not usable \(status: DELETED\).*Nothing is changed.*triggers/,
  );
});

describe("before a voice is created again", () => {
  const asked = {
    ...{ name: "n_1", origin: "https://a.example", stack: "studio/prod" },
    prices: { voicePrice: 0.01, currency: "USD" },
  };
  const note = { end: "made", id: "v" } as const;
  const doubt = "the list is doubtful";

  test("a person is told why it may exist, what it costs, and how it is taken instead", () => {
    const question = againQuestion({ end: "answered" }, [], { found: [] }, asked);
    expect(question).toMatchObject({ kind: "pay-again", request: "n_1", origin: "https://a.example" });
    expect(question?.uncertain).toMatch(
      /create the voice n_1 may have been billed.*\(the service answered the create with success\)\.$/,
    );
    expect(question?.yes).toBe("it is created again, and paid for: $0.01");
    expect(question?.otherwise).toMatch(/set adopt to that voice\.$/);
  });

  test.each<[what: string, listed: { voice: string }[], appeared: { voice: string }[], doubt: string | undefined]>([
    ["a list that proves nothing is a doubt", [], [], doubt],
    ["a voice that another resource holds now is none", [voice("v")], [], undefined],
    ["the held voice of another create is not this one", [voice("w")], [], doubt],
    ["a voice that has appeared since is no doubt", [voice("w")], [voice("w"), voice("x")], undefined],
    ["... and may be the only one that the last look found", [voice("w")], [voice("x")], undefined],
    ["a voice of another resource has not appeared since", [voice("w")], [voice("w")], doubt],
  ])("%s", (_, listed, appeared, expected) => {
    const question = againQuestion(note, listed, { found: appeared, doubt }, asked);
    expect(question?.uncertain.includes(doubt)).toBe(expected === undefined ? undefined : true);
  });

  test("a list that proves that there is none is no doubt, and a note that is not sealed with this key is one", () => {
    expect(againQuestion(note, [], { found: [] }, asked)).toBeUndefined();
    const unproven = againQuestion({ end: "unproven" }, [], { found: [] }, asked);
    expect(unproven?.uncertain).toMatch(/\(the journal has a note of it that is not/);
  });
});

const unknown = { billed: "unknown" } as const;

test.each<[what: string, error: unknown, mayResend: boolean | undefined]>([
  ["rejected", new RejectedError("no", { status: 400 }), undefined],
  ["stopped by an error of another kind", new TypeError("oops"), undefined],
  ["cut by a reset", new LostAnswerError("reset", unknown), true],
  ["done, with a response that was cut", new ServiceError("cut", { ...unknown, status: 200 }), false],
  ["done, with a response of an unknown form", new UnexpectedAnswerError("odd", { ...unknown, status: 200 }), false],
  ["redirected", new ServiceError("moved", { ...unknown, status: 300 }), true],
])("decides whether to look in the list and to send again after a create that was %s", (_, error, mayResend) => {
  const after = afterFailedCreate(error);
  expect(after).toEqual(mayResend === undefined ? undefined : { lost: error, mayResend });
});
