/** `npm run matrix`: the packed package in the projects that people have, each through the whole life of a stack on the real engine. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cells, isRefused, nameOf } from "./matrix/cells";
import { runCell, type Steps, workshopIn } from "./matrix/run";

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
  const chosen = cells.filter((cell) => nameOf(cell).includes(values.only));
  if (chosen.length === 0)
    throw new Error(`no project is named like ${JSON.stringify(values.only)}: ${cells.map(nameOf).join("; ")}`);
  const folder = mkdtempSync(join(tmpdir(), "cloudvoice-matrix-"));
  const table: Record<string, Steps> = {};
  try {
    console.error("packing, and fetching package managers and Node.js versions …");
    const workshop = workshopIn(folder, chosen);
    for (const [index, cell] of chosen.entries()) {
      const steps = await runCell(cell, workshop);
      table[nameOf(cell)] = steps;
      console.error(`${index + 1} of ${chosen.length}: ${nameOf(cell)}: ${Object.values(steps).join(", ")}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.table(table);
  const red = chosen.filter((cell) => {
    const { install, up, preview, refresh, destroy } = table[nameOf(cell)] ?? {};
    return isRefused(cell)
      ? up !== "refused, with the way on"
      : [install, up, preview, refresh, destroy].some((step) => step !== "ok");
  });
  if (red.length > 0) {
    console.error(`Not green: ${red.map(nameOf).join("; ")}`);
    process.exitCode = 1;
  }
}

void main();
