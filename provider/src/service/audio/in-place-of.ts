import { existsSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { attempt } from "../../attempt";
import { whyAbsent } from "../../git";
import { type InPlaceOfFile, isSimilarName } from "../../rules/missing-file";

/** Looks for the reason why a file is missing: another spelling, another system, or, if `asksGit`, Git. */
export async function inPlaceOf(file: string, asksGit: boolean): Promise<InPlaceOfFile | undefined> {
  return inPlaceInFolder(file) ?? (asksGit ? whyAbsent(file) : undefined);
}

export function inPlaceInFolder(file: string): InPlaceOfFile | undefined {
  const isWindows = sep === "\\";
  const path = relative(process.cwd(), file);
  const wanted = isWindows ? path.replaceAll(sep, "/") : path;
  const target = attempt(() => readlinkSync(file));
  if (target !== undefined) return { what: "dangling link", target };
  if (!isWindows && /^[a-z]:[\\/]/i.test(wanted)) return { what: "path of Windows" };
  const there = similarFile(wanted.split(/[\\/]/));
  if (there !== undefined && there !== wanted) return { what: "similar file", wanted, there };
  if (!isWindows && wanted.includes("\\")) return { what: "backslashes" };
  return undefined;
}

/** Follows the names from the program's folder. Returns the path of a file whose names are similar. */
function similarFile(names: readonly string[]): string | undefined {
  let at = "";
  for (const name of names) {
    const isThere = existsSync(join(at, name));
    const found = isThere ? name : attempt(() => readdirSync(at || "."))?.find((each) => isSimilarName(each, name));
    if (found === undefined) return undefined;
    at = join(at, found);
  }
  return attempt(() => statSync(at).isFile()) ? at.split(sep).join("/") : undefined;
}
