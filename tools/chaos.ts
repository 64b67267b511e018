/**
 * `npm run chaos -- --voices 1000 --faults 0.2 --kills 20 --seed 1`: runs the real engine against the emulator. A
 * share of the calls fails, and runs are killed at random moments. The exit code is 1 unless every voice was billed
 * once, no voice is lost, and no voice is left over. With `--create-ms`, creates that were in flight at a kill may
 * leave voices over, but a refresh must report each one. With `--creates-per-second`, the service answers further
 * creates with 429. `--face plugin` runs a program in YAML on the native plugin.
 */
import { parseArgs } from "node:util";
import { chaos } from "./chaos/chaos";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      voices: { type: "string", default: "100" },
      faults: { type: "string", default: "0.2" },
      kills: { type: "string", default: "5" },
      seed: { type: "string", default: "1" },
      "create-ms": { type: "string", default: "0" },
      "creates-per-second": { type: "string" },
      face: { type: "string", default: "dynamic" },
    },
  });
  const { face } = values;
  if (face !== "dynamic" && face !== "plugin") throw new Error("--face is dynamic or plugin");
  const result = await chaos({
    face,
    voices: Number(values.voices),
    faults: Number(values.faults),
    kills: Number(values.kills),
    seed: Number(values.seed),
    createMs: Number(values["create-ms"]),
    ...(values["creates-per-second"] !== undefined && { createsPerSecond: Number(values["creates-per-second"]) }),
    log: (line) => console.error(line),
  });
  console.table([result]);
  const { wanted, billed, orphaned, orphansReported, lost, inFlightAtKills } = result;
  const allowed = Number(values["create-ms"]) > 0 ? inFlightAtKills : 0;
  const broken = [
    lost > 0 && `${lost} voices were lost`,
    billed > wanted + allowed && `${billed} voices were billed, and at most ${wanted + allowed} were expected`,
    orphaned > allowed && `${orphaned} voices were left over, and at most ${allowed} were expected`,
    orphansReported < orphaned && `the refresh reported ${orphansReported} of ${orphaned} orphaned voices`,
  ].filter((problem) => problem !== false);
  if (broken.length > 0) {
    console.error(`Failed: ${broken.join("; ")}.`);
    process.exitCode = 1;
  }
}

void main();
