import type { Difficulties } from "./generate";
import { scenarioOf } from "./generate";
import { mistakes } from "./mistakes";
import { runScenario } from "./run";
import { describe, shrink } from "./shrink";

/** What the main process asks of a worker, and what it gets. */
export type Task =
  | { do: "run"; from: number; count: number; difficulties: Difficulties; mistake?: string | undefined }
  | { do: "shrink"; seed: number; difficulties: Difficulties; mistake?: string | undefined };

export type TaskResult =
  | { done: "run"; count: number; failures: { seed: number; violation: string }[] }
  | { done: "shrink"; seed: number; text: string };

export async function perform(task: Task): Promise<TaskResult> {
  const mistake = task.mistake === undefined ? undefined : mistakes[task.mistake];
  if (task.do === "shrink") {
    const { scenario, result } = await shrink(scenarioOf(task.seed, task.difficulties), mistake);
    const text = [describe(scenario), "", ...result.log, "", ...result.violations].join("\n");
    return { done: "shrink", seed: task.seed, text };
  }
  const failures: { seed: number; violation: string }[] = [];
  for (let seed = task.from; seed < task.from + task.count; seed++) {
    const { violations } = await runScenario(scenarioOf(seed, task.difficulties), mistake);
    if (violations[0] !== undefined) failures.push({ seed, violation: violations[0] });
  }
  return { done: "run", count: task.count, failures };
}

// In a child process of tools/simulate.ts.
if (process.send) {
  process.on("message", (task: Task) => {
    void perform(task).then((result) => process.send?.(result));
  });
}
