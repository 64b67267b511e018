import { lstatSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";

/** Empties the files with which a step sets variables of later steps: a program could find the files and fill them. */
export function emptyFileCommands(environment: NodeJS.ProcessEnv): void {
  for (const name of ["ENV", "PATH", "OUTPUT", "STATE"]) {
    const file = environment[`GITHUB_${name}`];
    if (file) truncateSync(file);
  }
}

/** Removes links and folders from a folder that is published. */
export function keepRegularFiles(folder: string): void {
  for (const name of readdirSync(folder))
    if (!isRegularFile(join(folder, name))) rmSync(join(folder, name), { recursive: true });
}

/** The size limit of a step's summary, and of a review that the command `comment` reads. */
const mostBytes = 1024 * 1024;

/**
 * The text of a review. Undefined if the file is not a regular file, or is too large: the program of a change could
 * have written the file.
 */
export function readReview(file: string): string | undefined {
  return isRegularFile(file) && lstatSync(file).size <= mostBytes ? readFileSync(file, "utf8") : undefined;
}

function isRegularFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
