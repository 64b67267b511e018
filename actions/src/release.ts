import { existsSync } from "node:fs";
import { join } from "node:path";
import { installEnvironment } from "./environment";
import { execute } from "./job";
import { cliIn } from "./project";

/**
 * Installs the packages of the default branch without running their scripts. Returns the path of the command
 * `pulumi-cloudvoice`. Undefined if the branch lacks this package.
 */
export async function releaseCli(folder: string): Promise<string | undefined> {
  if (!existsSync(join(folder, "package-lock.json"))) return undefined;
  await execute("npm", ["ci", "--ignore-scripts"], folder, installEnvironment(process.env));
  return cliIn(folder);
}
