/** Quotes a text from outside for a command that people copy: a shell takes the result as one word. */
export function shellQuoted(text: string): string {
  return /^[\w%+,./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
