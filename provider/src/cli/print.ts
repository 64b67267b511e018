/*
 * All that the commands print goes through here. Names and messages come from outside, and the runner of a pipeline
 * takes a line that begins with `::`, or has `##[` or `##vso[` anywhere, for a command of its own.
 */

export function printLine(text: string): void {
  console.log(withoutCommands(text));
}

export function printError(text: string): void {
  console.error(withoutCommands(text));
}

/** Prints a text with line ends of its own. */
export function printText(text: string): void {
  process.stdout.write(withoutCommands(text));
}

export function withoutCommands(text: string): string {
  return text.replace(/^([^\S\n]*):(?=:)/gm, "$1\\u{3a}").replace(/##(?=\w*\[)/g, "#\\u{23}");
}
