/** Escapes every character that controls a terminal, breaks a line or changes the direction of writing. */
export function visible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    character === "\n" ? "⏎" : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Undoes {@link visible}, for a name that goes back to its origin. */
export function invisible(text: string): string {
  return text
    .replaceAll("⏎", "\n")
    .replace(/\\u\{([0-9a-f]{1,6})\}/g, (written, hex: string) =>
      parseInt(hex, 16) > 0x10ffff ? written : String.fromCodePoint(parseInt(hex, 16)),
    );
}
