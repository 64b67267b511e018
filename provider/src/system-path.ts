import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { programFile } from "./system";

/**
 * The PATH without what a project brings along. `npm run` puts `node_modules/.bin` first, and Yarn a folder of its own,
 * so any dependency could stand in for `pulumi` or `git`. A relative or empty entry is a folder of the project, too.
 */
export function systemPath({ PATH = "", BERRY_BIN_FOLDER }: NodeJS.ProcessEnv = process.env): string {
  const isOfProject = (entry: string) =>
    !isAbsolute(entry) || /(^|[\\/])node_modules[\\/]+\.bin[\\/]*$/i.test(entry) || entry === BERRY_BIN_FOLDER;
  return PATH.split(delimiter)
    .filter((entry) => !isOfProject(entry))
    .join(delimiter);
}

/**
 * The same for the Pulumi command line. If the PATH has none, the newest of Pulumi's own folder is added: npm's package
 * `pulumi` and the Automation API install it there.
 */
export function pulumiPath(environment: NodeJS.ProcessEnv = process.env): string {
  return withPulumi(systemPath(environment), environment);
}

/** This PATH, which may be another command's, with a Pulumi command line if there is one. */
export function withPulumi(path: string, environment: NodeJS.ProcessEnv = process.env): string {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  if (folders.some(hasPulumi)) return path;
  const [newest] = installedPulumis(environment);
  return newest === undefined ? path : [...folders, newest].join(delimiter);
}

/** The folders of the installed command lines, the newest first. */
function installedPulumis({ PULUMI_HOME }: NodeJS.ProcessEnv): string[] {
  const home = PULUMI_HOME || join(homedir(), ".pulumi");
  // A relative folder is one of the project.
  if (!isAbsolute(home)) return [];
  const versions = join(home, "versions");
  return entriesOf(versions)
    .filter((name) => /^\d+\.\d+\.\d+/.test(name))
    .sort((one, other) => other.localeCompare(one, "en", { numeric: true }))
    .map((name) => join(versions, name, "bin"))
    .filter(hasPulumi);
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing was installed there.
    return [];
  }
}

function hasPulumi(folder: string): boolean {
  const file = programFile(folder, "pulumi");
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
