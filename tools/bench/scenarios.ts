import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wavHeader } from "../../provider/emulator/sample-recording";
import { startEmulator } from "../../provider/emulator";
import { Stack } from "../stack";
import { type DynamicImplementation, programOf } from "./implementations";
import { measure, median } from "./measure";
import { eachBackend } from "./backends";
import { growth } from "./growth";
import { pipelines } from "./pipelines";
import { thousand } from "./thousand";

/** A bound that is not a ratio of a plain run: what was measured, and the bound. */
export interface ScenarioResult {
  scenario: string;
  measured: string;
  bound: string;
  withinBound: "yes" | "no";
}

export interface Setting {
  /** The folder for the projects of the scenario. */
  folder: string;
  /** The `node_modules` with the packed package. */
  modules: string;
  /** For the scenario `pipelines`. */
  pipelines: number;
  voicesPerPipeline: number;
  log: (line: string) => void;
}

const up = ["up", "--yes", "--skip-preview", "--parallel", "64"];
const yesOrNo = (isTrue: boolean) => (isTrue ? "yes" : "no");

/** One hundred creates that take 200 ms each. `maxConcurrency` must be the only limit. */
async function latency({ folder, modules, log }: Setting): Promise<ScenarioResult> {
  const voices = 100;
  const maxConcurrency = 16;
  const secondsOf = async (implementation: DynamicImplementation, round: number) => {
    const emulator = await startEmulator({ faults: [{ kind: "slow", delayMs: 200 }] });
    const stack = await Stack.in(mkdtempSync(join(folder, "latency-")), emulator, { modules });
    const { seconds } = await measure(stack.program(programOf(implementation, voices)), up);
    log(`${voices} creates of 200 ms, round ${round}: ${implementation}: ${seconds.toFixed(1)} s`);
    await emulator.close();
    return seconds;
  };
  const ratios: number[] = [];
  for (let round = 1; round <= 3; round++) {
    const seconds: Partial<Record<DynamicImplementation, number>> = {};
    // The order alternates, because the speed of the machine drifts.
    const order: DynamicImplementation[] = round % 2 === 0 ? ["ours", "floor"] : ["floor", "ours"];
    for (const implementation of order) seconds[implementation] = await secondsOf(implementation, round);
    ratios.push((seconds.ours ?? NaN) / Math.max(seconds.floor ?? NaN, (voices / maxConcurrency) * 0.2));
  }
  const ratio = median(ratios);
  return {
    scenario: "100 creates of 200 ms, --parallel 64",
    measured: `${ratio.toFixed(2)} of the floor`,
    bound: "1.3",
    withinBound: yesOrNo(ratio <= 1.3),
  };
}

/** Two hundred different recordings of 7 MB. The provider must not keep them in memory. */
async function memory({ folder, modules, log }: Setting): Promise<ScenarioResult> {
  const voices = 200;
  const emulator = await startEmulator();
  const project = mkdtempSync(join(folder, "memory-"));
  const stack = await Stack.in(project, emulator, { modules });
  writeRecordings(join(project, "large"), voices);
  stack.program(programOf("ours", voices, '"large/" + i + ".wav"'));
  const peaks: number[] = [];
  for (const args of [["preview"], up]) {
    const { seconds, peakMegabytes = NaN } = await measure(stack, args);
    const result = `${seconds.toFixed(1)} s, provider at most ${Math.round(peakMegabytes)} MB`;
    log(`${voices} recordings of 7 MB: ${args[0] ?? ""}: ${result}`);
    peaks.push(peakMegabytes);
  }
  await emulator.close();
  return {
    scenario: "200 recordings of 7 MB: memory of the provider",
    measured: peaks.map((peak) => `${Math.round(peak)} MB`).join(" (preview), ") + " (up)",
    bound: "300 MB",
    withinBound: yesOrNo(Math.max(...peaks) < 300),
  };
}

function writeRecordings(folder: string, count: number): void {
  mkdirSync(folder);
  const recording = humWav(18.2);
  for (let index = 0; index < count; index++) {
    recording.writeUInt32LE(index, 1000);
    writeFileSync(join(folder, `${index}.wav`), recording);
  }
}

/** Fifty image tasks that take 30 s each. They must wait concurrently, as far as the limits allow. */
async function images({ folder, modules, log }: Setting): Promise<ScenarioResult> {
  const submitsPerSecond = 50;
  const emulator = await startEmulator({ finishAfterMs: 30_000 });
  const settings = { CLOUDVOICE_IMAGE_SUBMITS_PER_SECOND: String(submitsPerSecond) };
  const stack = await Stack.in(mkdtempSync(join(folder, "images-")), emulator, { settings, modules });
  const args = '{ model: "svc-image", prompt: "Lighthouse " + i }';
  stack.program(`for (let i = 0; i < 50; i++) new cv.GeneratedImage("image-" + i, ${args});`);
  const { seconds } = await measure(stack, up);
  log(`50 image tasks of 30 s: ${seconds.toFixed(1)} s`);
  await emulator.close();
  const allowed = 30 + 50 / submitsPerSecond;
  return {
    scenario: "50 image tasks of 30 s, --parallel 64",
    measured: `${(seconds / allowed).toFixed(2)} of the time that the limits allow (${allowed} s)`,
    bound: "1.3",
    withinBound: yesOrNo(seconds <= allowed * 1.3),
  };
}

/**
 * A service that accepts three creates a second and answers the others with 429. Whatever `--parallel` is, the update
 * must need at most twice the ideal time and two requests for each create.
 */
async function rateLimit({ folder, modules, log }: Setting): Promise<ScenarioResult> {
  const voices = 150;
  const perSecond = 3;
  const results: { ratio: number; requests: number }[] = [];
  for (const parallel of ["4", "16", "64"]) {
    const emulator = await startEmulator({ callsPerSecond: { create: perSecond } });
    const stack = await Stack.in(mkdtempSync(join(folder, "rate-")), emulator, { modules });
    const limited = ["up", "--yes", "--skip-preview", "--parallel", parallel];
    const { seconds } = await measure(stack.program(programOf("ours", voices)), limited);
    const requests = (emulator.summary().calls.create ?? NaN) / voices;
    log(`${voices} creates at ${perSecond} a second, --parallel ${parallel}: ${seconds.toFixed(1)} s`);
    await emulator.close();
    results.push({ ratio: seconds / (voices / perSecond), requests });
  }
  const ratio = Math.max(...results.map((result) => result.ratio));
  const requests = Math.max(...results.map((result) => result.requests));
  return {
    scenario: "150 creates at three a second, --parallel 4, 16 and 64",
    measured: `${ratio.toFixed(2)} of the ideal time, ${requests.toFixed(2)} requests for each create`,
    bound: "2, 2",
    withinBound: yesOrNo(ratio <= 2 && requests <= 2),
  };
}

/** A thousand voices with checkpoints and without, and a thousand resources that do nothing without. */
async function checkpoints({ folder, modules, log }: Setting): Promise<ScenarioResult> {
  const voices = 1000;
  const without = { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" };
  const secondsOf = async (implementation: DynamicImplementation, variables: Record<string, string>) => {
    const emulator = await startEmulator({ voiceQuota: voices * 4 });
    const settings = { CLOUDVOICE_VOICE_QUOTA: String(voices * 4), ...variables };
    const stack = await Stack.in(mkdtempSync(join(folder, "checkpoints-")), emulator, { settings, modules });
    const how = "PULUMI_SKIP_CHECKPOINTS" in variables ? "without checkpoints" : "with checkpoints";
    const run = async (name: string, args: string[]) => {
      const { seconds } = await measure(stack, args);
      log(`${voices} voices ${how}: ${name} by ${implementation}: ${seconds.toFixed(1)} s`);
      return seconds;
    };
    const upOnce = ["up", "--yes", "--skip-preview"];
    stack.program(programOf(implementation, voices));
    const up = await run("up", upOnce);
    stack.program(programOf(implementation, voices, '"b.mp3"'));
    const replace = implementation === "floor" ? NaN : await run("replacement of all", upOnce);
    const destroy = await run("destroy", ["destroy", "--yes", "--skip-preview"]);
    await emulator.close();
    return { up, replace, destroy };
  };
  const fast = await secondsOf("ours", without);
  const idle = await secondsOf("floor", { ...without, IDLE: "true" });
  const normal = await secondsOf("ours", {});
  const compared = (["up", "replace", "destroy"] as const).map(
    (operation) => `${operation} ${fast[operation].toFixed(1)} s (${normal[operation].toFixed(1)} s with)`,
  );
  return {
    scenario: "1,000 voices without checkpoints",
    measured: `${compared.join(", ")}; up ${(fast.up / idle.up).toFixed(2)} of the time of resources that do nothing`,
    bound: "2",
    withinBound: yesOrNo(fast.up <= idle.up * 2),
  };
}

/** By the name that `--scenarios` takes. */
export const scenarios: Record<string, (setting: Setting) => Promise<ScenarioResult | ScenarioResult[]>> = {
  latency,
  memory,
  images,
  "rate-limit": rateLimit,
  checkpoints,
  pipelines,
  thousand,
  growth,
  backends: eachBackend,
};

/** A WAV file of a constant hum: 96 kHz, two channels of 16 bits. */
function humWav(seconds: number): Buffer {
  const rate = 96_000;
  const frames = Math.round(seconds * rate);
  const data = Buffer.alloc(frames * 4);
  for (let frame = 0; frame < frames; frame++)
    data.writeInt32LE(Math.round(8000 * Math.sin((frame / rate) * 440 * 2 * Math.PI)), frame * 4);
  return Buffer.concat([wavHeader({ rate, channels: 2, dataBytes: data.length }), data]);
}
