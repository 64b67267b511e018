import { splitUnknown, unknownValue } from "../../provider/src/rules/values";

test("an input with an unknown value at any depth is unknown, and a text with the engine's mark inside is not", () => {
  const { values, unknown } = splitUnknown({
    plain: unknownValue,
    inList: [1, unknownValue],
    inObject: { a: { b: [{ c: unknownValue }] } },
    text: `${unknownValue}.`,
    list: [1, null],
    object: { a: null },
  });
  expect([...unknown]).toEqual(["plain", "inList", "inObject"]);
  expect(values).toEqual({ text: `${unknownValue}.`, list: [1, null], object: { a: null } });
});

test("an input without a value is neither known nor unknown, and an empty value is known", () => {
  const { values, unknown } = splitUnknown({ absent: undefined, nothing: null, empty: "", zero: 0, no: false });
  expect(unknown.size).toBe(0);
  expect(Object.entries(values)).toEqual([
    ["empty", ""],
    ["zero", 0],
    ["no", false],
  ]);
});
