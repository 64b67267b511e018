import { splitUnknown, unknownValue } from "../../provider/src/rules/unknown";

test("an input with an unknown value at any depth is unknown, and a text with the engine's mark inside is not", () => {
  const { known, unknown } = splitUnknown({
    plain: unknownValue,
    inList: [1, unknownValue],
    inObject: { a: { b: [{ c: unknownValue }] } },
    text: `${unknownValue}.`,
    list: [1, null],
    object: { a: null },
  });
  expect([...unknown]).toEqual(["plain", "inList", "inObject"]);
  expect(known).toEqual({ text: `${unknownValue}.`, list: [1, null], object: { a: null } });
});

test("an input without a value is neither known nor unknown, and an empty value is known", () => {
  const { known, unknown } = splitUnknown({ absent: undefined, nothing: null, empty: "", zero: 0, no: false });
  expect(unknown.size).toBe(0);
  expect(Object.entries(known)).toEqual([
    ["empty", ""],
    ["zero", 0],
    ["no", false],
  ]);
});
