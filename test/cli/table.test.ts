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

test("a table is as wide as its texts, and no wider than its columns", async () => {
  expect(await formatTable(["a", "b"], [["x", "one two three"]], [5, 8])).toBe(
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
