/**
 * `npm run chaos -- --voices 1000 --faults 0.2 --kills 20 --seed 1`: runs the real engine against the emulator. A
 * share of the calls fails, and runs are killed at random moments. `--phases up,replace,destroy` creates all voices,
 * replaces all of them and destroys them, each with that many kills. The exit code is 1 unless every voice was billed
 * once per phase, no voice is lost, and no voice is left over. With `--create-ms`, creates that were in flight at a
 * kill may leave voices over, because on a loaded machine they may take longer than the time-out. A refresh must
 * report each one. With `--creates-per-second`, the service answers
 * further creates with 429. With `--skip-checkpoints`, the engine saves its state only at the end of a run.
 * With `--face plugin`, a program in YAML uses the native plugin.
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
      "create-ms": { type: "string", default: "0" },
      "creates-per-second": { type: "string" },
      "skip-checkpoints": { type: "boolean", default: false },
      face: { type: "string", default: "dynamic" },
    },
  });
  const { face } = values;
  if (face !== "dynamic" && face !== "plugin") throw new Error("--face is dynamic or plugin");
  const createMs = Number(values["create-ms"]);
  const results = await chaos({
    face,
    voices: Number(values.voices),
    faults: Number(values.faults),
    kills: Number(values.kills),
    seed: Number(values.seed),
    phases: values.phases.split(",").map(phaseNamed),
    createMs,
    skipCheckpoints: values["skip-checkpoints"],
    ...(values["creates-per-second"] !== undefined && { createsPerSecond: Number(values["creates-per-second"]) }),
    log: (line) => console.error(line),
  });
  console.table(results);
  const broken = results.flatMap((result) => problems(result, createMs > 0 ? result.inFlightAtKills : 0));
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

function problems(result: ChaosResult, allowed: number): string[] {
  const { phase, wanted, billed, orphaned, orphansReported, lost } = result;
  return [
    lost > 0 && `${phase}: ${lost} voices were lost`,
    billed > wanted + allowed &&
      `${phase}: ${billed} voices were billed, and at most ${wanted + allowed} were expected`,
    orphaned > allowed && `${phase}: ${orphaned} voices were left over, and at most ${allowed} were expected`,
    orphansReported < orphaned && `${phase}: the refresh reported ${orphansReported} of ${orphaned} orphaned voices`,
  ].filter((problem) => problem !== false);
}

void main();
