/**
 * Characters that mislead a reader: they control a terminal, break a line, change the direction of writing, or show
 * nothing. Also all accents of a letter after the eighth: they cover the lines around, and no language needs so many.
 */
const unseen =
  /[\u{16fe4}\u2800\u{13441}\u{13442}\u{1d159}\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<=\p{M}{8})\p{M}/gu;

/**
 * A text from outside that people and the runner of a pipeline may see. Misleading characters are replaced by their
 * codes, and no part is a command of a runner.
 */
export function visible(text: string): string {
  return withoutCommands(
    text.replace(unseen, (character) =>
      character === "\n" ? "⏎" : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
    ),
  );
}

/** A runner takes a line as a command if it begins with `::`, or has `##[` or `##vso[` anywhere. */
export function withoutCommands(text: string): string {
  return text.replace(/^([^\S\n]*):(?=:)/gm, "$1\\u{3a}").replace(/##(?=\w*\[)/g, "#\\u{23}");
}

/** Undoes {@link visible}, for a name that is sent back to its origin. */
export function invisible(text: string): string {
  return text
    .replaceAll("⏎", "\n")
    .replace(/\\u\{([0-9a-f]{1,6})\}/g, (written, hex: string) =>
      parseInt(hex, 16) > 0x10ffff ? written : String.fromCodePoint(parseInt(hex, 16)),
    );
}

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

/** One line of a text that was broken into lines. Completes each pair of `open` and `close` that a break separated. */
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

/** The texts of a list whose entries may have a condition: `[isLate && "it is late"]`. */
export function textsOf(list: readonly (string | false | undefined)[]): string[] {
  return list.filter((text) => typeof text === "string");
}

/** At most five of the texts, and how many more there are. */
export function firstOf(texts: readonly string[]): string {
  const more = texts.length - 5;
  return texts.slice(0, 5).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** `1 voice`, `2 voices`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Quotes a text for a command that people copy: a POSIX shell takes the result as one word, which equals the text. The
 * result has no character that {@link visible} replaces, so that it can be used in any message. (A line end at the very
 * end of such a text is lost, because shells drop it.)
 */
export function shellQuoted(text: string): string {
  if (visible(text) !== text) return `"$(printf ${inOctal(text)})"`;
  return /^[\w%+,./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function inOctal(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9_./]/.test(character) ? character : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `'${bytes.join("")}'`;
}
