/** Formats rows for a terminal. A cell that is longer than its column's width is wrapped, if possible between words. */
export async function formatTable(head: string[], rows: string[][], widths: number[] = []): Promise<string> {
  const { default: Table } = await import("cli-table3");
  const table = new Table({ head, style: { head: [], border: [] } });
  table.push(...rows.map((row) => row.map((cell, column) => wrap(cell, widths[column] ?? Infinity))));
  return table.toString();
}

/** cli-table3 (0.6.5) either breaks every word at the end of a line, or cuts off words that are longer than a line. */
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
