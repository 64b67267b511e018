import { existsSync } from "node:fs";
import { join } from "node:path";
import { installEnvironment } from "../environment";
import { execute, projectFolder } from "../job";

/** Installs the packages of the program. Their scripts are the change's, and see no secret. */
export async function install(): Promise<void> {
  const folder = projectFolder();
  const env = installEnvironment(process.env);
  await execute("npm", ["ci"], folder, env);
  if (!existsSync(join(folder, "requirements.txt"))) return;
  // The virtual environment that the `Pulumi.yaml` of `init` names.
  await execute("python3", ["-m", "venv", "venv"], folder, env);
  const pip = join(folder, "venv", "bin", "pip");
  await execute(pip, ["install", "--quiet", "-r", "requirements.txt"], folder, env);
}
