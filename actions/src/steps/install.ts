import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { installEnvironment } from "../environment";
import { projectFolder, withoutCommands } from "../job";
import { runToEnd } from "../run-to-end";

/**
 * Installs the packages of the program. The change controls the scripts of these packages. The scripts do not get
 * secrets, and all their processes have ended before a later step gets a secret.
 */
export async function install(): Promise<void> {
  const folder = projectFolder();
  const env = installEnvironment(process.env);
  const execute = async (name: string, args: string[]) => {
    const { code } = await withoutCommands(() => runToEnd({ name, args, cwd: folder, env }, randomUUID()));
    if (code !== 0) throw new Error(`${basename(name)} exited with ${code}, so the packages are not installed.`);
  };
  await execute("npm", ["ci"]);
  if (!existsSync(join(folder, "requirements.txt"))) return;
  // The file `Pulumi.yaml` that `init` writes names this virtual environment.
  await execute("python3", ["-m", "venv", "venv"]);
  const pip = join(folder, "venv", "bin", "pip");
  await execute(pip, ["install", "--quiet", "-r", "requirements.txt"]);
}
