/**
 * `npm run chaos -- --voices 1000 --faults 0.2 --kills 20`: the real engine against the emulator, with faults of all kinds and kills
 * at random instants, seeded. Ends with a table, and with an error unless every voice was billed once, none is left over and none lost.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type FaultKind, startEmulator } from "../provider/src/emulator";
import { seededRandom } from "../provider/src/emulator/faults";
import { Stack } from "./stack";

export interface ChaosOptions {
  voices: number;
  /** The share of calls that a fault befalls. */
  faults: number;
  kills: number;
  seed: number;
  /** How long the service works on a create. Longer than a restart, and a killed create can't be seen by the next run. */
  createMs: number;
  say: (line: string) => void;
}

export interface ChaosResult {
  wanted: number;
  billed: number;
  present: number;
  /** Voices in the account that no resource holds, and how many of them a refresh named. */
  leftOver: number;
  named: number;
  /** Resources whose voice is not in the account. */
  lost: number;
  /** Creates that were under way when a run was killed. */
  inFlightAtKills: number;
  kills: number;
  runs: number;
  calls: number;
  faultsPlayed: number;
  seconds: number;
}

const kinds: FaultKind[] = [
  "429",
  "429-retry-after",
  "500",
  "500-after",
  "html-502",
  "cut-json",
  "reset-before",
  "reset-after",
];

export async function chaos({ voices, faults, kills, seed, createMs, say }: ChaosOptions): Promise<ChaosResult> {
  const startedAt = Date.now();
  const random = seededRandom(seed);
  const emulator = await startEmulator({ seed, voiceQuota: voices * 2, createDelayMs: createMs });
  // Each rule is asked in turn, so each takes its share of what the others left.
  emulator.setFaults(
    kinds.map((kind, index) => ({
      kind,
      probability: faults / kinds.length / (1 - (faults * index) / kinds.length),
      retryAfterSeconds: 0.2,
    })),
  );
  const orphans: number[] = [];
  const folder = mkdtempSync(join(tmpdir(), "cloudvoice-chaos-"));
  try {
    const stack = await Stack.in(folder, emulator, { settings: { CLOUDVOICE_VOICE_QUOTA: String(voices * 2) } });
    stack.program(
      `for (let i = 0; i < ${voices}; i++) new cv.CloudVoice("voice-" + i, { targetModel: model, audio: ["a.wav", "b.mp3", "c.m4a"][i % 3], triggers: [i] });`,
    );

    const billed = () => emulator.summary().voicesBilled;
    const instants = Array.from({ length: kills }, () => Math.floor(random() * voices)).sort((a, b) => a - b);
    let runs = 0;
    let killed = 0;
    let inFlightAtKills = 0;
    for (let failures = 0; ;) {
      runs++;
      const { child, done } = stack.start(["up", "--yes", "--skip-preview"]);
      const instant = instants[killed];
      const pid = child.pid ?? 0;
      const state = { over: false };
      void done.finally(() => (state.over = true));
      if (instant !== undefined) {
        // Where its instant has passed already, at any moment of the run: also before it has done anything.
        const notBefore = billed() < instant ? 0 : Date.now() + random() * 3000;
        while (!state.over && (billed() < instant || Date.now() < notBefore)) await pause(5);
        await pause(random() * 50);
        const victim = victims[Math.floor(random() * victims.length)] ?? "everything";
        const inFlight = emulator.underWay("create");
        const { dead, family } = state.over ? { dead: false, family: [] } : kill(pid, victim);
        orphans.push(...family);
        if (dead) {
          killed++;
          // What the dead had sent is read only now: looking for them held this process up.
          await pause(200);
          inFlightAtKills += Math.max(inFlight, emulator.underWay("create"));
          say(`kill ${killed} of ${kills}: ${victim}, at ${billed()} of ${voices} billed`);
        }
      }
      const run = await done;
      if (run.code === 0) break;
      await stack.pulumi("cancel", "--yes");
      if (killed === kills && ++failures > 30)
        throw new Error(`it does not come to an end:\n${run.output.slice(-3000)}`);
      say(`run ${runs} ended with ${run.code}; ${billed()} of ${voices} billed`);
    }
    // What the service still worked on comes to its end, and a refresh sees it.
    emulator.setFaults([]);
    await pause(createMs * 2);
    const refresh = await stack.ok(stack.refresh());

    const held = new Set((await stack.resources()).map((resource) => resource.id));
    const present = new Set(emulator.voices().map((row) => row.voice));
    const leftOver = [...present].filter((voice) => !held.has(voice));
    const { calls } = emulator.summary();
    return {
      wanted: voices,
      billed: billed(),
      present: present.size,
      leftOver: leftOver.length,
      named: leftOver.filter((voice) => refresh.output.includes(voice)).length,
      lost: voices - [...held].filter((voice) => voice !== undefined && present.has(voice)).length,
      inFlightAtKills,
      kills: killed,
      runs,
      calls: Object.values(calls).reduce((sum, count) => sum + count, 0),
      faultsPlayed: emulator.ledger().filter((entry) => entry.fault !== undefined).length,
      seconds: Math.round((Date.now() - startedAt) / 1000),
    };
  } finally {
    // A command line that dies leaves its hosts waiting for ever.
    end(orphans);
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What dies: the machine, the command line alone (its children live on for a while), or the provider's process alone. */
const victims = ["everything", "the command line", "the provider process"] as const;

/** Tells whether there was something to kill, and who lives on of the run's processes. */
function kill(pid: number, victim: (typeof victims)[number]): { dead: boolean; family: number[] } {
  const listed = spawnSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).stdout.split("\n");
  const processes = listed.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)).filter((match) => match !== null);
  const family = [pid];
  for (const parent of family)
    for (const [, child, of] of processes) if (Number(of) === parent) family.push(Number(child));
  const provider = processes
    .filter(([, child, , words]) => family.includes(Number(child)) && words?.includes("dynamic-provider"))
    .map(([, child]) => Number(child));
  const doomed = victim === "everything" ? family : victim === "the command line" ? [pid] : provider;
  end(doomed);
  return { dead: doomed.length > 0, family };
}

function end(processes: number[]): void {
  for (const each of processes) {
    try {
      process.kill(each, "SIGKILL");
    } catch {
      // It ended by itself meanwhile.
    }
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      voices: { type: "string", default: "100" },
      faults: { type: "string", default: "0.2" },
      kills: { type: "string", default: "5" },
      seed: { type: "string", default: "1" },
      "create-ms": { type: "string", default: "0" },
    },
  });
  const result = await chaos({
    voices: Number(values.voices),
    faults: Number(values.faults),
    kills: Number(values.kills),
    seed: Number(values.seed),
    createMs: Number(values["create-ms"]),
    say: (line) => console.error(line),
  });
  console.table([result]);
  const { wanted, billed, leftOver, named, lost, inFlightAtKills } = result;
  const allowed = Number(values["create-ms"]) > 0 ? inFlightAtKills : 0;
  if (lost > 0 || billed > wanted + allowed || leftOver > allowed || named < leftOver) {
    console.error("Not as promised.");
    process.exitCode = 1;
  }
}

if (process.argv[1]?.endsWith("chaos.ts")) void main();
