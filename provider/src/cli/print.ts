import { withoutCommands } from "../rules/visible";

/*
 * All output of the commands goes through `withoutCommands`, because a CI runner could take a text from outside as a
 * command.
 */

export function printLine(text: string): void {
  console.log(withoutCommands(text));
}

export function printError(text: string): void {
  console.error(withoutCommands(text));
}

/** Prints a text without adding a line end. */
export function printText(text: string): void {
  process.stdout.write(withoutCommands(text));
}
