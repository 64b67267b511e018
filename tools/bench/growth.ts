import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { startEmulator } from "../../provider/emulator";
import { pluginStack, writeProgram } from "../plugin-stack";
import type { Stack } from "../stack";
import { yamlOf } from "./implementations";
import { measure, measureCommand, type Measurement } from "./measure";
import type { ScenarioResult, Setting } from "./scenarios";

const usualSizes = [100, 300, 1000, 3000, 10_000];
/** Voices that others made, in one account with a thousand of ours. */
const voicesOfOthers = 100_000;
const largestGrowth = 1.5;
const providerMegabytesBound = 400;

const operations = {
  up: ["up", "--yes", "--skip-preview"],
  preview: ["preview"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  review: undefined,
  destroy: ["destroy", "--yes", "--skip-preview"],
};
type Operation = keyof typeof operations;
type Measured = Record<Operation, Measurement>;

/**
 * How time and memory grow with the number of voices: a `VoiceCatalog` of the plugin, with a program in YAML, without
 * checkpoints. `GROWTH=100,1000` measures other numbers.
 */
export async function growth(setting: Setting): Promise<ScenarioResult[]> {
  const sizes = process.env.GROWTH?.split(",").map(Number) ?? usualSizes;
  const bySize = new Map<number, Measured>();
  for (const size of sizes) bySize.set(size, await measureLife(setting, size));
  const crowded = await measureLife(setting, 1000, voicesOfOthers);
  const names = Object.keys(operations) as Operation[];
  const own = [...bySize].flatMap(([size, each]) => names.map((name) => rowOf(`${size} voices: ${name}`, each[name])));
  const beside = names.map((name) => rowOf(`1000 voices beside ${voicesOfOthers} of others: ${name}`, crowded[name]));
  return [...own, ...beside, ...names.flatMap((name) => growthRow(name, bySize))];
}

async function measureLife({ folder, modules, log }: Setting, voices: number, others = 0): Promise<Measured> {
  const project = mkdtempSync(join(folder, "growth-"));
  const quota = String(voices * 2 + others);
  const emulator = await startEmulator({ voiceQuota: Number(quota) });
  emulator.seedVoices("default", others);
  const settings = { CLOUDVOICE_VOICE_QUOTA: quota, PULUMI_SKIP_CHECKPOINTS: "true" };
  const stack = await pluginStack(project, emulator, { settings });
  writeProgram(project, yamlOf("catalog-yaml", voices), join(modules, "pulumi-cloudvoice", "plugin"));
  const result: Partial<Measured> = {};
  for (const [name, args] of Object.entries(operations) as [Operation, string[] | undefined][]) {
    const cli = join(modules, "pulumi-cloudvoice", "dist", "cli.js");
    const measurement = args ? await measure(stack, args) : await measureReview(stack, cli);
    log(`${voices} voices beside ${others}: ${describe(`${name} in`, measurement)}`);
    result[name] = measurement;
  }
  await emulator.close();
  return result as Measured;
}

/** The review of a stack without changes, and its page. */
async function measureReview(stack: Stack, cli: string): Promise<Measurement> {
  const { code, ...measurement } = await measureCommand(stack, cli, ["review", "--save", "review.html"]);
  if (code !== 0) throw new Error(`The review ended with ${code}.`);
  return measurement;
}

function describe(what: string, { seconds, peaks }: Measurement): string {
  const memory = Object.entries(peaks).map(([kind, megabytes]) => `${kind} ${Math.round(megabytes)} MB`);
  return `${what} ${seconds.toFixed(1)} s, ${memory.join(", ")}`;
}

function rowOf(scenario: string, measurement: Measurement): ScenarioResult {
  const isKept = (measurement.peakMegabytes ?? 0) < providerMegabytesBound;
  const bound = `provider ${providerMegabytesBound} MB`;
  return { scenario, measured: describe("", measurement).trim(), bound, withinBound: isKept ? "yes" : "no" };
}

/** The time for each voice at the largest number, compared with that at a thousand. */
function growthRow(name: Operation, bySize: Map<number, Measured>): ScenarioResult[] {
  const largest = Math.max(...bySize.keys());
  const [few, many] = [bySize.get(1000)?.[name].seconds, bySize.get(largest)?.[name].seconds];
  if (few === undefined || many === undefined || largest <= 1000) return [];
  const ratio = many / largest / (few / 1000);
  return [
    {
      scenario: `${name}: seconds for each voice, ${largest} to 1000`,
      measured: ratio.toFixed(2),
      bound: String(largestGrowth),
      withinBound: ratio <= largestGrowth ? "yes" : "no",
    },
  ];
}
