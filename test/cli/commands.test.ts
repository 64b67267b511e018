import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "../../provider/src/cli/commands";
import { root } from "../support/files";

const page = readFileSync(join(root, "docs", "cli.md"), "utf8");
const { commands } = commandLine();

/** A part of the page, by its heading. */
const partOf = (heading: string) => page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";

/** The cells of the rows that begin with code, in the tables of a part of the page. */
const rowsOf = (heading: string): string[][] =>
  partOf(heading)
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );

const flagsOf = (rows: string[][]) => rows.map(([flags = ""]) => flags.replaceAll("`", ""));
const optionsOf = (command: (typeof commands)[number]) => command.options.filter(({ hidden }) => !hidden);
const shared = flagsOf(rowsOf("Options of several commands"));

test("docs/cli.md lists all commands, in the order of --help", () => {
  const listed = [...page.matchAll(/^\| \[`(\w+)`\]\(#\w+\)/gm)].map(([, name]) => name);
  expect(listed).toEqual(commands.map((command) => command.name()));
});

test("docs/cli.md lists an option once for all commands only if several commands have it", () => {
  const having = (flags: string) =>
    commands.filter((command) => optionsOf(command).some((each) => each.flags === flags));
  expect(shared.filter((flags) => having(flags).length < 2)).toEqual([]);
});

test.each(commands.map((command) => [command.name(), command] as const))(
  "docs/cli.md lists the options of %s, with what they take and their defaults",
  (name, command) => {
    const rows = rowsOf(name);
    const options = optionsOf(command);
    const own = options.filter(({ flags }) => !shared.includes(flags) || flagsOf(rows).includes(flags));
    expect(flagsOf(rows).sort()).toEqual(own.map(({ flags }) => flags).sort());
    for (const { long } of options)
      expect(partOf(name)).toContain(long?.startsWith("--max-") ? "the limits" : `${long}`);
    for (const { flags, defaultValue } of options) {
      if (typeof defaultValue !== "string" && typeof defaultValue !== "number") continue;
      const row = rows.find(([cell]) => cell === `\`${flags}\``);
      expect(row?.at(-1)?.replaceAll("`", "")).toContain(`${defaultValue} (default)`);
    }
  },
);
