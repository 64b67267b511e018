/** Formats rows for a terminal. Columns with a given width wrap their text. */
export async function formatTable(head: string[], rows: string[][], columnWidths?: number[]): Promise<string> {
  const { default: Table } = await import("cli-table3");
  const wrapping = columnWidths && { colWidths: columnWidths, wordWrap: true, wrapOnWordBoundary: false };
  const table = new Table({ head, style: { head: [], border: [] }, ...wrapping });
  table.push(...rows);
  return table.toString();
}
