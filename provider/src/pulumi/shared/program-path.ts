import { isAbsolute, relative, sep } from "node:path";

/** An absolute path becomes relative to the program's folder, so that the state fits every machine. */
export function relativeToProgram(path: string): string {
  return isAbsolute(path) ? relative(process.cwd(), path).split(sep).join("/") || "." : path;
}
