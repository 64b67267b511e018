import { lstatSync } from "node:fs";

/**
 * Throws if the path is a link or a folder. A link in a repository could make the emulator overwrite the link's target.
 */
export function assertRegularFile(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new Error(`The emulator cannot use ${path}: it is a link or a folder, not a regular file. Remove it.`);
}
