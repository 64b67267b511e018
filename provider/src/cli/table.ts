import stringWidth from "fast-string-width";
import { wrapAnsi } from "fast-wrap-ansi";
import { isolatedLine } from "../rules/visible";
import { terminalWidth } from "./print";

interface TableOptions {
  /** The largest width of the table, in characters. Default: the width of the terminal. */
  width?: number;
  /** Colours one padded line of a cell. `row`: the index in `rows`, or -1 for the head. */
  paint?: (line: string, row: number, column: number) => string;
}

/** Formats rows for a terminal. A cell that is longer than its column's width is wrapped, if possible between words. */
export function formatTable(
  head: string[],
  rows: string[][],
  limits: number[] = [],
  { width = terminalWidth(), paint = (line) => line }: TableOptions = {},
): string {
  const all = [head, ...rows];
  const limit = fitting(
    head.map((_, column) => Math.min(limits[column] ?? Infinity, longestLine(all, column))),
    width,
  );
  // A library would be slower: cli-table3 (0.6.5) takes 100 s for 20,000 rows.
  const wrapped = all.map((row) => row.map((cell, column) => wrap(cell, limit[column] ?? Infinity)));
  const widths = head.map((_, column) => longestLine(wrapped, column));
  const border = (left: string, middle: string, right: string) =>
    left + widths.map((each) => "─".repeat(each + 2)).join(middle) + right;
  const padded = (line: string, each: number) =>
    // `isolatedLine` keeps text that is written from right to left inside of its cell.
    ` ${isolatedLine(line)}${" ".repeat(Math.max(0, each - widthOf(line)))} `;
  const printed = wrapped.map((row, at) => {
    const lines = row.map((cell) => cell.split("\n"));
    return Array.from({ length: Math.max(...lines.map((cell) => cell.length)) }, (_, index) => {
      const cells = widths.map((each, column) => paint(padded(lines[column]?.[index] ?? "", each), at - 1, column));
      return `│${cells.join("│")}│`;
    }).join("\n");
  });
  const body = printed.join(`\n${border("├", "┼", "┤")}\n`);
  return [border("┌", "┬", "┐"), body, border("└", "┴", "┘")].join("\n");
}

/** The width of a line on a terminal. The characters by which `isolatedLine` isolates a text do not count. */
const widthOf = (line: string) => stringWidth(line.replace(/[\u2068\u2069]/g, ""));

function longestLine(rows: string[][], column: number): number {
  let longest = 0;
  for (const row of rows)
    for (const line of (row[column] ?? "").split("\n")) longest = Math.max(longest, widthOf(line));
  return longest;
}

/** Columns are not shrunk below this width, which has room for a word. */
const narrowestColumn = 8;

/** Shrinks the widest columns until a line of the table has at most this width. */
function fitting(widths: number[], width: number): number[] {
  const fits = [...widths];
  const excess = () => fits.reduce((sum, each) => sum + each + 3, 1) - width;
  while (excess() > 0 && Math.max(...fits) > narrowestColumn) {
    const widest = Math.max(...fits);
    fits[fits.indexOf(widest)] = widest - 1;
  }
  return fits;
}

/** Wraps lines between words, and breaks words that are longer than a line. New lines get the indent of their line. */
export function wrap(text: string, width: number): string {
  const wrapLine = (line: string) => {
    if (widthOf(line) <= width) return line;
    const indent = " ".repeat(line.search(/\S|$/));
    return indent + wrapAnsi(line.trimStart(), width - indent.length, { hard: true }).replaceAll("\n", `\n${indent}`);
  };
  return text.split("\n").map(wrapLine).join("\n");
}
