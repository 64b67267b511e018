/**
 * `npm run bench`: measures stacks of up to a thousand voices with the packed package, and compares them with a stack
 * that costs only what the engine costs and with a provider as most people write it (see bench/implementations.ts).
 * docs/performance.md describes the options. The exit code is 1 if a bound is exceeded.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Implementation, implementations } from "./bench/implementations";
import { installPackedPackage } from "./bench/install";
import { type RoundResult, runRound } from "./bench/rounds";
import { type ScenarioResult, scenarios, type Setting } from "./bench/scenarios";
import { operationTable, stateTable } from "./bench/tables";
import { getEngine } from "./engine/engine";

interface Options {
  sizes: number[];
  rounds: number;
  chosen: Implementation[];
  scenarioNames: string[];
  pipelines: number;
  voicesPerPipeline: number;
  json: string | undefined;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      voices: { type: "string" },
      rounds: { type: "string", default: "3" },
      implementations: { type: "string", default: implementations.join(",") },
      scenarios: { type: "string" },
      pipelines: { type: "string", default: "10" },
      "voices-per-pipeline": { type: "string", default: "100" },
      json: { type: "string" },
    },
  });
  const names = values.implementations.split(",");
  return {
    sizes: (values.voices ?? (values.quick ? "100" : "100,300,1000")).split(",").map(Number),
    rounds: Number(values.rounds),
    chosen: implementations.filter((name) => names.includes(name)),
    scenarioNames: (values.scenarios ?? (values.quick ? "latency" : Object.keys(scenarios).join(","))).split(","),
    pipelines: Number(values.pipelines),
    voicesPerPipeline: Number(values["voices-per-pipeline"]),
    json: values.json,
  };
}

const log = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);

async function main(): Promise<void> {
  const options = readOptions();
  const engine = await getEngine();
  const folder = mkdtempSync(join(tmpdir(), "cloudvoice-bench-"));
  try {
    log("packing and installing the package …");
    const { pipelines, voicesPerPipeline } = options;
    const setting: Setting = { folder, modules: installPackedPackage(folder), pipelines, voicesPerPipeline, log };
    const { operations, states } = await runRounds(options, setting);
    const scenarioResults = await runScenarios(options, setting);
    const date = new Date().toISOString().slice(0, 10);
    report(options, {
      machine: `${cpus().length} cores, Node.js ${process.versions.node}, Pulumi ${engine.version}, ${date}`,
      table: operationTable(operations, options.chosen),
      bytes: stateTable(states),
      scenarios: scenarioResults,
      rows: operations,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runRounds({ sizes, rounds, chosen }: Options, setting: Setting): Promise<RoundResult> {
  const all: RoundResult = { operations: [], states: [] };
  for (const voices of sizes) {
    for (let round = 1; round <= rounds; round++) {
      const { operations, states } = await runRound({ voices, round, rounds, chosen, ...setting });
      all.operations.push(...operations);
      all.states.push(...states);
    }
  }
  return all;
}

async function runScenarios({ scenarioNames }: Options, setting: Setting): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = [];
  for (const [name, run] of Object.entries(scenarios))
    if (scenarioNames.includes(name)) results.push(...[await run(setting)].flat());
  return results;
}

interface Report {
  machine: string;
  table: ReturnType<typeof operationTable>;
  bytes: ReturnType<typeof stateTable>;
  scenarios: ScenarioResult[];
  rows: RoundResult["operations"];
}

/** Prints the tables, writes the JSON file, and sets the exit code. */
function report({ json }: Options, results: Report): void {
  console.log(`\n${results.machine}\n`);
  console.table(results.table);
  console.table(results.bytes);
  if (results.scenarios.length > 0) console.table(results.scenarios);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
  const judged = [...results.table, ...results.bytes, ...results.scenarios];
  if (judged.some(({ withinBound }) => withinBound === "no")) process.exitCode = 1;
}

void main();
