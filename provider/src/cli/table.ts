/** Formats rows for a terminal. A cell that is longer than its column's width is wrapped, if possible between words. */
export function formatTable(head: string[], rows: string[][], limits: number[] = []): string {
  const lines = [head, ...rows].map((row) =>
    row.map((cell, column) => wrap(cell, limits[column] ?? Infinity).split("\n")),
  );
  // Not by a library: cli-table3 (0.6.5) takes 100 s for 20,000 rows.
  const widths = head.map(() => 0);
  for (const row of lines)
    for (const [column, cell] of row.entries())
      for (const line of cell) widths[column] = Math.max(widths[column] ?? 0, widthOf(line));
  const border = (left: string, middle: string, right: string) =>
    left + widths.map((width) => "─".repeat(width + 2)).join(middle) + right;
  const padded = (line: string, width: number) => ` ${line}${" ".repeat(Math.max(0, width - widthOf(line)))} `;
  const printed = lines.map((row) =>
    Array.from({ length: Math.max(...row.map((cell) => cell.length)) }, (_, index) => {
      const cells = widths.map((width, column) => padded(row[column]?.[index] ?? "", width));
      return `│${cells.join("│")}│`;
    }).join("\n"),
  );
  const body = printed.join(`\n${border("├", "┼", "┤")}\n`);
  return [border("┌", "┬", "┐"), body, border("└", "┴", "┘")].join("\n");
}

/** The columns of a terminal that the text takes: two for a wide character, none for a mark on the one before. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  const columns = Array.from(text, (character) => (/\p{M}/u.test(character) ? 0 : isWide.test(character) ? 2 : 1));
  return columns.reduce<number>((sum, each) => sum + each, 0);
}
const isWide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60]/u;

/** Breaks lines between words, and words that are longer than a line. */
export function wrap(text: string, width: number): string {
  return text
    .split("\n")
    .flatMap((line) => {
      const lines: string[] = [];
      let current = "";
      for (const word of line.match(/\s*\S+/g) ?? []) {
        if ((current + word).length <= width) {
          current += word;
          continue;
        }
        if (current !== "") lines.push(current);
        current = word.trimStart();
        for (; current.length > width; current = current.slice(width)) lines.push(current.slice(0, width));
      }
      return [...lines, current];
    })
    .join("\n");
}
