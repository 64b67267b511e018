import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Engine } from "./engine/engine";
import { localFolder, pulumiEnvironment } from "./local";

const projectName = "program";
/** The placeholder of the project's folder in the copied files. */
const placeholder = "{project folder}";

/**
 * Makes a new, selected stack in a project's folder, with its state in `.local`, by copying a stack: `pulumi stack
 * init` takes longer, and the tests make a hundred stacks. Returns false if the project is not called `program`.
 */
export function copyNewStack(folder: string, name: string, engine: Engine): boolean {
  const project = readFileSync(join(folder, "Pulumi.yaml"), "utf8");
  if (!new RegExp(`^\\s*"?name"?: "?${projectName}\\b`, "m").test(project)) return false;
  const original = originalOf(name, engine);
  cpSync(join(original, "state"), join(folder, ".local", "state"), { recursive: true });
  copyFileSync(join(original, settingsFile(name)), join(folder, settingsFile(name)));
  const selected = readFileSync(join(original, "selected.json"), "utf8").replaceAll(placeholder, folder);
  const workspaces = join(folder, ".local", "pulumi", "workspaces");
  mkdirSync(workspaces, { recursive: true });
  writeFileSync(join(workspaces, workspaceFile(folder)), selected);
  return true;
}

const settingsFile = (name: string) => `Pulumi.${name}.yaml`;

/** Pulumi remembers the selected stack in a file that is named after the path of the project. */
function workspaceFile(folder: string): string {
  const path = join(realpathSync(folder), "Pulumi.yaml");
  return `${projectName}-${createHash("sha1").update(path).digest("hex")}-workspace.json`;
}

/** The folder with the files of a new stack. The engine makes it at the first call. */
function originalOf(name: string, engine: Engine): string {
  const originals = join(localFolder, "new-stacks");
  const original = join(originals, `${engine.version}-${name}`);
  if (existsSync(original)) return original;
  mkdirSync(originals, { recursive: true });
  const into = mkdtempSync(join(originals, "making-"));
  const folder = mkdtempSync(join(tmpdir(), "cloudvoice-new-stack-"));
  try {
    writeFileSync(join(folder, "Pulumi.yaml"), `name: ${projectName}\nruntime: nodejs\n`);
    const { PULUMI_BACKEND_URL: _, ...inherited } = process.env;
    const env = pulumiEnvironment(engine, join(folder, ".local"), inherited);
    const init = spawnSync("pulumi", ["stack", "init", name, "--non-interactive"], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    if (init.status !== 0) throw new Error(init.error?.message ?? init.stderr);
    const workspaces = join(folder, ".local", "pulumi", "workspaces");
    const [selected = ""] = readdirSync(workspaces);
    cpSync(join(folder, ".local", "state"), join(into, "state"), { recursive: true });
    copyFileSync(join(folder, settingsFile(name)), join(into, settingsFile(name)));
    writeFileSync(
      join(into, "selected.json"),
      readFileSync(join(workspaces, selected), "utf8").replaceAll(folder, placeholder),
    );
    // Another process may have made it meanwhile.
    if (!existsSync(original)) renameSync(into, original);
  } catch (error) {
    if (!existsSync(original)) throw error;
  } finally {
    for (const each of [into, folder]) rmSync(each, { recursive: true, force: true });
  }
  return original;
}
