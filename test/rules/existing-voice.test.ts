import { resolveExistingVoice } from "../../provider/src/rules/existing-voice";

const now = Date.parse("2026-03-10T12:00:00Z");
const voice = (name: string, gmtCreate?: string) => ({ voice: name, gmtCreate });

test("a young voice of a generated name is taken, and said with its age and how to separate", () => {
  const verdict = resolveExistingVoice("n_1", true, [voice("v", "2026-03-10 11:48:00")], now);
  expect(verdict.reuse?.voice).toBe("v");
  expect(verdict.warn).toMatch(/took the voice v, created 12 min ago.*cloudvoice:namespace.*triggers/);
});

test("the youngest of several is taken", () => {
  expect(
    resolveExistingVoice("n_1", true, [voice("old", "2026-03-10 01:00:00"), voice("young", "2026-03-10 02:00:00")], now)
      .reuse?.voice,
  ).toBe("young");
});

test.each([
  ["one day old", "2026-03-09 12:00:00"],
  ["a year old", "2025-03-09 12:00:00"],
  ["of an age that is not known", undefined],
  ["of a date that can't be read", "yesterday"],
])("a voice %s is an error that names it and every way on", (_, created) => {
  const verdict = resolveExistingVoice("n_1", true, [voice("v", created)], now);
  expect(verdict.reuse).toBeUndefined();
  expect(verdict.reject).toMatch(/v has the name.*adopt.*cloudvoice:namespace.*delete.*triggers/);
});

test("a clock that is behind the service's does not make a voice old", () => {
  expect(resolveExistingVoice("n_1", true, [voice("v", "2026-03-10 12:03:00")], now).reuse?.voice).toBe("v");
});

test("a name that the program chose takes nothing, and says what was found", () => {
  const verdict = resolveExistingVoice("bob", false, [voice("v", "2026-03-10 11:59:00"), voice("w")], now);
  expect(verdict.reuse ?? verdict.reject).toBeUndefined();
  expect(verdict.warn).toMatch(/2 voices named bob: v, w.*adopt/);
});
