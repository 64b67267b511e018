import { invisible, visible } from "../../provider/src/rules/visible";

test("leaves printable text as it is", () => {
  expect(visible("naïve 声 №7 🎙 a/b\\c")).toBe("naïve 声 №7 🎙 a/b\\c");
});

test.each([
  ["a line break", "a\nb\nc", "a⏎b⏎c"],
  ["a carriage return", "a\rb", "a\\u{d}b"],
  ["a terminal's escape sequence", "\u001b[31mred", "\\u{1b}[31mred"],
  ["a change of the writing direction", "a\u202eb", "a\\u{202e}b"],
  ["a line separator", "a\u2028b", "a\\u{2028}b"],
  ["a paragraph separator", "a\u2029b", "a\\u{2029}b"],
  ["a private character of two code units", "a\u{f0000}b", "a\\u{f0000}b"],
  ["the last character of all", "a\u{10ffff}b", "a\\u{10ffff}b"],
])("shows %s as text, from which the name can be had again", (_, text, expected) => {
  expect(visible(text)).toBe(expected);
  expect(invisible(expected)).toBe(text);
});

test("a name with the escape of no character is left as it is", () => {
  expect(invisible("a\\u{110000}b\\u{x}c\\u{}d")).toBe("a\\u{110000}b\\u{x}c\\u{}d");
});
