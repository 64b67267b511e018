import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The file of the Pulumi project in this folder. Pulumi looks for these names in this order. */
export function projectFileIn(folder: string): string | undefined {
  return ["json", "yaml", "yml"].map((ending) => join(folder, `Pulumi.${ending}`)).find((path) => existsSync(path));
}

export function nearestProjectFile(folder: string): string | undefined {
  const parent = dirname(folder);
  return projectFileIn(folder) ?? (parent === folder ? undefined : nearestProjectFile(parent));
}
