import type { Scenario } from "./commands";
import { kinds, seedThatFinds } from "./kinds";
import { livesIn } from "./lives";
import { runReviews } from "./review";

test("a review says what the update then does: charge, tasks, decisions, quota, voices and exit code", async () => {
  let updates = 0;
  for (let seed = 1; seed <= 80; seed++) {
    const { compared = 0, violations } = await kinds.reviews.run(seed);
    if (violations.length > 0) throw new Error(await kinds.reviews.shrunk(seed));
    updates += compared;
  }
  expect(updates).toBeGreaterThan(300);
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

test.each(kinds.reviews.mistakes)("finds the mistake: %s", async (name) => {
  expect(await seedThatFinds(kinds.reviews, name, seedOf[name])).toBeLessThan(10_000);
});
