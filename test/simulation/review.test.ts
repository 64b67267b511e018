import { runReviews } from "./review";

test("a review says what the update then does: charge, tasks, decisions, quota, voices and exit code", async () => {
  let compared = 0;
  for (let seed = 1; seed <= 80; seed++) {
    const run = await runReviews(seed);
    compared += run.compared;
    if (run.violations.length > 0) throw new Error([`seed ${seed}`, ...run.log, ...run.violations].join("\n"));
  }
  expect(compared).toBeGreaterThan(300);
});
