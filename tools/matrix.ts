/**
 * `npm run matrix`: installs the packed package in many kinds of projects, and runs `up`, `preview`, `refresh` and
 * `destroy` in each one on the real engine, and in some on the oldest one. `--only TEXT` selects the projects whose name contains the text.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { prepare } from "./matrix/prepare";
import { isUnsupported, nameOf, type Project, projects } from "./matrix/projects";
import { rejected, runProject, type Steps } from "./matrix/run";

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
  const chosen = projects.filter((project) => nameOf(project).includes(values.only));
  if (chosen.length === 0)
    throw new Error(
      `No project has ${JSON.stringify(values.only)} in its name. ` +
        `Use a part of one of these names:\n${projects.map(nameOf).join("\n")}`,
    );
  const table = await runAll(chosen);
  console.table(table);
  const failed = chosen.filter((project) => !isAsExpected(project, table[nameOf(project)] ?? {}));
  if (failed.length > 0) {
    console.error(`Failed: ${failed.map(nameOf).join("; ")}`);
    process.exitCode = 1;
  }
}

async function runAll(chosen: Project[]): Promise<Record<string, Steps>> {
  const folder = mkdtempSync(join(tmpdir(), "cloudvoice-matrix-"));
  const table: Record<string, Steps> = {};
  try {
    console.error("Packing the package, and installing package managers and Node.js versions …");
    const shared = prepare(folder, chosen);
    for (const [index, project] of chosen.entries()) {
      const steps = await runProject(project, shared);
      table[nameOf(project)] = steps;
      console.error(`${index + 1} of ${chosen.length}: ${nameOf(project)}: ${Object.values(steps).join(", ")}`);
    }
    return table;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isAsExpected(project: Project, { install, up, preview, refresh, destroy }: Steps): boolean {
  return isUnsupported(project)
    ? up === rejected
    : [install, up, preview, refresh, destroy].every((step) => step === "ok");
}

void main();
