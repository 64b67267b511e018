import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../local";

/** The lines of the docs that give Pulumi the folder of the installed package. */
export function documentedLines(): { page: string; line: string }[] {
  const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => join("docs", name))];
  return pages
    .filter((page) => page.endsWith(".md"))
    .flatMap((page) =>
      [...readFileSync(join(root, page), "utf8").matchAll(/(?:^|`)(pulumi [^`\n]*node_modules[^`\n]*)/gm)].map(
        ([, line = ""]) => ({ page, line }),
      ),
    );
}
