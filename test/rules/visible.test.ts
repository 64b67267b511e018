import { invisible, visible, withoutCommands } from "../../provider/src/rules/visible";

test.each(["naïve 声 №7 🎙 a/b\\c", "re\u0301sume\u0301", "בְּרֵאשִׁ֖ית", "ตำน้ำพริก", "a: :b, #[c] ## d", "a::b"])(
  "leaves printable text as it is: %s",
  (text) => expect(visible(text)).toBe(text),
);

test.each([
  ["a line break", "a\nb\nc", "a⏎b⏎c"],
  ["a carriage return", "a\rb", "a\\u{d}b"],
  ["a terminal's escape sequence", "\u001b[31mred", "\\u{1b}[31mred"],
  ["a change of the writing direction", "a\u202eb", "a\\u{202e}b"],
  ["a line separator", "a\u2028b", "a\\u{2028}b"],
  ["a paragraph separator", "a\u2029b", "a\\u{2029}b"],
  ["a private character of two code units", "a\u{f0000}b", "a\\u{f0000}b"],
  ["the last character of all", "a\u{10ffff}b", "a\\u{10ffff}b"],
  ["a letter of Korean without a picture", "say\u3164", "say\\u{3164}"],
  ["the same at the beginning of a syllable", "\u115fsay", "\\u{115f}say"],
  ["the same in half the width", "s\uffa0ay", "s\\u{ffa0}ay"],
  ["Braille without a dot", "say\u2800", "say\\u{2800}"],
  ["what joins no letters", "s\u034fay", "s\\u{34f}ay"],
  ["a choice of a letter's picture", "say\ufe0f", "say\\u{fe0f}"],
  ["the same of the second list", "say\u{e0100}", "say\\u{e0100}"],
  ["a vowel of Khmer without a picture", "say\u17b4", "say\\u{17b4}"],
  ["a letter of Mongolian without a picture", "say\u180b", "say\\u{180b}"],
  ["a musical note without a picture", "say\u{1d159}", "say\\u{1d159}"],
  ["an empty hieroglyph", "say\u{13441}", "say\\u{13441}"],
  ["a filler of Khitan", "say\u{16fe4}", "say\\u{16fe4}"],
  ["a pile of accents", `say${"\u0301".repeat(40)}!`, `say${"\u0301".repeat(8)}${"\\u{301}".repeat(32)}!`],
  ["a pile of different accents", `y${"\u0301\u0323".repeat(5)}`, `y${"\u0301\u0323".repeat(4)}\\u{301}\\u{323}`],
  ["a command of GitHub's runner", "::set-output name=a::b", "\\u{3a}:set-output name=a::b"],
  ["the same behind white space", " \u00a0::error::", " \u00a0\\u{3a}:error::"],
  ["a command of a runner inside a text", "no: ##[error]approved", "no: #\\u{23}[error]approved"],
  ["a command of Azure Pipelines", "###vso[task.complete]", "##\\u{23}vso[task.complete]"],
  ["a command behind a character without a picture", "\u200b::error::", "\\u{200b}::error::"],
])("shows %s as text, from which the name can be had again", (_, text, expected) => {
  expect(visible(text)).toBe(expected);
  expect(visible(expected)).toBe(expected);
  expect(withoutCommands(expected)).toBe(expected);
  expect(invisible(expected)).toBe(text);
});

test("a name with the escape of no character is left as it is", () => {
  expect(invisible("a\\u{110000}b\\u{x}c\\u{}d")).toBe("a\\u{110000}b\\u{x}c\\u{}d");
});
