import { mkdtempSync } from "node:fs";
import { delimiter, join } from "node:path";
import { startEmulator } from "../../provider/emulator";
import { oldestEngineVersion } from "../engine/build";
import { getEngine } from "../engine/engine";
import { type Run, Stack } from "../stack";
import { installDependencies, pathWithNode, type Shared } from "./prepare";
import { isUnsupported, type Project } from "./projects";
import { writeProject } from "./write-project";

/** The result of each step: `ok`, or the end of its output. */
export type Steps = Partial<Record<"install" | "up" | "preview" | "refresh" | "destroy", string>>;

/** The result of `up` for an unsupported project. */
export const rejected = "rejected, with instructions";

/** Installs the project, and runs `up`, `preview`, `refresh` and `destroy` in it. */
export async function runProject(project: Project, shared: Shared): Promise<Steps> {
  const base = mkdtempSync(join(shared.folder, "project-"));
  const folder = project.layout === "workspace" ? join(base, "infra") : base;
  writeProject(project, base, folder, shared);
  try {
    installDependencies(project, base, shared);
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    return { install: endOf(`${stdout ?? ""}\n${stderr ?? String(error)}`) };
  }
  return { install: "ok", ...(await runStack(project, folder, shared)) };
}

async function runStack(project: Project, folder: string, shared: Shared): Promise<Steps> {
  const emulator = await startEmulator();
  try {
    const created = await Stack.of(folder, emulator, {
      ...(project.program === "yaml" && { host: "pulumi-language-yaml" }),
      // Built at the first run, because an installed engine has another version.
      ...(project.engine === "oldest" && { engine: await getEngine({ path: "", version: oldestEngineVersion }) }),
    });
    const path = pathWithNode(project, shared, created.env.PATH);
    // `npm run` puts this folder on the PATH.
    const commands = join(folder, "node_modules", ".bin");
    const stack = created.with({ PATH: project.program === "native" ? [commands, path].join(delimiter) : path });
    const up = await stack.up();
    if (isUnsupported(project)) return { up: isRejectedWithInstructions(up) ? rejected : endOf(up.output) };
    return {
      up: resultOf(up, emulator.summary().voicesBilled === 2),
      preview: resultOf(await stack.preview("--expect-no-changes")),
      refresh: resultOf(await stack.refresh("--expect-no-changes")),
      destroy: resultOf(await stack.destroy(), emulator.voices().length === 0),
    };
  } finally {
    await emulator.close();
  }
}

function isRejectedWithInstructions({ output }: Run): boolean {
  const text = output.replace(/\s+/g, " ");
  return /pulumi-cloudvoice can't be found from the program's folder.*npm install pulumi-cloudvoice/.test(text);
}

function resultOf({ code, output }: Run, isAsExpected = true): string {
  if (code !== 0) return endOf(output);
  return isAsExpected ? "ok" : "Pulumi succeeded, but the emulator has other voices than expected";
}

function endOf(output: string): string {
  return output.trim().split("\n").slice(-8).join(" ").replace(/\s+/g, " ").slice(-300);
}
