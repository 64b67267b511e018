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
    .filter((line) => line.startsWith("| `--"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );

test("docs/cli.md lists all commands, in the order of --help", () => {
  const listed = [...page.matchAll(/^\| \[`(\w+)`\]\(#\w+\)/gm)].map(([, name]) => name);
  expect(listed).toEqual(commands.map((command) => command.name()));
});

test.each(commands.map((command) => [command.name(), command] as const))(
  "docs/cli.md names every option of %s, and has rows of its options only, with what they take and their defaults",
  (name, command) => {
    const options = command.options.filter(({ hidden }) => !hidden);
    for (const { long } of options)
      expect(partOf(name)).toContain(isLimit(name, long) ? "the limits of `review`" : long);
    for (const [flags = "", text = ""] of rowsOf(name))
      for (const [, flag = ""] of flags.matchAll(/`([^`]+)`/g)) {
        const option = options.find((each) => each.flags === flag);
        expect([flag, option?.flags]).toEqual([flag, flag]);
        const { defaultValue } = option as { defaultValue?: unknown };
        if (typeof defaultValue === "string") expect(text).toContain(`\`${defaultValue}\` (default)`);
      }
  },
);

const isLimit = (command: string, long: string | undefined) => command === "up" && long === "--limit";
