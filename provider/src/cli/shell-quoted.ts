/** A text from outside as one word of a command that people copy. */
export function shellQuoted(text: string): string {
  return /^[\w%+,./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
