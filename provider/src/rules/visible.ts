/**
 * Characters that a reader does not see as themselves: they control a terminal, break a line, change the direction of
 * writing or show nothing (all that Unicode lets a program ignore, and those with an empty picture); and the accents of
 * a letter from the ninth on, which cover the lines around it. No language has as many.
 */
const unseen =
  /[\u{16fe4}\u2800\u{13441}\u{13442}\u{1d159}\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<=\p{M}{8})\p{M}/gu;

/**
 * A text from outside as people and the runner of a pipeline may see it. Each character that is not seen as itself
 * becomes its code, and no part is a command of a runner.
 */
export function visible(text: string): string {
  return withoutCommands(
    text.replace(unseen, (character) =>
      character === "\n" ? "⏎" : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
    ),
  );
}

/**
 * The runner of a pipeline takes a line that begins with `::`, or has `##[` or `##vso[` anywhere, for a command of its
 * own.
 */
export function withoutCommands(text: string): string {
  return text.replace(/^([^\S\n]*):(?=:)/gm, "$1\\u{3a}").replace(/##(?=\w*\[)/g, "#\\u{23}");
}

/** Undoes {@link visible}, for a name that goes back to its origin. */
export function invisible(text: string): string {
  return text
    .replaceAll("⏎", "\n")
    .replace(/\\u\{([0-9a-f]{1,6})\}/g, (written, hex: string) =>
      parseInt(hex, 16) > 0x10ffff ? written : String.fromCodePoint(parseInt(hex, 16)),
    );
}
