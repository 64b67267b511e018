import { accessSync, constants } from "node:fs";

/** Whether this is a program that may be started. */
export function runnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
