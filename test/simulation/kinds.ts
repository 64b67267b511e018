import { scenarioOf } from "./generate";
import { mistakes } from "./mistakes";
import { reviewMistakes, reviewScenario, runReviews } from "./review";
import { runScenario } from "./run";
import { describe, shrink } from "./shrink";
import type { Scenario } from "./commands";

interface Ran {
  violations: string[];
  log: string[];
  /** How many updates were compared with their reviews. */
  compared?: number;
}

/** A kind of simulated lives: a seed becomes a scenario, which is run, perhaps with a mistake that is made on purpose. */
export interface Kind {
  /** The names of the mistakes. */
  mistakes: string[];
  run: (seed: number, mistake?: string) => Promise<Ran>;
  /** The life as simple as it fails, and how it fails, as a text. */
  shrunk: (seed: number, mistake?: string) => Promise<string>;
}

function kind<Mistake>(
  scenarioOf: (seed: number) => Scenario,
  run: (scenario: Scenario, mistake?: Mistake) => Promise<Ran>,
  mistakes: Record<string, Mistake>,
): Kind {
  return {
    mistakes: Object.keys(mistakes),
    run: (seed, mistake = "") => run(scenarioOf(seed), mistakes[mistake]),
    async shrunk(seed, mistake = "") {
      const { scenario, result } = await shrink(scenarioOf(seed), (each) => run(each, mistakes[mistake]));
      return [`seed ${seed}`, describe(scenario), "", ...result.log, "", ...result.violations].join("\n");
    },
  };
}

export const kinds = {
  run: kind(scenarioOf, runScenario, mistakes),
  reviews: kind(reviewScenario, runReviews, reviewMistakes),
};

/** Throws if one of the first runs breaks a promise. */
export async function expectPromises({ run, shrunk }: Kind, runs: number): Promise<void> {
  for (let seed = 1; seed <= runs; seed++)
    if ((await run(seed)).violations.length > 0) throw new Error(await shrunk(seed));
}

/** More than any mistake needs; a minute at most. */
const mostSeeds = 2000;

/** The first seed whose run breaks a promise with the mistake, and none without it. Throws if there is none. */
export async function seedThatFinds({ run }: Kind, mistake: string, from = 1): Promise<number> {
  const violates = async (seed: number, made?: string) => (await run(seed, made)).violations.length > 0;
  for (let seed = from; seed < from + mostSeeds; seed++)
    if ((await violates(seed, mistake)) && !(await violates(seed))) return seed;
  throw new Error(`No run finds the mistake: ${mistake}`);
}
