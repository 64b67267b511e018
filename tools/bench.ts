/**
 * `npm run bench`: what a thousand voices take, on the packed package, beside what the engine alone takes and what the usual way takes.
 * `--quick` takes a few minutes; `--json FILE` keeps the figures.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEmulator } from "../provider/src/emulator";
import { type Measured, measured, median } from "./bench/measure";
import { imagesScene, latencyScene, memoryScene, type Scene } from "./bench/scenes";
import { installFloor, programOf, type Way, ways } from "./bench/implementations";
import { getEngine } from "./engine/engine";
import { root } from "./local";
import { Stack } from "./stack";

const operations = ["up", "no-op preview", "no-op up", "refresh", "destroy"] as const;
type Operation = (typeof operations)[number];

const commandOf: Record<Operation, string[]> = {
  up: ["up", "--yes", "--skip-preview"],
  "no-op preview": ["preview"],
  "no-op up": ["up", "--yes", "--skip-preview"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  destroy: ["destroy", "--yes", "--skip-preview"],
};

/** Ratios to the floor that are promised, at the largest number of voices. */
const promised: Record<Operation, number> = {
  up: 1.1,
  "no-op preview": 1.15,
  "no-op up": 1.15,
  refresh: 1.15,
  destroy: 1.1,
};

interface Row {
  voices: number;
  operation: Operation;
  way: Way;
  round: number;
  seconds: number;
  peakMegabytes?: number;
  calls: Record<string, number>;
}

const say = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      voices: { type: "string" },
      rounds: { type: "string" },
      ways: { type: "string", default: ways.join(",") },
      scenes: { type: "string" },
      json: { type: "string" },
    },
  });
  const sizes = (values.voices ?? (values.quick ? "100" : "100,300,1000")).split(",").map(Number);
  const chosen = ways.filter((way) => values.ways.split(",").includes(way));
  const scenes = (values.scenes ?? (values.quick ? "latency" : "latency,memory,images")).split(",");
  const engine = await getEngine();
  const workshop = mkdtempSync(join(tmpdir(), "cloudvoice-bench-"));
  try {
    const modules = installed(workshop);
    const rows: Row[] = [];
    const bytes: { voices: number; way: Way; bytesPerVoice: number }[] = [];
    for (const voices of sizes) {
      const rounds = Number(values.rounds ?? 3);
      for (let round = 1; round <= rounds; round++)
        await inTurns({ voices, round, rounds, chosen, modules, workshop, rows, bytes });
    }
    const told: Scene[] = [];
    if (scenes.includes("latency")) told.push(await latencyScene(workshop, modules, say));
    if (scenes.includes("memory")) told.push(await memoryScene(workshop, modules, say));
    if (scenes.includes("images")) told.push(await imagesScene(workshop, modules, say));

    const machine = `${cpus().length} cores, Node.js ${process.versions.node}, Pulumi ${engine.version}, ${new Date().toISOString().slice(0, 10)}`;
    const table = summary(rows, chosen);
    const sizesOfState = bytesTable(bytes);
    console.log(`\n${machine}\n`);
    console.table(table);
    console.table(sizesOfState);
    if (told.length > 0) console.table(told);
    if (values.json)
      writeFileSync(
        values.json,
        `${JSON.stringify({ machine, table, bytes: sizesOfState, scenes: told, rows }, null, 2)}\n`,
      );
    const broken = [
      ...sizesOfState.filter((row) => row.kept === "no"),
      ...table.filter((row) => row.kept === "no"),
      ...told.filter((scene) => scene.kept === "no"),
    ];
    if (broken.length > 0) process.exitCode = 1;
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

/** The package as it is published, with its dependencies, in a folder of its own. */
function installed(workshop: string): string {
  say("packing and installing the package …");
  const run = (args: string[], cwd: string) =>
    execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [{ filename = "" } = {}] = JSON.parse(
    run(["pack", "--ignore-scripts", "--json", "--pack-destination", workshop, "-w", "pulumi-cloudvoice"], root),
  ) as { filename?: string }[];
  const project = join(workshop, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "project", private: true }));
  run(
    ["install", "--no-audit", "--no-fund", "--prefer-offline", join(workshop, filename), "@pulumi/pulumi@3.248"],
    project,
  );
  const modules = join(project, "node_modules");
  installFloor(modules);
  return modules;
}

interface Turn {
  voices: number;
  round: number;
  rounds: number;
  chosen: Way[];
  modules: string;
  workshop: string;
  rows: Row[];
  bytes: { voices: number; way: Way; bytesPerVoice: number }[];
}

/** Every operation by each way, one after the other, so that the machine's moods befall all alike. */
async function inTurns({ voices, round, rounds, chosen, modules, workshop, rows, bytes }: Turn): Promise<void> {
  const emulator = await startEmulator({
    voiceQuota: voices * 4,
    accounts: Object.fromEntries(chosen.map((way) => [way, `key-of-${way}`])),
  });
  try {
    // The usual way takes longer than the others together, and one look at it is enough.
    const present = chosen.filter((way) => way !== "usual" || voices < 1000 || round === 1);
    const stacks = new Map<Way, Stack>();
    for (const way of present) {
      const folder = mkdtempSync(join(workshop, `${way}-`));
      const settings = { CLOUDVOICE_VOICE_QUOTA: String(voices * 4) };
      stacks.set(
        way,
        (await Stack.in(folder, { url: emulator.url, apiKey: `key-of-${way}` }, { settings, modules })).program(
          programOf(way, voices),
        ),
      );
    }
    for (const operation of operations) {
      // Who begins changes from round to round.
      for (const way of [...present.slice(round % present.length), ...present.slice(0, round % present.length)]) {
        const stack = stacks.get(way);
        if (!stack) continue;
        const since = emulator.ledger().length;
        const { seconds, peakMegabytes }: Measured = await measured(stack, commandOf[operation]);
        const { calls } = emulator.summary(way, since);
        rows.push({
          voices,
          operation,
          way,
          round,
          seconds,
          calls,
          ...(peakMegabytes !== undefined && { peakMegabytes }),
        });
        say(`${voices} voices, round ${round} of ${rounds}: ${operation} by ${way}: ${seconds.toFixed(1)} s`);
        if (operation === "up" && round === 1)
          bytes.push({ voices, way, bytesPerVoice: Math.round(stateBytes(stack) / voices) });
      }
    }
  } finally {
    await emulator.close();
  }
}

/** The checkpoint as the engine writes it at every step. */
function stateBytes(stack: Stack): number {
  const folder = join(stack.folder, ".local", "state", ".pulumi", "stacks");
  const [file = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("dev.json"),
  );
  return statSync(join(folder, file)).size;
}

function summary(rows: Row[], chosen: Way[]) {
  const largest = Math.max(...rows.map(({ voices }) => voices));
  const groups = [...new Set(rows.map(({ voices, operation }) => `${voices}\0${operation}`))].map(
    (key) => key.split("\0") as [string, Operation],
  );
  return groups.map(([voices, operation]) => {
    const of = (way: Way) =>
      rows.filter((row) => row.voices === Number(voices) && row.operation === operation && row.way === way);
    const seconds = Object.fromEntries(
      chosen.map((way) => [`${way} (s)`, Number(median(of(way).map((row) => row.seconds)).toFixed(1))]),
    );
    // Pair by pair, for the machine's speed drifts from round to round.
    const ratios = of("ours").map(
      (row) => row.seconds / (of("floor").find(({ round }) => round === row.round)?.seconds ?? NaN),
    );
    const ratio = median(ratios);
    const calls = of("ours").at(-1)?.calls ?? {};
    const lists = Math.max(0, ...of("ours").map((row) => row.calls.list ?? 0));
    const peak = Math.max(0, ...of("ours").map((row) => row.peakMegabytes ?? 0));
    const judged = Number(voices) === largest && largest >= 1000 && !Number.isNaN(ratio);
    return {
      voices: Number(voices),
      operation,
      ...seconds,
      "ours / floor": Number(ratio.toFixed(2)),
      spread: ratios.map((each) => each.toFixed(2)).join(" "),
      calls:
        Object.entries(calls)
          .map(([action, count]) => `${count} ${action}`)
          .join(", ") || "none",
      "peak (MB)": Math.round(peak),
      // One page holds them all, so one walk of the list is one call.
      kept: judged ? (ratio <= promised[operation] && lists <= 1 ? "yes" : "no") : "",
    };
  });
}

function bytesTable(bytes: Turn["bytes"]) {
  const sizes = [...new Set(bytes.map(({ voices }) => voices))];
  return sizes.map((voices) => {
    const of = (way: Way) => bytes.find((row) => row.voices === voices && row.way === way)?.bytesPerVoice;
    const ours = of("ours") ?? NaN;
    const ratio = Number((ours / (of("floor") ?? NaN)).toFixed(2));
    const judged = voices >= 1000 && !Number.isNaN(ratio);
    return {
      voices,
      "ours (bytes a voice)": ours,
      floor: of("floor"),
      usual: of("usual"),
      "ours / floor": ratio,
      kept: judged ? (ratio <= 1.15 && ours <= 2600 ? "yes" : "no") : "",
    };
  });
}

void main();
