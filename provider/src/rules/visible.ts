/** Escapes every character that controls a terminal, breaks a line or changes the direction of writing. */
export function visible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    character === "\n" ? "⏎" : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
