import { mkdtempSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { pluginStack, writeProgram } from "../plugin-stack";
import { Stack } from "../stack";
import { type Implementation, isYaml, programOf, yamlOf } from "./implementations";
import { measure, type Measurement } from "./measure";
import type { Setting } from "./scenarios";

export const operations = ["up", "no-op preview", "no-op up", "refresh", "destroy"] as const;
export type Operation = (typeof operations)[number];

const commandOf: Record<Operation, string[]> = {
  up: ["up", "--yes", "--skip-preview"],
  "no-op preview": ["preview"],
  "no-op up": ["up", "--yes", "--skip-preview"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  destroy: ["destroy", "--yes", "--skip-preview"],
};

/** The measurement of one operation. */
export interface OperationRow {
  voices: number;
  operation: Operation;
  implementation: Implementation;
  round: number;
  seconds: number;
  peakMegabytes?: number;
  cpu: Measurement["cpu"];
  calls: Record<string, number>;
}

/** The size of one stack's state. */
export interface StateRow {
  voices: number;
  implementation: Implementation;
  bytesPerVoice: number;
}

export interface RoundResult {
  operations: OperationRow[];
  states: StateRow[];
}

interface Round extends Setting {
  voices: number;
  round: number;
  rounds: number;
  chosen: Implementation[];
  /** Additional environment variables of all runs. */
  variables?: Record<string, string>;
}

/**
 * Runs every operation with each implementation in turn. The implementations alternate within an operation, so that a
 * slow minute of the machine affects all of them.
 */
export async function runRound(settings: Round): Promise<RoundResult> {
  const { voices, round, rounds, chosen, log } = settings;
  const emulator = await startEmulator({
    voiceQuota: voices * 4,
    accounts: Object.fromEntries(chosen.map((implementation) => [implementation, keyOf(implementation)])),
  });
  const result: RoundResult = { operations: [], states: [] };
  try {
    // At a thousand voices, `usual` takes longer than the others together, so it runs only once.
    const present = chosen.filter((implementation) => implementation !== "usual" || voices < 1000 || round === 1);
    const stacks = new Map<Implementation, Stack>();
    for (const implementation of present)
      stacks.set(implementation, await createStack(implementation, emulator, settings));
    for (const operation of operations) {
      for (const implementation of rotate(present, round)) {
        const stack = stacks.get(implementation);
        if (!stack) continue;
        const firstEntry = emulator.ledger().length;
        const measurement = await measure(stack, commandOf[operation]);
        const { calls } = emulator.summary(implementation, firstEntry);
        result.operations.push({ voices, operation, implementation, round, ...measurement, calls });
        const seconds = measurement.seconds.toFixed(1);
        log(`${voices} voices, round ${round} of ${rounds}: ${operation} by ${implementation}: ${seconds} s`);
        if (operation === "up" && round === 1 && stack.env.PULUMI_BACKEND_URL?.startsWith("file:"))
          result.states.push({ voices, implementation, bytesPerVoice: Math.round(stateBytes(stack) / voices) });
      }
    }
    return result;
  } finally {
    await emulator.close();
  }
}

const keyOf = (implementation: Implementation) => `key-of-${implementation}`;

/** Another implementation comes first in each round. */
function rotate(all: Implementation[], round: number): Implementation[] {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

async function createStack(
  implementation: Implementation,
  emulator: Emulator,
  { voices, folder, modules, variables }: Round,
): Promise<Stack> {
  const project = mkdtempSync(join(folder, `${implementation}-`));
  const account = { url: emulator.url, apiKey: keyOf(implementation) };
  const settings = { CLOUDVOICE_VOICE_QUOTA: String(voices * 4), ...variables };
  const plugin = join(modules, implementation.endsWith("-floor") ? "f" : join("pulumi-cloudvoice", "plugin"));
  if (isYaml(implementation)) {
    const stack = await pluginStack(project, account, { settings });
    writeProgram(project, yamlOf(implementation, voices), plugin);
    return stack;
  }
  const native = ["native", "native-floor", "catalog"].includes(implementation);
  const stack = await Stack.in(project, account, { settings, modules, native });
  if (native) Stack.writeProject(project, "program", { plugin });
  return stack.program(programOf(implementation, voices));
}

/** The size of the checkpoint, which the engine writes after every step. It may be compressed. */
function stateBytes(stack: Stack): number {
  const folder = join(stack.folder, ".local", "state", ".pulumi", "stacks");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return statSync(join(folder, files.find((name) => /dev\.json(\.\w+)?$/.test(name)) ?? "")).size;
}
