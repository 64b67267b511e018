import { inParts, invisible, isolated, isolatedLine, visible, withoutCommands } from "../../provider/src/rules/visible";

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
  ["a letter of Korean without a picture", "say\u3164", "say\\u{3164}"],
  ["Braille without a dot", "say\u2800", "say\\u{2800}"],
  ["a choice of a letter's picture, of two code units", "say\u{e0100}", "say\\u{e0100}"],
  ["a musical note without a picture", "say\u{1d159}", "say\\u{1d159}"],
  ["an empty hieroglyph", "say\u{13441}", "say\\u{13441}"],
  ["a filler of Khitan", "say\u{16fe4}", "say\\u{16fe4}"],
  ["a pile of accents", `say${"\u0301".repeat(40)}!`, `say${"\u0301".repeat(8)}${"\\u{301}".repeat(32)}!`],
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

const [open, close] = ["\u2068", "\u2069"];

test.each(["say", "naïve 声 1", "", "−±~→"])("a text that is written from left to right has no marks: %s", (text) => {
  expect(isolated(text)).toBe(text);
});

test.each([
  ["Hebrew", "שלום"],
  ["Arabic", "a مرحبا"],
  ["Arabic in the forms of letters", "\ufe8e"],
  ["Adlam", "\u{1e900}"],
  ["Old South Arabian", "\u{10a60}"],
])("a text with %s is between marks", (_, text) => {
  expect(isolated(text)).toBe(open + text + close);
  expect(isolated(isolated(text))).toBe(open + text + close);
});

test("the parts of a line are shown one by one, and the marks of others are left to what shows them", () => {
  const shown = (part: string) => part.replaceAll(open, "[o]").replaceAll(close, "[c]").toUpperCase();
  const line = `a: ${open}b${close} → ${open}c${close}`;
  expect(inParts(line, shown, ["<", ">"])).toBe("A: <B> → <C>");
  expect(inParts(`a${close}${open}${open}b${close}`, shown, ["<", ">"])).toBe("A[C][O]<B>");
});

test.each([
  [`old: ${open}שלום`, `old: ${open}שלום${close}`],
  [`עולם${close} → ${open}בוקר`, `${open}עולם${close} → ${open}בוקר${close}`],
  ["שלום", `${open}שלום${close}`],
  ["plain", "plain"],
])("a line that was broken has whole pairs of marks: %j", (line, whole) => {
  expect(isolatedLine(line)).toBe(whole);
});
