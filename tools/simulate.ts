/**
 * `npm run simulate -- --runs 1000000 --seed 1`: runs the simulation of test/simulation on all cores. Run number n has
 * the seed `seed + n`. The exit code is 1 if a run breaks a promise. `--runs 1 --seed <seed>` looks at one run again,
 * `--mistake <name>` makes a mistake on purpose. `--reviews` compares the review of each update with the update itself
 * (test/simulation/review.ts).
 */
import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { kinds } from "../test/simulation/kinds";
import type { Task, TaskResult } from "../test/simulation/worker";
import { localFolder, root } from "./local";

const runsPerTask = 250;
const progressMs = 2000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "10000" },
      seed: { type: "string", default: "1" },
      jobs: { type: "string", default: String(availableParallelism()) },
      shrink: { type: "string", default: "3" },
      mistake: { type: "string" },
      reviews: { type: "boolean", default: false },
    },
  });
  const { mistake } = values;
  const kind = values.reviews ? "reviews" : "run";
  const known = kinds[kind].mistakes;
  if (mistake !== undefined && !known.includes(mistake)) throw new Error(`--mistake: ${known.join(", ")}`);
  const [runs, first] = [Number(values.runs), Number(values.seed)];
  const task = { kind, mistake } satisfies Partial<Task>;

  const workers = await startWorkers(Math.min(Number(values.jobs), Math.ceil(runs / runsPerTask)));
  const failures: { seed: number; violation: string }[] = [];
  const startedAt = Date.now();
  let [asked, done, compared] = [0, 0, 0];
  const progress = () => {
    const perSecond = Math.round((done / (Date.now() - startedAt)) * 1000);
    const updates = values.reviews ? `${compared} updates compared, ` : "";
    console.error(`${done} of ${runs} runs, ${perSecond} a second, ${updates}${failures.length} failed`);
  };
  const timer = setInterval(progress, progressMs);
  await Promise.all(
    workers.map(async (worker) => {
      while (asked < runs) {
        const count = Math.min(runsPerTask, runs - asked);
        const from = first + asked;
        asked += count;
        const result = await ask(worker, { ...task, from, count });
        done += count;
        compared += result.compared;
        for (const failure of result.failures) {
          failures.push(failure);
          if (failures.length <= 100) console.error(`seed ${failure.seed}: ${failure.violation}`);
        }
      }
    }),
  );
  clearInterval(timer);
  progress();
  // Workers report in any order.
  const shown = failures.sort((a, b) => a.seed - b.seed).slice(0, Number(values.shrink));
  for (const { seed } of shown) {
    const { text = "" } = await ask(workers[0], { ...task, from: seed, count: 1, shrinks: true });
    console.log(`\nshrunk: ${text}`);
  }
  for (const worker of workers) worker.kill();
  if (failures.length > 0) process.exitCode = 1;
}

/** Starts workers, which load one bundled file: fast, and without a look at the file system for dynamic imports. */
async function startWorkers(count: number): Promise<ChildProcess[]> {
  const outfile = join(localFolder, "simulate", "worker.cjs");
  await build({
    entryPoints: [join(root, "test", "simulation", "worker.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["undici", "@pulumi/pulumi"],
    logLevel: "error",
  });
  // A large young generation, because most objects live for one run only. Nobody reads the stacks of the errors.
  const execArgv = ["--max-semi-space-size=256", "--stack-trace-limit=0"];
  return Array.from({ length: count }, () => fork(outfile, { execArgv }));
}

function ask(worker: ChildProcess | undefined, task: Task): Promise<TaskResult> {
  return new Promise((resolve, reject) => {
    if (worker === undefined) throw new Error("There is no worker.");
    const ended = () => reject(new Error("A worker exited."));
    worker.once("exit", ended);
    worker.once("message", (result: TaskResult) => {
      worker.off("exit", ended);
      resolve(result);
    });
    worker.send(task);
  });
}

void main();
