import { isBoundToAnother, resolveExistingVoice } from "../../provider/src/rules/existing-voice";
import { unknownValue } from "../../provider/src/rules/unknown";

const now = Date.parse("2026-03-10T12:00:00Z");
const voice = (name: string, gmtCreate?: string) => ({ voice: name, gmtCreate });

test("does nothing if the account has no voice of that name", () => {
  expect(resolveExistingVoice("n_1", true, [], now)).toEqual({});
  expect(resolveExistingVoice("bob", false, [], now)).toEqual({});
});

test.each([
  ["2026-03-10 12:03:00", /\b0 min ago/],
  ["2026-03-10 11:48:00", /\b12 min ago/],
  ["2026-03-10 10:01:00", /\b119 min ago/],
  ["2026-03-10 10:00:00", /\b2 h ago/],
  ["2026-03-09 12:00:01", /\b24 h ago/],
])("reuses a voice of a generated name created at %s, and warns with its age", (created, age) => {
  const verdict = resolveExistingVoice("n_1", true, [voice("v", created)], now);
  expect(verdict).toEqual({ reuse: voice("v", created), warn: expect.stringMatching(age) as unknown });
});

test("the warning about a reused voice names the voice and the settings that avoid it", () => {
  const { warn } = resolveExistingVoice("n_1", true, [voice("v", "2026-03-10 11:48:00")], now);
  expect(warn).toMatch(/voice v\b.*cloudvoice:namespace.*triggers/);
});

test.each([
  ["2026-03-09 12:00:00", /\b24 h old/],
  ["2026-03-08 13:00:00", /\b47 h old/],
  ["2026-03-08 12:00:00", /\b2 days old/],
  ["2025-03-10 12:00:00", /\b365 days old/],
  [undefined, /age is not known/],
  ["yesterday", /age is not known/],
])("rejects a voice of a generated name created at %s, and states its age", (created, age) => {
  const verdict = resolveExistingVoice("n_1", true, [voice("v", created)], now);
  expect(verdict).toEqual({ reject: expect.stringMatching(age) as unknown });
});

test("the rejection names the voice, the generated name and every option", () => {
  const { reject } = resolveExistingVoice("n_1", true, [voice("v")], now);
  expect(reject).toMatch(/voice v\b.*n_1.*adopt.*cloudvoice:namespace.*delete.*triggers/);
});

test.each([
  ["first", [voice("young", "2026-03-10 02:00:00"), voice("old", "2026-03-10 01:00:00"), voice("undated")]],
  ["last", [voice("undated"), voice("old", "2026-03-10 01:00:00"), voice("young", "2026-03-10 02:00:00")]],
])("reuses the youngest of several voices if it is listed %s", (_, found) => {
  expect(resolveExistingVoice("n_1", true, found, now).reuse?.voice).toBe("young");
});

test("reuses no voice of a name that the program chose, and warns with the voices", () => {
  const found = [voice("v", "2026-03-10 11:59:00"), voice("w")];
  expect(resolveExistingVoice("bob", false, found, now)).toEqual({
    warn: expect.stringMatching(/2 voices named bob: v, w\b.*adopt/) as unknown,
  });
  expect(resolveExistingVoice("bob", false, found.slice(1), now).warn).toMatch(/a voice named bob: w\b/);
});

test.each([
  ["the declared model", "m1", false],
  ["another model", "m2", true],
  ["a model that is not known yet", unknownValue, false],
])("compares the model of an adopted voice with %s", (_, targetModel, isAnother) => {
  expect(isBoundToAnother({ targetModel: "m1" }, targetModel)).toBe(isAnother);
});
