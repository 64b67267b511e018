import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEmulator } from "../../provider/src/emulator";
import { Stack } from "../stack";
import { measured, median } from "./measure";
import { programOf } from "./implementations";

/** One promise that is no ratio of a plain run: what was measured, and what it must not exceed. */
export interface Scene {
  scene: string;
  measured: string;
  bound: string;
  kept: "yes" | "no";
}

type Say = (line: string) => void;
const up = ["up", "--yes", "--skip-preview", "--parallel", "64"];

/** A hundred creates of 200 ms each: as many at a time as the settings let be. */
export async function latencyScene(workshop: string, modules: string, say: Say): Promise<Scene> {
  const voices = 100;
  const maxConcurrency = 16;
  const ratios: number[] = [];
  for (let round = 1; round <= 3; round++) {
    const seconds: Record<string, number> = {};
    for (const way of round % 2 === 0 ? (["ours", "floor"] as const) : (["floor", "ours"] as const)) {
      const emulator = await startEmulator({ faults: [{ kind: "slow", delayMs: 200 }] });
      const stack = (await Stack.in(mkdtempSync(join(workshop, "latency-")), emulator, { modules })).program(
        programOf(way, voices),
      );
      seconds[way] = (await measured(stack, up)).seconds;
      say(`${voices} creates of 200 ms, round ${round}: ${way}: ${seconds[way].toFixed(1)} s`);
      await emulator.close();
    }
    ratios.push((seconds.ours ?? NaN) / Math.max(seconds.floor ?? NaN, (voices / maxConcurrency) * 0.2));
  }
  const ratio = median(ratios);
  return {
    scene: "100 creates of 200 ms, --parallel 64",
    measured: `${ratio.toFixed(2)} of the floor`,
    bound: "1.3",
    kept: ratio <= 1.3 ? "yes" : "no",
  };
}

/** Two hundred recordings of 7 MB each, all different. */
export async function memoryScene(workshop: string, modules: string, say: Say): Promise<Scene> {
  const voices = 200;
  const emulator = await startEmulator();
  const folder = mkdtempSync(join(workshop, "memory-"));
  const stack = await Stack.in(folder, emulator, { modules });
  mkdirSync(join(folder, "large"));
  const recording = hum(18.2);
  for (let index = 0; index < voices; index++) {
    recording.writeUInt32LE(index, 1000);
    writeFileSync(join(folder, "large", `${index}.wav`), recording);
  }
  stack.program(programOf("ours", voices, '"large/" + i + ".wav"'));
  const peaks: number[] = [];
  for (const args of [["preview"], up]) {
    const { seconds, peakMegabytes = NaN } = await measured(stack, args);
    say(
      `${voices} recordings of ${(recording.length / 1e6).toFixed(1)} MB: ${args[0] ?? ""}: ${seconds.toFixed(1)} s, provider at most ${Math.round(peakMegabytes)} MB`,
    );
    peaks.push(peakMegabytes);
  }
  await emulator.close();
  return {
    scene: "200 recordings of 7 MB: memory of the provider",
    measured: peaks.map((peak) => `${Math.round(peak)} MB`).join(" (preview), ") + " (up)",
    bound: "300 MB",
    kept: Math.max(...peaks) < 300 ? "yes" : "no",
  };
}

/** Fifty image tasks that take 30 s each, with limits that let them wait together. */
export async function imagesScene(workshop: string, modules: string, say: Say): Promise<Scene> {
  const submitsPerSecond = 50;
  const emulator = await startEmulator({ finishAfterMs: 30_000 });
  const stack = await Stack.in(mkdtempSync(join(workshop, "images-")), emulator, {
    settings: { CLOUDVOICE_IMAGE_SUBMITS_PER_SECOND: String(submitsPerSecond) },
    modules,
  });
  stack.program(
    `for (let i = 0; i < 50; i++) new cv.GeneratedImage("image-" + i, { model: "svc-image", prompt: "Lighthouse " + i });`,
  );
  const { seconds } = await measured(stack, up);
  const allowed = 30 + 50 / submitsPerSecond;
  say(`50 image tasks of 30 s: ${seconds.toFixed(1)} s`);
  await emulator.close();
  return {
    scene: "50 image tasks of 30 s, --parallel 64",
    measured: `${(seconds / allowed).toFixed(2)} of what the limits allow (${allowed} s)`,
    bound: "1.3",
    kept: seconds <= allowed * 1.3 ? "yes" : "no",
  };
}

/** A WAV file of a hum: 96 kHz, two channels of 16 bits. */
function hum(seconds: number): Buffer {
  const rate = 96_000;
  const frames = Math.round(seconds * rate);
  const file = Buffer.alloc(44 + frames * 4);
  file.write("RIFF", 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(2, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * 4, 28);
  file.writeUInt16LE(4, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36);
  file.writeUInt32LE(frames * 4, 40);
  for (let frame = 0; frame < frames; frame++)
    file.writeInt32LE(Math.round(8000 * Math.sin((frame / rate) * 440 * 2 * Math.PI)), 44 + frame * 4);
  return file;
}
