import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, posix, win32 } from "node:path";
import { attempt } from "./describe-thrown";

/**
 * The PATH without folders of a project, where any dependency could put its own `pulumi` or `git`: `node_modules/.bin`
 * of `npm run`, Yarn's folder, and relative or empty entries.
 */
export function systemPath({ PATH = "", BERRY_BIN_FOLDER }: NodeJS.ProcessEnv = process.env): string {
  const isOfProject = (entry: string) =>
    !isAbsolute(entry) || /(^|[\\/])node_modules[\\/]+\.bin[\\/]*$/i.test(entry) || entry === BERRY_BIN_FOLDER;
  return PATH.split(delimiter)
    .filter((entry) => !isOfProject(entry))
    .join(delimiter);
}

/**
 * Like {@link systemPath}, for Pulumi. If no folder of the PATH has Pulumi, adds the newest version in Pulumi's own
 * folder, where npm's package `pulumi` and the Automation API install it.
 */
export function pulumiPath(environment: NodeJS.ProcessEnv = process.env): string {
  return withPulumi(systemPath(environment), environment);
}

/** Adds an installed Pulumi to a PATH that has none. */
export function withPulumi(path: string, environment: NodeJS.ProcessEnv = process.env): string {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  if (folders.some(hasPulumi)) return path;
  const [newest] = installedPulumis(environment);
  return newest === undefined ? path : [...folders, newest].join(delimiter);
}

/** The folders of the versions in Pulumi's own folder, the newest first. */
function installedPulumis({ PULUMI_HOME }: NodeJS.ProcessEnv): string[] {
  const home = PULUMI_HOME || join(homedir(), ".pulumi");
  // A relative PULUMI_HOME would be a folder of the project.
  if (!isAbsolute(home)) return [];
  const versions = join(home, "versions");
  return (attempt(() => readdirSync(versions)) ?? [])
    .filter((name) => /^\d+\.\d+\.\d+/.test(name))
    .sort((one, other) => other.localeCompare(one, "en", { numeric: true }))
    .map((name) => join(versions, name, "bin"))
    .filter(hasPulumi);
}

function hasPulumi(folder: string): boolean {
  const file = programFile(folder, "pulumi");
  const isProgram = attempt(() => {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  });
  return isProgram === true;
}

/* The differences between operating systems, except those in `peer.ts`, which reads `/proc`. Only Linux has it. */

/** The folder of commands in the virtual environment of a Python project. */
export function commandsOfVenv(folder: string, platform = process.platform): string {
  return platform === "win32" ? win32.join(folder, "venv", "Scripts") : posix.join(folder, "venv", "bin");
}

/** The file of a program in a folder of the PATH. */
export function programFile(folder: string, name: string, platform = process.platform): string {
  return platform === "win32" ? win32.join(folder, `${name}.exe`) : posix.join(folder, name);
}
