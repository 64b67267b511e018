import { lstatSync } from "node:fs";

/** Throws for anything else than a regular file: the target of a committed link would be emptied or overwritten. */
export function assertRegularFile(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new Error(`The emulator cannot use ${path}: it is a link or a folder, and no regular file. Remove it.`);
}
