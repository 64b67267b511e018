/**
 * `npm run generate`: writes what is derived from the schemas of inputs and settings.
 * `--check` only compares, and fails when a file is out of date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedFiles } from "./generate/files";
import { root } from "./local";

async function main(checkOnly: boolean): Promise<void> {
  const present = (file: string) => readFileSync(join(root, file), "utf8");
  const outdated = (await generatedFiles(present)).filter(({ path, content }) => present(path) !== content);
  if (!checkOnly) for (const { path, content } of outdated) writeFileSync(join(root, path), content);
  const paths = outdated.map(({ path }) => path).join(", ");
  if (outdated.length === 0) console.log("Every generated file is up to date.");
  else if (!checkOnly) console.log(`Written: ${paths}`);
  else {
    console.error(`Out of date: ${paths}. Run \`npm run generate\`.`);
    process.exitCode = 1;
  }
}

void main(process.argv.includes("--check"));
