import { existsSync } from "node:fs";
import { join } from "node:path";
import { getInput } from "@actions/core";
import { installEnvironment } from "../environment";
import { execute, projectFolder } from "../job";

/**
 * Installs the packages of the program, without their scripts. A script could start a process that waits for the
 * secrets of a later step, also a script of a package that the program never loads.
 */
export async function install(): Promise<void> {
  const folder = projectFolder();
  const env = installEnvironment(process.env);
  const runsScripts = getInput("install-scripts") === "true";
  await execute("npm", ["ci", ...(runsScripts ? [] : ["--ignore-scripts"])], folder, env);
  if (!existsSync(join(folder, "requirements.txt"))) return;
  // The file `Pulumi.yaml` that `init` writes names this virtual environment.
  await execute("python3", ["-m", "venv", "venv"], folder, env);
  const pip = join(folder, "venv", "bin", "pip");
  // pip runs code of a package that has no wheel.
  const onlyWheels = runsScripts ? [] : ["--only-binary=:all:"];
  await execute(pip, ["install", "--quiet", ...onlyWheels, "-r", "requirements.txt"], folder, env);
}
