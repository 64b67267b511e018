import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { Stack } from "../stack";
import { programOf } from "./implementations";
import type { ScenarioResult, Setting } from "./scenarios";

const createsPerSecond = 10;
/** What the bound allows for the start of all engines and programs, beside twice the time that the limit allows. */
const startSeconds = 30;

interface Phase {
  name: string;
  args: string[];
  /** The recording of all voices, or none if the phase leaves the program as it is. */
  audio?: string;
  /** Whether each voice is created in this phase. */
  creates: boolean;
}

const yes = ["--yes", "--skip-preview"];
const phases: Phase[] = [
  { name: "up", args: ["up", ...yes], audio: '"a.wav"', creates: true },
  { name: "up without changes", args: ["up", ...yes], creates: false },
  { name: "refresh", args: ["refresh", ...yes], creates: false },
  { name: "replacement of all", args: ["up", ...yes], audio: '"b.mp3"', creates: true },
  { name: "destroy", args: ["destroy", ...yes], creates: false },
];

/**
 * Several stacks of one account, each with a backend of its own, as the pipelines of several teams have them. All run
 * at the same time and share the account's limit of creates a second. They know nothing of each other.
 */
export async function pipelines(setting: Setting): Promise<ScenarioResult[]> {
  const { pipelines: count, voicesPerPipeline: voices, folder, modules } = setting;
  // A replacement creates all voices before it deletes the old ones.
  const quota = count * voices * 2;
  const emulator = await startEmulator({ voiceQuota: quota, callsPerSecond: { create: createsPerSecond } });
  try {
    const settings = { CLOUDVOICE_VOICE_QUOTA: String(quota) };
    const stacks: Stack[] = [];
    for (let index = 0; index < count; index++) {
      const options = { settings, modules, name: `pipeline-${index}` };
      stacks.push(await Stack.in(mkdtempSync(join(folder, "pipeline-")), emulator, options));
    }
    const results: ScenarioResult[] = [];
    for (const phase of phases) results.push(await runPhase(phase, stacks, emulator, setting));
    return results;
  } finally {
    await emulator.close();
  }
}

async function runPhase(
  { name, args, audio, creates }: Phase,
  stacks: Stack[],
  emulator: Emulator,
  { voicesPerPipeline: voices, log }: Setting,
): Promise<ScenarioResult> {
  if (audio !== undefined) for (const stack of stacks) stack.program(programOf("ours", voices, audio));
  const firstEntry = emulator.ledger().length;
  const startedAt = Date.now();
  const runs = await Promise.all(stacks.map((stack) => stack.pulumi(...args)));
  const seconds = (Date.now() - startedAt) / 1000;

  const failed = runs.filter(({ code }) => code !== 0);
  for (const { output } of failed) log(output.slice(-2000));
  const held = (await Promise.all(stacks.map((stack) => stack.resources()))).flat().map(({ id }) => id);
  const present = new Set(emulator.voices().map(({ voice }) => voice));
  const { calls, voicesBilled } = emulator.summary("default", firstEntry);
  const refused = emulator
    .ledger()
    .slice(firstEntry)
    .filter(({ status }) => status === 429).length;
  const wanted = creates ? stacks.length * voices : 0;
  const conflicts = {
    "failed runs": failed.length,
    "billed more than wanted": voicesBilled - wanted,
    "left over": present.size - held.filter((id) => present.has(id ?? "")).length,
    lost: held.filter((id) => !present.has(id ?? "")).length,
    "held twice": held.length - new Set(held).size,
  };
  const found = Object.entries(conflicts).filter(([, number]) => number !== 0);
  const idealSeconds = wanted / createsPerSecond;
  const parts = [
    `${seconds.toFixed(0)} s${creates ? ` (the limit allows ${idealSeconds} s)` : ""}`,
    Object.entries(calls)
      .map(([action, number]) => `${number} ${action}`)
      .join(", ") || "no call",
    `${refused} answers of 429`,
    found.map(([what, number]) => `${number} ${what}`).join(", ") || "no conflict",
  ];
  const scenario = `${stacks.length} pipelines of ${voices} voices, ${createsPerSecond} creates a second: ${name}`;
  log(`${scenario}: ${parts.join("; ")}`);
  return {
    scenario,
    measured: parts.join("; "),
    bound: `no conflict${creates ? `, 2 of the time that the limit allows and ${startSeconds} s` : ""}`,
    withinBound: found.length === 0 && (!creates || seconds <= 2 * idealSeconds + startSeconds) ? "yes" : "no",
  };
}
