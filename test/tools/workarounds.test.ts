import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/files";

const sources = join(root, "provider", "src");

test("the table of workarounds names every file with a workaround, and no other, and gives a reason for each", () => {
  const table = readFileSync(join(root, "docs", "contributing", "workarounds.md"), "utf8");
  const rows = [...table.matchAll(/^\| (`[^|]+`) \| .{10,} \|$/gm)].map(([, files = ""]) => files);
  const named = rows.flatMap((files) => [...files.matchAll(/`([^`]+)`/g)].map(([, file]) => file));
  const marked = readdirSync(sources, { encoding: "utf8", recursive: true })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => /^.*(\/\/|\*) .*\bWorkaround\b/m.test(readFileSync(join(sources, file), "utf8")));
  expect([...new Set(named)].sort()).toEqual(marked.sort());
});
