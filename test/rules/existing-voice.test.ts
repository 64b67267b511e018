import {
  adoptionProblem,
  type Evidence,
  resolveExistingVoice,
  takeQuestionOf,
  unusableLine,
} from "../../provider/src/rules/existing-voice";
import { unknownValue } from "../../provider/src/rules/unknown";

const now = Date.parse("2026-03-10T12:00:00Z");
/** A generated name, no holder, states that could be read, and no unfinished create, unless a test says otherwise. */
const evidence = (changes: Partial<Evidence> = {}): Evidence => ({
  generated: true,
  holderOf: () => undefined,
  statesKnown: true,
  unfinished: false,
  takesAny: false,
  nowMs: now,
  ...changes,
});
const voice = (name: string, gmtCreate?: string) => ({ voice: name, gmtCreate });

test("does nothing if the account has no voice of that name", () => {
  expect(resolveExistingVoice("n_1", [], evidence())).toEqual({ lines: [] });
  expect(resolveExistingVoice("bob", [], evidence({ generated: false }))).toEqual({ lines: [] });
});

test.each([
  ["2026-03-10 12:03:00", /\b0 min ago/],
  ["2026-03-10 11:48:00", /\b12 min ago/],
  ["2026-03-10 10:01:00", /\b119 min ago/],
  ["2026-03-10 10:00:00", /\b2 h ago/],
  ["2026-03-09 12:00:01", /\b24 h ago/],
])("reuses a voice of a generated name created at %s, and warns with its age", (created, age) => {
  const verdict = resolveExistingVoice("n_1", [voice("v", created)], evidence());
  expect(verdict).toEqual({ reuse: voice("v", created), lines: [expect.stringMatching(age) as unknown] });
});

test("the warning about a reused voice names the voice and the settings that avoid it", () => {
  const { lines } = resolveExistingVoice("n_1", [voice("v", "2026-03-10 11:48:00")], evidence());
  expect(lines.join()).toMatch(/voice v\b.*cloudvoice:namespace.*triggers/);
});

test.each([
  ["2026-03-09 12:00:00", /\b24 h old/],
  ["2026-03-08 13:00:00", /\b47 h old/],
  ["2026-03-08 12:00:00", /\b2 days old/],
  ["2025-03-10 12:00:00", /\b365 days old/],
  [undefined, /age is not known/],
  ["yesterday", /age is not known/],
])("asks about a voice of a generated name created at %s, and states its age", (created, age) => {
  const verdict = resolveExistingVoice("n_1", [voice("v", created)], evidence());
  expect(verdict).toEqual({ lines: [], reject: expect.stringMatching(age) as unknown, isQuestion: true });
});

test("without states that can be read, rejects a recent voice too, and says why and what to do", () => {
  const verdict = resolveExistingVoice("n_1", [voice("v", "2026-03-10 11:48:00")], evidence({ statesKnown: false }));
  expect(verdict.lines).toEqual([]);
  expect(verdict.reject).toMatch(/voice v\b.*n_1.*states.*could not be read.*adopt.*cloudvoice:namespace/);
  // Another resource may hold it, so no person is asked to let it be taken.
  expect(verdict.isQuestion).toBeUndefined();
});

test("reuses a voice of unknown age if a person has said so, and states no age", () => {
  const { reuse, lines } = resolveExistingVoice("n_1", [voice("v")], evidence({ takesAny: true }));
  expect(reuse?.voice).toBe("v");
  expect(lines).toEqual([expect.stringMatching(/^took the voice v for this resource/)]);
});

test("the rejection names the voice, the generated name and every option", () => {
  const { reject } = resolveExistingVoice("n_1", [voice("v")], evidence());
  expect(reject).toMatch(/voice v\b.*n_1.*adopt.*cloudvoice:namespace.*delete.*triggers/);
});

test("the question about such a voice says what the rejection says, and that yes holds for the stack and costs nothing", () => {
  const { reject } = resolveExistingVoice("n_1", [voice("v")], evidence());
  const { kind, uncertain, yes, request } = takeQuestionOf("https://a", "p/dev", reject);
  expect([kind, request]).toEqual(["take", undefined]);
  expect(uncertain).toMatch(/^The voice v has the name of this resource, n_1,.*\.$/);
  expect(yes).toMatch(/resources of this stack take the voices that have their names, at no cost/);
});

test.each([
  ["first", [voice("young", "2026-03-10 02:00:00"), voice("old", "2026-03-10 01:00:00"), voice("undated")]],
  ["last", [voice("undated"), voice("old", "2026-03-10 01:00:00"), voice("young", "2026-03-10 02:00:00")]],
])("reuses the youngest of several voices if it is listed %s", (_, found) => {
  expect(resolveExistingVoice("n_1", found, evidence()).reuse?.voice).toBe("young");
});

test("reuses no voice of a name that the program chose, and warns with the voices", () => {
  const found = [voice("v", "2026-03-10 11:59:00"), voice("w")];
  expect(resolveExistingVoice("bob", found, evidence({ generated: false }))).toEqual({
    lines: [expect.stringMatching(/2 voices named bob: v, w\b.*adopt/) as unknown],
  });
  expect(resolveExistingVoice("bob", found.slice(1), evidence({ generated: false })).lines.join()).toMatch(
    /a voice named bob: w\b/,
  );
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

test("rejects the adoption of a voice that the account does not have", () => {
  expect(adoptionProblem("v", undefined, "m1")).toMatch(/^the account's list shows no voice v\b/);
});

describe("the name of a voice is no evidence that it is free", () => {
  const found = [voice("v", "2026-03-10 11:48:00")];
  const ancient = [voice("v", "2025-03-10 11:48:00")];
  const held = { holderOf: (id: string) => (id === "v" ? "ren of the stack dev" : undefined) };

  test.each<[what: string, found: { voice: string }[], Partial<Evidence>, "reuse" | "create" | "reject"]>([
    ["a young voice that no one holds is reused", found, {}, "reuse"],
    ["a voice that another resource holds is left alone, and another is created", found, held, "create"],
    ["also if an unfinished create of the same name is known", found, { ...held, unfinished: true }, "create"],
    ["an old voice is reused if an unfinished create of it is known", ancient, { unfinished: true }, "reuse"],
    ["an old voice is rejected without such a create", ancient, {}, "reject"],
    ["if a person has said so, an old voice is reused", ancient, { takesAny: true }, "reuse"],
    ["and one of unknown age", [voice("v")], { takesAny: true }, "reuse"],
    ["but never one that another resource holds", ancient, { ...held, takesAny: true }, "create"],
    ["nor one that may be held", ancient, { statesKnown: false, takesAny: true }, "reject"],
    ["if the states can't be read, a young voice is rejected", found, { statesKnown: false }, "reject"],
    [
      "if the states can't be read, an unfinished create is evidence",
      found,
      { statesKnown: false, unfinished: true },
      "reuse",
    ],
    ["beside a held voice, a free one is reused", [...found, voice("w", "2026-03-10 11:00:00")], held, "reuse"],
  ])("%s", (_, listed, changes, expected) => {
    const { reuse, reject } = resolveExistingVoice("n_1", listed, evidence(changes));
    expect(reuse ? "reuse" : reject === undefined ? "create" : "reject").toBe(expected);
  });

  test("the log names the holder", () => {
    const { lines } = resolveExistingVoice("n_1", found, evidence(held));
    expect(lines).toEqual([expect.stringMatching(/voice v .*ren of the stack dev holds it.*voice of its own/)]);
  });
});
