import { lstatSync } from "node:fs";

/** Throws if something else stands there: a link that was committed would have its target emptied or overwritten. */
export function assertRegularFile(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new Error(`The emulator cannot use ${path}: it is a link or a folder, and no regular file. Remove it.`);
}
