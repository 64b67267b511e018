import { existsSync } from "node:fs";
import { join } from "node:path";
import { installEnvironment } from "./environment";
import { execute } from "./job";
import { cliIn } from "./project";

/** Installs the default branch's packages without their scripts. Returns the command of this package, if any. */
export async function releaseCli(folder: string): Promise<string | undefined> {
  if (!existsSync(join(folder, "package-lock.json"))) return undefined;
  await execute("npm", ["ci", "--ignore-scripts"], folder, installEnvironment(process.env));
  return cliIn(folder);
}
