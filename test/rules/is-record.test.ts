import { isRecord } from "../../provider/src/rules/is-record";

test.each([
  [{}, true],
  [{ key: 1 }, true],
  [[], false],
  [null, false],
  [undefined, false],
  ["text", false],
  [1, false],
  [() => ({}), false],
])("%p has keys: %s", (value, expected) => {
  expect(isRecord(value)).toBe(expected);
});
