import { withoutCommands } from "../rules/visible";
import { styleText } from "node:util";

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

/** Formats JSON, and escapes characters that a terminal or a CI runner would take as commands. */
export function jsonOf(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const json = JSON.stringify(value, null, 2).replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    character.split("").map(escaped).join(""),
  );
  return `${json.replace(/##(?=\w*\[)/g, "#\\u0023")}\n`;
}

/** The number of characters in a line of the terminal. Infinity without a terminal. */
export function terminalWidth({ columns }: Partial<NodeJS.WriteStream> = process.stdout): number {
  return columns || Infinity;
}

export type Meaning = "good" | "new" | "changed" | "careful" | "bad" | "title";
const styles = { good: "green", new: "green", changed: "cyan", careful: "yellow", bad: "red", title: "bold" } as const;

/** Colours a text by its meaning. */
export type Paint = (meaning: Meaning, text: string) => string;

/** Colours text on a terminal or with FORCE_COLOR, and never with NO_COLOR. */
export const paint: Paint = (meaning, text) =>
  process.env.NO_COLOR ? text : styleText(styles[meaning], text, { stream: process.stdout });

/** Colours the cells of one column of a table by the meanings of their rows. */
export const colouring =
  (coloured: number, meanings: readonly Meaning[], by = paint) =>
  (cell: string, row: number, column: number) => {
    const meaning = column === coloured ? meanings[row] : undefined;
    return meaning === undefined ? cell : by(meaning, cell);
  };

export const plain: Paint = (_, text) => text;
