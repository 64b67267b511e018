import { judgeFound } from "../../provider/src/decide/found-voice";

const now = Date.parse("2026-03-10T12:00:00Z");
const voice = (name: string, gmtCreate?: string) => ({ voice: name, gmtCreate });

test("a young voice of a generated name is taken, and said with its age and how to separate", () => {
  const verdict = judgeFound("n_1", true, [voice("v", "2026-03-10 11:48:00")], now);
  expect(verdict.take?.voice).toBe("v");
  expect(verdict.say).toMatch(/took the voice v, made 12 min ago.*cloudvoice:namespace.*triggers/);
});

test("the youngest of several is taken", () => {
  expect(
    judgeFound("n_1", true, [voice("old", "2026-03-10 01:00:00"), voice("young", "2026-03-10 02:00:00")], now).take
      ?.voice,
  ).toBe("young");
});

test.each([
  ["one day old", "2026-03-09 12:00:00"],
  ["a year old", "2025-03-09 12:00:00"],
  ["of an age that is not known", undefined],
  ["of a date that can't be read", "yesterday"],
])("a voice %s is an error that names it and every way on", (_, created) => {
  const verdict = judgeFound("n_1", true, [voice("v", created)], now);
  expect(verdict.take).toBeUndefined();
  expect(verdict.refuse).toMatch(/v bears the name.*adopt.*cloudvoice:namespace.*delete.*triggers/);
});

test("a clock that is behind the service's does not make a voice old", () => {
  expect(judgeFound("n_1", true, [voice("v", "2026-03-10 12:03:00")], now).take?.voice).toBe("v");
});

test("a name that the program chose takes nothing, and says what was found", () => {
  const verdict = judgeFound("bob", false, [voice("v", "2026-03-10 11:59:00"), voice("w")], now);
  expect(verdict.take ?? verdict.refuse).toBeUndefined();
  expect(verdict.say).toMatch(/2 voices named bob: v, w.*adopt/);
});
