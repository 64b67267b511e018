import {
  containsHiddenSecret,
  secretSignature,
  signature,
  splitUnknown,
  unknownValue,
} from "../../provider/src/rules/unknown";

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

test.each<[what: string, wrap: (secret: object) => unknown]>([
  ["the value itself", (secret) => secret],
  ["a field", (secret) => ({ text: secret })],
  ["an element of a list at any depth", (secret) => ({ rights: { of: ["a", secret] } })],
])("a hidden secret is found as %s, and one that was read in clear is not hidden", (_, wrap) => {
  const mark = { [signature]: secretSignature };
  expect(containsHiddenSecret(wrap({ ...mark, ciphertext: "c" }))).toBe(true);
  expect(containsHiddenSecret(wrap({ ...mark, plaintext: '"hush"' }))).toBe(false);
});
