import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "../../provider/src/cli/commands";
import { root } from "../support/files";

const page = readFileSync(join(root, "docs", "cli.md"), "utf8");
const { commands } = commandLine();

/** The cells of the rows that begin with code, in the tables of a part of the page. */
function rowsOf(heading: string): string[][] {
  const part = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return part
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
}

test("docs/cli.md lists all commands, in the order of --help", () => {
  const listed = [...page.matchAll(/^\| \[`(\w+)`\]\(#\w+\)/gm)].map(([, name]) => name);
  expect(listed).toEqual(commands.map((command) => command.name()));
});

test.each(commands.map((command) => [command.name(), command] as const))(
  "docs/cli.md lists the options of %s, with what they take and their defaults",
  (name, command) => {
    const rows = rowsOf(name);
    const options = command.options.filter(({ hidden }) => !hidden);
    expect(rows.map(([flags]) => flags).sort()).toEqual(options.map(({ flags }) => `\`${flags}\``).sort());
    for (const { flags, defaultValue } of options) {
      if (typeof defaultValue !== "string" && typeof defaultValue !== "number") continue;
      expect(
        rows
          .find(([cell]) => cell === `\`${flags}\``)
          ?.at(-1)
          ?.replaceAll("`", ""),
      ).toBe(String(defaultValue));
    }
  },
);
