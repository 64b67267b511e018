/**
 * Characters that mislead a reader: they control a terminal, break a line, change the direction of writing, or show
 * nothing. Also the accents of a letter from the ninth on, which cover the lines around it: no language has so many.
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
