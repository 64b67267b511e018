import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Emulator, type FaultKind, startEmulator } from "../../provider/emulator";
import { seededRandom } from "../../provider/emulator/draw";
import { pluginStack, writeProgram, type YamlProgram, type YamlResource } from "../plugin-stack";
import { Stack } from "../stack";
import { killAll, killRun, victims } from "./kill";

/** The phases of a run, in this order, each with its own kills. */
export const phases = ["up", "replace", "destroy"] as const;
export type Phase = (typeof phases)[number];

export interface ChaosOptions {
  /** The provider that the program uses. Default: the dynamic one. */
  face?: "dynamic" | "plugin";
  voices: number;
  /** The share of calls that fail, from 0 to 1. */
  faults: number;
  /** How many runs of each phase are killed. */
  kills: number;
  seed: number;
  /** Default: `up`. */
  phases?: readonly Phase[];
  /** Whether the engine saves its state only at the end of a run. */
  skipCheckpoints?: boolean;
  /**
   * The time that the service takes for a create. Default: none. If it is longer than a restart of Pulumi, the next run
   * does not see the voice of a killed create in the list.
   */
  createMs?: number;
  /** How long a new voice is missing in the list. Default: not at all. */
  listDelayMs?: number;
  /** How many creates a second the service accepts. It answers others with 429. Default: all. */
  createsPerSecond?: number;
  log: (line: string) => void;
}

export interface ChaosResult extends RunCounts {
  phase: Phase;
  /** How many creates the phase needs. */
  wanted: number;
  /** How many creates the service billed. */
  billed: number;
  /** Voices in the account at the end of the phase. */
  present: number;
  /** Voices in the account that no resource of the state has. */
  orphaned: number;
  /** Resources whose voice is not in the account. */
  lost: number;
  calls: number;
  faultsInjected: number;
  seconds: number;
}

interface RunCounts {
  runs: number;
  kills: number;
}

/** Runs each phase with faults and kills until it succeeds, and compares the state with the voices in the account. */
export async function chaos(options: ChaosOptions): Promise<ChaosResult[]> {
  const { voices, faults, seed, createMs = 0, listDelayMs = 0, createsPerSecond } = options;
  const { skipCheckpoints = false, face = "dynamic" } = options;
  const emulator = await startEmulator({
    seed,
    voiceQuota: voices * 4,
    createDelayMs: createMs,
    listDelayMs,
    callsPerSecond: { create: createsPerSecond },
  });
  const folder = mkdtempSync(join(tmpdir(), "cloudvoice-chaos-"));
  const processes: number[] = [];
  try {
    const settings = {
      CLOUDVOICE_VOICE_QUOTA: String(voices * 4),
      // As short as the emulator's list allows.
      CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: String(5 + (2 * createMs) / 1000),
      CLOUDVOICE_SETTLE_SECONDS: String(2 + (1.5 * listDelayMs) / 1000),
      ...(skipCheckpoints && { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" }),
    };
    const stack =
      face === "plugin"
        ? await pluginStack(folder, emulator, { settings })
        : await Stack.in(folder, emulator, { settings });
    const random = seededRandom(seed);
    const results: ChaosResult[] = [];
    for (const phase of options.phases ?? ["up"]) {
      emulator.setFaults(faultRules(faults));
      results.push(await runPhase({ ...options, phase, random, stack, emulator, processes }));
    }
    return results;
  } finally {
    // The language host and the provider do not exit when the command line is killed.
    killAll(processes);
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Context extends ChaosOptions {
  phase: Phase;
  random: () => number;
  stack: Stack;
  emulator: Emulator;
  /** Collects the ids of all processes of killed runs. */
  processes: number[];
}

async function runPhase(context: Context): Promise<ChaosResult> {
  const { phase, stack, emulator, voices, createMs = 0, face } = context;
  const startedAt = Date.now();
  const firstEntry = emulator.ledger().length;
  const recording = phase === "up" ? 0 : 1;
  if (face === "plugin") writeProgram(stack.folder, yamlOf(voices, recording));
  else stack.program(programOf(voices, recording));
  const counts = await runUntilSuccess(context, firstEntry);

  // The service finishes the creates of killed runs, so that the refresh sees their voices.
  emulator.setFaults([]);
  await sleep(createMs * 2);
  await stack.ok(stack.refresh());
  const expected = phase === "destroy" ? 0 : voices;
  const inState = new Set((await stack.resources()).map((resource) => resource.id));
  const inAccount = emulator.voices().map(({ voice }) => voice);
  const orphans = inAccount.filter((voice) => !inState.has(voice));
  const { calls, voicesBilled } = emulator.summary("default", firstEntry);
  return {
    phase,
    wanted: expected,
    billed: voicesBilled,
    present: inAccount.length,
    orphaned: orphans.length,
    lost: expected - inAccount.filter((voice) => inState.has(voice)).length,
    calls: Object.values(calls).reduce((sum, count) => sum + count, 0),
    faultsInjected: emulator
      .ledger()
      .slice(firstEntry)
      .filter((entry) => entry.fault !== undefined).length,
    ...counts,
    seconds: Math.round((Date.now() - startedAt) / 1000),
  };
}

const faultKinds: FaultKind[] = [
  "429",
  "429-retry-after",
  "500",
  "500-after",
  "html-502",
  "cut-json",
  "reset-before",
  "reset-after",
];

/**
 * One rule per kind, each for an equal share of the calls. The emulator tries the rules in order, so a later rule sees
 * fewer calls and needs a higher probability.
 */
function faultRules(share: number) {
  const each = share / faultKinds.length;
  return faultKinds.map((kind, index) => ({ kind, probability: each / (1 - each * index), retryAfterSeconds: 0.2 }));
}

/** Another `recording` replaces every voice. */
function programOf(voices: number, recording: number): string {
  const args = `{ targetModel: model, audio: ["a.wav", "b.mp3", "c.m4a"][(i + ${recording}) % 3], triggers: [i] }`;
  return `for (let i = 0; i < ${voices}; i++) new cv.CloudVoice("voice-" + i, ${args});`;
}

function yamlOf(voices: number, recording: number): YamlProgram {
  const resource = (index: number): YamlResource => ({
    type: "cloudvoice:CloudVoice",
    properties: {
      targetModel: "svc3-tts-vc-2026-01-22",
      audio: ["a.wav", "b.mp3", "c.m4a"][(index + recording) % 3],
      triggers: [index],
    },
  });
  const entries = Array.from({ length: voices }, (_, index) => [`voice-${index}`, resource(index)] as const);
  return { resources: Object.fromEntries(entries) };
}

/** How many creates and deletes of the phase the service has done. */
function progressOf({ emulator }: Context, firstEntry: number): () => number {
  const before = emulator.voices().length;
  return () => {
    const { voicesBilled } = emulator.summary("default", firstEntry);
    const deleted = before + voicesBilled - emulator.voices().length;
    return voicesBilled + deleted;
  };
}

async function runUntilSuccess(context: Context, firstEntry: number): Promise<RunCounts> {
  const { phase, stack, voices, kills, random, log } = context;
  const work = phase === "replace" ? 2 * voices : voices;
  const progress = progressOf(context, firstEntry);
  // The numbers of finished creates and deletes at which a run is killed.
  const killPoints = Array.from({ length: kills }, () => Math.floor(random() * work)).sort((a, b) => a - b);
  const counts: RunCounts = { runs: 0, kills: 0 };
  let failedAfterKills = 0;
  for (;;) {
    counts.runs++;
    const run = stack.start([phase === "destroy" ? "destroy" : "up", "--yes", "--skip-preview"]);
    const killPoint = killPoints[counts.kills];
    if (killPoint !== undefined) await killAt(killPoint, progress, run, context, counts);
    const { code, output } = await run.done;
    if (code === 0) return counts;
    // A killed run leaves the stack locked.
    await stack.pulumi("cancel", "--yes");
    if (counts.kills === kills && ++failedAfterKills > 30)
      throw new Error(`The ${phase} still fails 30 runs after the last kill:\n${output.slice(-3000)}`);
    log(`${phase}: run ${counts.runs} ended with ${code}; ${progress()} of ${work} done`);
  }
}

/** Kills the run, unless it ends first, and counts the kill. */
async function killAt(
  killPoint: number,
  progress: () => number,
  { child, done }: ReturnType<Stack["start"]>,
  { processes, phase, kills, random, log }: Context,
  counts: RunCounts,
): Promise<void> {
  const run = { ended: false };
  void done.finally(() => (run.ended = true));
  // If an earlier run has passed the kill point, this run is killed at a random moment, perhaps before its first call.
  const notBefore = progress() < killPoint ? 0 : Date.now() + random() * 3000;
  while (!run.ended && (progress() < killPoint || Date.now() < notBefore)) await sleep(5);
  await sleep(random() * 50);
  const victim = victims[Math.floor(random() * victims.length)] ?? "everything";
  if (run.ended) return;

  const kill = killRun(child.pid ?? 0, victim);
  processes.push(...kill.processes);
  if (!kill.killed) return;
  counts.kills++;
  log(`${phase}: kill ${counts.kills} of ${kills}: ${victim}, ${progress()} done`);
}
