import type { Scenario } from "./commands";
import { livesIn } from "./lives";
import { reviewMistakes, reviewScenario, runReviews } from "./review";
import { describe as describeScenario, shrink } from "./shrink";

test("a review says what the update then does: charge, tasks, decisions, quota, voices and exit code", async () => {
  let compared = 0;
  for (let seed = 1; seed <= 80; seed++) {
    const run = await runReviews(reviewScenario(seed));
    compared += run.compared;
    if (run.violations.length === 0) continue;
    const { scenario, result } = await shrink(reviewScenario(seed), (each) => runReviews(each));
    throw new Error([`seed ${seed}`, describeScenario(scenario), ...result.log, ...result.violations].join("\n"));
  }
  expect(compared).toBeGreaterThan(300);
});

/**
 * Lives of the kinds in which a review was wrong: an alias with `--exclude` or `--refresh`, a state that was restored
 * before a refresh, and old voices that go first at the peak.
 */
test.each(livesIn<Scenario>("reviews"))("a review says what each update does in the life: %s", async (_, life) => {
  const { compared, violations } = await runReviews(life);
  expect([violations, compared > 2]).toEqual([[], true]);
});

/** The runs that find the mistakes. If one finds its mistake no more, the test looks on from there, which takes longer. */
const seedOf: Record<string, number> = {
  "a review believes that the account has every voice of the state": 29,
};

test.each(Object.keys(reviewMistakes))("finds the mistake, and shrinks the run: %s", async (mistake) => {
  const violates = async (seed: number, made?: string) =>
    (await runReviews(reviewScenario(seed), made)).violations.length > 0;
  let seed = seedOf[mistake] ?? 1;
  // A run that fails without the mistake too proves nothing.
  while (!(await violates(seed, mistake)) || (await violates(seed))) seed++;
  const { scenario, result } = await shrink(reviewScenario(seed), (each) => runReviews(each, mistake));
  expect(result.violations).not.toEqual([]);
  expect(scenario.commands.length).toBeLessThan(8);
});
