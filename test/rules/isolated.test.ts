import { inParts, isolated, isolatedLine } from "../../provider/src/rules/isolated";

const [open, close] = ["\u2068", "\u2069"];

test.each(["say", "naïve 声 1", "", "−±~→"])("a text that is written from left to right has no marks: %s", (text) => {
  expect(isolated(text)).toBe(text);
});

test.each([
  ["Hebrew", "שלום"],
  ["Arabic", "a مرحبا"],
  ["Arabic in the forms of letters", "\ufe8e"],
  ["Thaana", "ދިވެހި"],
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
