import { once } from "node:events";
import { join } from "node:path";
import { Worker, type WorkerOptions } from "node:worker_threads";
import pLimit from "p-limit";
import type { Measured } from "./measured";

/** Resolves with undefined if the recording could not be measured. */
export type Measure = (content: Buffer) => Promise<Measured | undefined>;

/** To measure an ordinary file of 10 MB takes half of this time. */
const mostMs = 2000;
/** The limit for a thread that uses no processor time, because it waits or gets none. */
const mostWaitMs = 20_000;
/** How often the time is looked at. */
const tickMs = 100;
/**
 * Enough for the longest recording that is measured. If a single allocation exceeds the limit by over 16 MB, Node.js
 * aborts the process instead of the thread. Growing arrays and surviving young objects must be smaller.
 */
export const memory = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

/**
 * Third-party libraries read untrusted recordings in a thread. A crafted file may make a library loop forever or fill
 * the heap. The thread is then ended, and the next file gets another one.
 */
export function measureInThread(start = startProgram): Measure {
  const oneByOne = pLimit(1);
  let worker: Worker | undefined;
  return (content) =>
    oneByOne(async () => {
      // An `error` event without a listener would end this process. `measuredBy` handles a thread that has ended.
      worker ??= start().on("error", () => undefined);
      const measured = await measuredBy(worker, content);
      if (measured === undefined) {
        await worker.terminate();
        worker = undefined;
      }
      return measured;
    });
}

/** In a single executable, the built program is an asset, because there is no other file. */
function startProgram(): Worker {
  // The libraries must not print, and do not get the API key of the environment.
  const alone: WorkerOptions = { env: {}, stdout: true, stderr: true, resourceLimits: memory };
  // Workaround: Jest 29 cannot import `node:sea`.
  const sea = process.getBuiltinModule("node:sea");
  if (sea.isSea()) return new Worker(sea.getAsset("measure.js", "utf8"), { ...alone, eval: true });
  return new Worker(join(__dirname, "measure.js"), alone);
}

/** Resolves with undefined if the thread ends or takes too long. Only a working thread keeps this process alive. */
async function measuredBy(worker: Worker, content: Buffer): Promise<Measured | undefined> {
  const [beganMs, cpu] = [performance.now(), process.cpuUsage()];
  const waiting = new AbortController();
  const { signal } = waiting;
  // On a busy machine, the thread gets less time. So the time of the processor counts too.
  const isOver = (ms: number) => ms > mostWaitMs || (ms > mostMs && process.cpuUsage(cpu).user > mostMs * 1000);
  const timer = setInterval(() => isOver(performance.now() - beganMs) && waiting.abort(), tickMs);
  try {
    worker.ref();
    const answered = once(worker, "message", { signal }).then(([measured]) => measured as Measured);
    const ended = once(worker, "exit", { signal }).then(() => undefined);
    const copy = Uint8Array.from(content);
    worker.postMessage(copy, [copy.buffer]);
    return await Promise.race([answered, ended]);
  } catch {
    return undefined;
  } finally {
    clearInterval(timer);
    waiting.abort();
    worker.unref();
  }
}
