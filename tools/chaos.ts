/**
 * `npm run chaos -- --voices 1000 --faults 0.2 --kills 20 --seed 1`: runs the real engine against the emulator. A
 * share of the calls fails, and runs are killed at random moments. `--phases up,replace,destroy` creates all voices,
 * replaces all of them and destroys them, each with that many kills. The exit code is 1 unless every voice was billed
 * once per phase, no voice is lost, and no voice is left over. With `--face plugin`, a program in YAML uses the native
 * plugin. `--list-delay 5`: a new voice is in the list after five seconds. `--skip-checkpoints`: the engine saves its state
 * only at the end of a run. test/chaos has small runs, also with slow creates and a limit of calls.
 */
import { parseArgs } from "node:util";
import { chaos, type ChaosResult, type Phase, phases } from "./chaos/chaos";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      voices: { type: "string", default: "100" },
      faults: { type: "string", default: "0.2" },
      kills: { type: "string", default: "5" },
      seed: { type: "string", default: "1" },
      phases: { type: "string", default: "up" },
      face: { type: "string", default: "dynamic" },
      "list-delay": { type: "string", default: "0" },
      "skip-checkpoints": { type: "boolean", default: false },
    },
  });
  const { face } = values;
  if (face !== "dynamic" && face !== "plugin") throw new Error("--face is dynamic or plugin");
  const results = await chaos({
    face,
    voices: Number(values.voices),
    faults: Number(values.faults),
    kills: Number(values.kills),
    seed: Number(values.seed),
    phases: values.phases.split(",").map(phaseNamed),
    listDelayMs: Number(values["list-delay"]) * 1000,
    skipCheckpoints: values["skip-checkpoints"],
    log: (line) => console.error(line),
  });
  console.table(results);
  const broken = results.flatMap(problems);
  if (broken.length > 0) {
    console.error(`Failed: ${broken.join("; ")}.`);
    process.exitCode = 1;
  }
}

function phaseNamed(name: string): Phase {
  const phase = phases.find((each) => each === name);
  if (phase === undefined) throw new Error(`--phases: ${phases.join(", ")}`);
  return phase;
}

function problems({ phase, wanted, billed, orphaned, lost }: ChaosResult): string[] {
  return [
    lost > 0 && `${phase}: ${lost} voices were lost`,
    billed > wanted && `${phase}: ${billed} voices were billed, and ${wanted} were expected`,
    orphaned > 0 && `${phase}: ${orphaned} voices were left over`,
  ].filter((problem) => problem !== false);
}

void main();
