/** `npm run changelog`: moves the files of `changes` into CHANGELOG.md, below the heading of this version. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../provider/package.json";
import { root } from "./local";

const folder = join(root, "changes");
const file = join(root, "CHANGELOG.md");

const names = readdirSync(folder).filter((name) => name !== "README.md");
const entries = names.map((name) => `- ${readFileSync(join(folder, name), "utf8").trim().replaceAll("\n", "\n  ")}\n`);
const changelog = readFileSync(file, "utf8");
const heading = new RegExp(`^## ${version.replaceAll(".", "\\.")}.*\n\n`, "m").exec(changelog)?.[0];
const firstRelease = changelog.search(/^## /m);
writeFileSync(
  file,
  heading === undefined
    ? `${changelog.slice(0, firstRelease)}## ${version}\n\n${entries.join("")}\n${changelog.slice(firstRelease)}`
    : changelog.replace(heading, heading + entries.join("")),
);
for (const name of names) rmSync(join(folder, name));
console.log(`CHANGELOG.md: ${names.length} changes`);
