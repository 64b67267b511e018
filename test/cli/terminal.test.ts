import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "../../provider/src/cli/commands";
import { parsePreview } from "../../provider/src/cli/review/preview";
import { textOf } from "../../provider/src/cli/review/text";
import { formatTable } from "../../provider/src/cli/table";
import { type Paint, terminalWidth } from "../../provider/src/cli/print";
import { root } from "../support/files";
import { review as reviewWith } from "../support/review-steps";

afterEach(() => jest.restoreAllMocks());

const preview = parsePreview(readFileSync(join(root, "test/cli/golden/preview.json")));
const review = () => reviewWith([], { preview });
const tableIn = (text: string) => text.split("\n").filter((line) => /^[┌│├└]/.test(line));

test.each([60, 80, 120])("the table of a review fits a terminal of %d columns, and leaves nothing out", (width) => {
  const lines = tableIn(textOf(review(), { width }));
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  const words = (text: string[]) => text.join("").replace(/[^a-z0-9]/gi, "").length;
  expect(words(lines)).toBe(words(tableIn(textOf(review()))));
});

test("the widest columns give first, and none becomes narrower than a word", () => {
  const table = (width: number) => formatTable(["a", "b"], [["x".repeat(10), "y".repeat(30)]], [], { width });
  expect(table(30).split("\n")[0]).toBe(`┌${"─".repeat(12)}┬${"─".repeat(15)}┐`);
  expect(table(10).split("\n")[0]).toBe(`┌${"─".repeat(10)}┬${"─".repeat(10)}┐`);
  expect(table(Infinity).split("\n")[0]).toHaveLength(47);
});

test("a colour says what a mark, an alarm or a title means, and changes no width", () => {
  const inColour: Paint = (meaning, text) => `<${meaning}>${text}</>`;
  const text = textOf(review(), { paint: inColour });
  for (const part of ["<title>Review of", "<new> + </>", "<careful> ± </>", "<bad> − </>", "<changed> ~ </>"])
    expect(text).toContain(part);
  expect(text.replace(/<[a-z/]*>/g, "")).toBe(textOf(review()).replace(/<[a-z/]*>/g, ""));
});

test("the width is that of the terminal, and unbounded without one", () => {
  expect(terminalWidth({ columns: 80 })).toBe(80);
  expect(terminalWidth({})).toBe(Infinity);
});

test.each(commandLine().commands.map((command) => [command.name(), command] as const))(
  "the help of %s ends with examples and where to read more",
  (name, command) => {
    let help = "";
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    expect(help).toMatch(/\nExamples:\n {2}npx --no-install pulumi-cloudvoice /);
    expect(help.trimEnd().endsWith(`More: docs/cli.md#${name}`)).toBe(true);
    // Each example has options that the command has.
    for (const [, option = ""] of help
      .split("Examples:")[1]!
      .split(" -- ")[0]!
      .matchAll(/ (--[a-z-]+)/g))
      if (option !== "--no-install") expect(command.options.map(({ long }) => long)).toContain(option);
  },
);

test("of many changes, the terminal shows every decision, and counts what it leaves out", () => {
  const voice = review().changes.find(({ kind }) => kind === "voice")!;
  const decision = review().changes.find(({ kind }) => kind === "decision")!;
  const voices = Array.from({ length: 21 }, (_, index) => ({ ...voice, why: `reason ${index % 7}` }));
  const text = textOf({ ...review(), changes: [...voices, { ...decision, why: "the only decision" }] });
  expect(text).toContain("the only decision");
  expect(text).toContain("… and 6 more changes for 2 other reasons");
});
