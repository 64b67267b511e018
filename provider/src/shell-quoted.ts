import { visible } from "./rules/visible";

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
