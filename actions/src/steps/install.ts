import { existsSync } from "node:fs";
import { join } from "node:path";
import { installEnvironment } from "../environment";
import { execute, projectFolder } from "../job";

/** Installs the packages of the program. The change controls their scripts, which see no secret. */
export async function install(): Promise<void> {
  const folder = projectFolder();
  const env = installEnvironment(process.env);
  await execute("npm", ["ci"], folder, env);
  if (!existsSync(join(folder, "requirements.txt"))) return;
  // The `Pulumi.yaml` of `init` names this virtual environment.
  await execute("python3", ["-m", "venv", "venv"], folder, env);
  const pip = join(folder, "venv", "bin", "pip");
  await execute(pip, ["install", "--quiet", "-r", "requirements.txt"], folder, env);
}
