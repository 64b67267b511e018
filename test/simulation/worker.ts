import type { Scenario } from "./commands";
import type { Difficulties } from "./generate";
import { scenarioOf } from "./generate";
import { forgedScenario, runForged } from "./forged";
import { forgedMistakes, mistakes, setMistakes } from "./mistakes";
import { reviewScenario, runReviews } from "./review";
import { runScenario } from "./run";
import { runSets, setScenario, type SetScenario } from "./sets";
import { describe, shrink } from "./shrink";

/** What the main process asks of a worker, and what it gets. */
export type Task =
  | {
      do: "run" | "sets" | "forged";
      from: number;
      count: number;
      difficulties: Difficulties;
      mistake?: string | undefined;
    }
  | { do: "review"; from: number; count: number; mistake?: string | undefined }
  | { do: "shrink"; of: Of; seed: number; difficulties: Difficulties; mistake?: string | undefined };

export type Of = "run" | "review" | "sets" | "forged";

export type TaskResult =
  | { done: "run"; count: number; compared?: number; failures: { seed: number; violation: string }[] }
  | { done: "shrink"; seed: number; text: string };

export async function perform(task: Task): Promise<TaskResult> {
  if (task.do === "review") return review(task);
  const { mistake = "" } = task;
  const forge = (scenario: Scenario) => runForged(scenario, forgedMistakes[mistake]);
  const liveSet = (scenario: SetScenario) => runSets(scenario, setMistakes[mistake]);
  if (task.do === "shrink") {
    const { of, seed, difficulties } = task;
    const { scenario, result } =
      of === "review"
        ? await shrink(reviewScenario(seed), (each) => runReviews(each, task.mistake))
        : of === "sets"
          ? await shrink(setScenario(seed, difficulties), liveSet)
          : of === "forged"
            ? await shrink(forgedScenario(seed, difficulties), forge)
            : await shrink(scenarioOf(seed, difficulties), (each) => runScenario(each, mistakes[mistake]));
    return {
      done: "shrink",
      seed,
      text: [describe(scenario), "", ...result.log, "", ...result.violations].join("\n"),
    };
  }
  const failures: { seed: number; violation: string }[] = [];
  for (let seed = task.from; seed < task.from + task.count; seed++) {
    const { violations } =
      task.do === "sets"
        ? await liveSet(setScenario(seed, task.difficulties))
        : task.do === "forged"
          ? await forge(forgedScenario(seed, task.difficulties))
          : await runScenario(scenarioOf(seed, task.difficulties), mistakes[mistake]);
    if (violations[0] !== undefined) failures.push({ seed, violation: violations[0] });
  }
  return { done: "run", count: task.count, failures };
}

async function review({ from, count, mistake }: Task & { do: "review" }): Promise<TaskResult> {
  const failures: { seed: number; violation: string }[] = [];
  let compared = 0;
  for (let seed = from; seed < from + count; seed++) {
    const run = await runReviews(reviewScenario(seed), mistake);
    compared += run.compared;
    if (run.violations.length > 0) failures.push({ seed, violation: run.violations[0] ?? "" });
  }
  return { done: "run", count, compared, failures };
}

// In a child process of tools/simulate.ts.
if (process.send) {
  process.on("message", (task: Task) => {
    void perform(task).then((result) => process.send?.(result));
  });
}
