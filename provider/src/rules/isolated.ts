/** Letters of scripts from right to left: Hebrew, Arabic and their neighbours in Unicode. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const [open, close] = ["\u2068", "\u2069"];
const pairs = /\u2068([^\u2066-\u2069]*)\u2069/;

/**
 * Marks a text from outside for use in a line. The marks isolate its direction of writing: without them, `old → new` of
 * two Hebrew texts would be shown as `new → old`.
 */
export function isolated(text: string): string {
  return rightToLeft.test(text) && !text.includes(open) ? open + text + close : text;
}

/** Renders a line with isolated texts. `shown` renders each part, and `marks` are the marks of the output format. */
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

/** A line of a broken text, with whole pairs of marks. */
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
