/** Letters that are written from right to left: Hebrew, Arabic and the scripts beside them in Unicode. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const [open, close] = ["\u2068", "\u2069"];
const pairs = /\u2068([^\u2066-\u2069]*)\u2069/;

/**
 * A text from outside for use inside a line. Between the two marks, its direction of writing does not reach what is
 * beside it: `old → new` of two Hebrew texts would be shown as `new → old`.
 */
export function isolated(text: string): string {
  return rightToLeft.test(text) && !text.includes(open) ? open + text + close : text;
}

/**
 * A line with isolated texts in a form of output: `shown` of each part, and the marks as that form has them. Marks of
 * others are left to `shown`.
 */
export function inParts(
  line: string,
  shown: (part: string) => string,
  marks: [string, string] = [open, close],
): string {
  return line
    .split(pairs)
    .map((part, at) => (at % 2 === 0 ? shown(part) : marks[0] + shown(part) + marks[1]))
    .join("");
}

/** A line of a text that was broken into several: each has whole pairs of marks. */
export function isolatedLine(line: string): string {
  let depth = 0;
  let before = 0;
  for (const letter of line) {
    if (letter === open) depth++;
    else if (letter === close && depth > 0) depth--;
    else if (letter === close) before++;
  }
  return isolated(open.repeat(before) + line + close.repeat(depth));
}
