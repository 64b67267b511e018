import { formatTable, wrap } from "../../provider/src/cli/table";

test.each<[string, string, number, string]>([
  ["a short text stays", "a b", 5, "a b"],
  ["a long text is wrapped between words", "one two three", 8, "one two\nthree"],
  ["a word that is longer than the line is broken", "see abcdefghij", 4, "see\nabcd\nefgh\nij"],
  ["lines and their indents stay", "why\n  field: x", 20, "why\n  field: x"],
  ["an empty line stays", "a\n\nb", 5, "a\n\nb"],
  ["without a width nothing is wrapped", "one two three", Infinity, "one two three"],
])("%s", (_, text, width, wrapped) => {
  expect(wrap(text, width)).toBe(wrapped);
});

test("a table is as wide as its texts, and no wider than its columns", () => {
  expect(formatTable(["a", "b"], [["x", "one two three"]], [5, 8])).toBe(
    [
      "┌───┬─────────┐",
      "│ a │ b       │",
      "├───┼─────────┤",
      "│ x │ one two │",
      "│   │ three   │",
      "└───┴─────────┘",
    ].join("\n"),
  );
});

test("wide characters take two columns, and marks none", () => {
  expect(formatTable(["a"], [["声"], ["e\u0301x"]]).split("\n")).toEqual([
    ...["┌────┐", "│ a  │", "├────┤", "│ 声 │", "├────┤", "│ e\u0301x │", "└────┘"],
  ]);
});

test("a table of 100,000 rows has them all", () => {
  // With cli-table3, 20,000 took longer than a minute, and these did not fit into the memory.
  const rows = Array.from({ length: 100_000 }, (_, index) => [`voice ${index}`, "name", "model", "2026-01-01"]);
  const lines = formatTable(["voice", "name", "target model", "created"], rows).split("\n");
  expect(lines).toHaveLength(2 * rows.length + 3);
  expect(lines.at(-2)).toContain("voice 99999");
});
