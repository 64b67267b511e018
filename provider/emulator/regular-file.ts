import { lstatSync } from "node:fs";

/** Throws for a link or a folder. Through a committed link, the emulator would empty or overwrite the target. */
export function assertRegularFile(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new Error(`The emulator cannot use ${path}: it is a link or a folder, and no regular file. Remove it.`);
}
