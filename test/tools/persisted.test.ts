import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/files";

/** The tag `@persisted` (CONTRIBUTING.md) marks the lines whose texts or names stand in state files. */

const source = join(root, "provider", "src");
const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");

test("the files with the tag @persisted are those of the list of what must never change", () => {
  const tagged = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && readFileSync(join(source, file), "utf8").includes("@persisted"),
  );
  const [, section = ""] = /## What must never change\n([\s\S]*?)\n## /.exec(read("CONTRIBUTING.md")) ?? [];
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  const listed = rows.flatMap((row) =>
    [...(row.split("|")[2] ?? "").matchAll(/`([\w./-]+\.ts)`/g)].map(([, file]) => file),
  );
  expect([...new Set(listed)].sort()).toEqual(tagged.sort());
});

test("the map of the code has at most 16 concepts, each in a file", () => {
  const [, section = ""] =
    /## The concepts\n([\s\S]*?)\n## /.exec(`${read("docs", "contributing", "code.md")}\n## `) ?? [];
  const rows = section.split("\n").filter((line) => /^\| (?!concept|---)/.test(line));
  expect(rows.filter((row) => !/\| `[\w./-]+\.ts`[^|]*\|$/.test(row))).toEqual([]);
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.length).toBeLessThanOrEqual(16);
});
