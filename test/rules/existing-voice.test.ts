import {
  adoptionProblem,
  type CreateFacts,
  foreignVoice,
  resolveExistingVoice,
  takeQuestionOf,
  type UnfinishedCreate,
  unusableLine,
} from "../../provider/src/rules/existing-voice";
import { unknownValue } from "../../provider/src/rules/unknown";

/** A generated name, no holder, states that could be read, and no unfinished create, unless a test says otherwise. */
const facts = (changes: Partial<CreateFacts> = {}): CreateFacts => ({
  generated: true,
  holderOf: () => undefined,
  isOwn: () => false,
  unfinished: undefined,
  statesKnown: true,
  isAccepted: false,
  ...changes,
});
const voice = (name: string, gmtCreate?: string) => ({ voice: name, gmtCreate });
const of = (name: string) => (id: string) => id === name;
const unfinished = (from: UnfinishedCreate["from"], named?: string) => ({
  unfinished: { from, isOurs: from !== "earlier release", sinceMs: 0, voice: named },
});

test("does nothing if the account has no voice of that name", () => {
  expect(resolveExistingVoice("n_1", [], facts())).toEqual({ lines: [] });
  expect(resolveExistingVoice("bob", [], facts({ generated: false }))).toEqual({ lines: [] });
});

describe("the name of a voice is no evidence that it is free, and neither is its age", () => {
  const [old, young] = [voice("v", "2025-03-10T11:48:00Z"), voice("w", "2026-03-10T11:48:00Z")];
  const held = { holderOf: (id: string) => (id === "v" ? "ren of the stack dev" : undefined) };

  test.each<[what: string, found: { voice: string }[], Partial<CreateFacts>, expected: string]>([
    ["a voice without evidence is a question", [young], {}, "question"],
    ["if a person has said yes, it is reused", [young], { isAccepted: true }, "w, if it stays listed"],
    ["a voice that the own state names is reused", [old, young], { isOwn: of("v") }, "v"],
    ["a voice that an open note of this stack covers is reused", [old], unfinished("note"), "v"],
    ["of several, the newest", [old, young], unfinished("note"), "w"],
    ["wherever it is listed", [young, old], unfinished("note"), "w"],
    ["a note that names a voice is evidence for that one", [old, young], unfinished("note", "v"), "v"],
    ["and for no other of the same name", [young], unfinished("note", "v"), "question"],
    ["a pending operation is evidence for what stays listed", [old], unfinished("state"), "v, if it stays listed"],
    ["a note of an earlier release is none", [old], unfinished("earlier release", "v"), "question"],
    ["a voice that another resource holds is left alone, and another is created", [old], held, "create"],
    ["also if a note covers it", [old], { ...held, ...unfinished("note") }, "create"],
    ["and if a person has said yes", [old], { ...held, isAccepted: true }, "create"],
    ["beside a held voice, a free one is reused", [old, young], { ...held, ...unfinished("note") }, "w"],
    ["if the states can't be read, nobody can say whose a voice is", [young], { statesKnown: false }, "reject"],
    ["not even a person", [young], { statesKnown: false, isAccepted: true }, "reject"],
    ["nor the own state", [young], { statesKnown: false, isOwn: of("w") }, "reject"],
    ["but a note can", [young], { statesKnown: false, ...unfinished("note") }, "w"],
  ])("%s", (_, found, changes, expected) => {
    const { reuse, mustStay, reject, isQuestion } = resolveExistingVoice("n_1", found, facts(changes));
    const said = reuse && `${reuse.voice}${mustStay ? ", if it stays listed" : ""}`;
    expect(said ?? (reject === undefined ? "create" : isQuestion ? "question" : "reject")).toBe(expected);
  });

  test("the log names the holder", () => {
    const { lines } = resolveExistingVoice("n_1", [old], facts(held));
    expect(lines).toEqual([expect.stringMatching(/voice v .*ren of the stack dev holds it.*voice of its own/)]);
  });

  test("the log says why a voice is reused", () => {
    const said = (changes: Partial<CreateFacts>) => resolveExistingVoice("n_1", [old], facts(changes)).lines.join();
    expect(said({ isOwn: of("v") })).toMatch(/voice v is kept: .*same content\. To create another, change triggers/);
    expect(said(unfinished("note"))).toMatch(/took the voice v, which an earlier create of this resource made/);
    expect(said({ isAccepted: true })).toMatch(/took the voice v for this resource, as a person has said/);
  });

  test("without states that can be read, the rejection says why and what to do", () => {
    const { reject } = resolveExistingVoice("n_1", [young], facts({ statesKnown: false }));
    expect(reject).toMatch(/voice w\b.*n_1.*states.*could not be read.*adopt.*cloudvoice:namespace/);
  });

  test("the question names the voice, the generated name and every option, holds for the stack and costs nothing", () => {
    const { reject } = resolveExistingVoice("n_1", [old], facts());
    const { kind, uncertain, yes, request } = takeQuestionOf("https://a", "p/dev", reject);
    expect([kind, request]).toEqual(["take", undefined]);
    expect(uncertain).toMatch(
      /^The voice v, created on 2025-03-10, has the name of this resource, n_1, and nothing shows .*adopt.*cloudvoice:namespace.*delete.*triggers\.$/,
    );
    expect(yes).toMatch(/resources of this stack take the voices that have their names, at no cost/);
  });
});

test("reuses no voice of a name that the program chose, and warns with the voices", () => {
  const found = [voice("v", "2026-03-10T11:59:00Z"), voice("w")];
  const chosen = facts({ generated: false, ...unfinished("note") });
  expect(resolveExistingVoice("bob", found, chosen)).toEqual({
    lines: [expect.stringMatching(/2 voices named bob: v, w\b.*adopt/) as unknown],
  });
  expect(resolveExistingVoice("bob", found.slice(1), chosen).lines.join()).toMatch(/a voice named bob: w\b/);
});

test.each([
  ["the declared model", "m1", undefined],
  ["another model", "m2", "the voice v is bound to m1; declare that as targetModel, or adopt another voice"],
  ["a model that is not known yet", unknownValue, undefined],
])("compares the model of an adopted voice with %s", (_, targetModel, problem) => {
  expect(adoptionProblem("v", { targetModel: "m1" }, targetModel)).toBe(problem);
});

test("a voice that its row calls not usable is named, with what the row says and what a person can do", () => {
  expect(unusableLine("v", "status: DELETED")).toMatch(
    /voice v as not usable \(status: DELETED\).*Nothing is changed.*triggers/,
  );
});

test.each<[what: string, voice: string, state: object, refused: boolean]>([
  ["the voice of the generated name", "svc-tts-vc-guide_1234567-voice-20260310114800000-beef", {}, false],
  ["under another prefix", "acme-guide_1234567-voice-20260310114800000-beef", {}, false],
  ["the voice of another name", "svc-tts-vc-boss_7654321-voice-20260310114800000-beef", {}, true],
  ["if it was adopted", "svc-tts-vc-boss_7654321-voice-20260310114800000-beef", { adopted: true }, false],
  ["if the program chose the name", "svc-tts-vc-boss-voice-20260310114800000-beef", { nameVersion: undefined }, false],
  ["a name of another shape, which proves nothing", "voice/8812", {}, false],
])("a state that names %s", (_, voice, changes, refused) => {
  const state = { adopted: false, preferredName: "guide_1234567", nameVersion: 1, ...changes };
  const problem = foreignVoice(voice, state);
  expect(problem === undefined ? false : /is not deleted: .*guide_1234567.*state delete/.test(problem)).toBe(refused);
});

test("rejects the adoption of a voice that the account does not have", () => {
  expect(adoptionProblem("v", undefined, "m1")).toMatch(/^the account's list shows no voice v\b/);
});
