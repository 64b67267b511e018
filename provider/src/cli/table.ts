import stringWidth from "fast-string-width";
import { wrapAnsi } from "fast-wrap-ansi";

/** Formats rows for a terminal. A cell that is longer than its column's width is wrapped, if possible between words. */
export function formatTable(head: string[], rows: string[][], limits: number[] = []): string {
  const lines = [head, ...rows].map((row) =>
    row.map((cell, column) => wrap(cell, limits[column] ?? Infinity).split("\n")),
  );
  // Not by a library: cli-table3 (0.6.5) takes 100 s for 20,000 rows.
  const widths = head.map(() => 0);
  for (const row of lines)
    for (const [column, cell] of row.entries())
      for (const line of cell) widths[column] = Math.max(widths[column] ?? 0, stringWidth(line));
  const border = (left: string, middle: string, right: string) =>
    left + widths.map((width) => "─".repeat(width + 2)).join(middle) + right;
  const padded = (line: string, width: number) => ` ${line}${" ".repeat(Math.max(0, width - stringWidth(line)))} `;
  const printed = lines.map((row) =>
    Array.from({ length: Math.max(...row.map((cell) => cell.length)) }, (_, index) => {
      const cells = widths.map((width, column) => padded(row[column]?.[index] ?? "", width));
      return `│${cells.join("│")}│`;
    }).join("\n"),
  );
  const body = printed.join(`\n${border("├", "┼", "┤")}\n`);
  return [border("┌", "┬", "┐"), body, border("└", "┴", "┘")].join("\n");
}

/** Breaks lines between words, and words that are longer than a line. An indent stays. */
export function wrap(text: string, width: number): string {
  const wrapLine = (line: string) => {
    if (stringWidth(line) <= width) return line;
    const indent = " ".repeat(line.search(/\S|$/));
    return indent + wrapAnsi(line.trimStart(), width - indent.length, { hard: true }).replaceAll("\n", `\n${indent}`);
  };
  return text.split("\n").map(wrapLine).join("\n");
}
