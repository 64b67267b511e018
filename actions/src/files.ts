import { lstatSync, readFileSync } from "node:fs";

/** The size limit of a step's summary, and of a review that the command `comment` reads. */
const mostBytes = 1024 * 1024;

/**
 * The text of a review. Undefined if the file is not a regular file, or is too large: the program of a change could
 * have written the file.
 */
export function readReview(file: string): string | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size <= mostBytes ? readFileSync(file, "utf8") : undefined;
}
