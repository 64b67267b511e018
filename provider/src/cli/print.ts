import { withoutCommands } from "../rules/visible";

/* All output of the commands goes through `withoutCommands`, because it contains texts from outside. */

export function printLine(text: string): void {
  console.log(withoutCommands(text));
}

export function printError(text: string): void {
  console.error(withoutCommands(text));
}

/** Prints a text that has its own line ends. */
export function printText(text: string): void {
  process.stdout.write(withoutCommands(text));
}
