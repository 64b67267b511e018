import { kinds, seedThatFinds } from "./kinds";

test("a review says what the update then does: charge, takes, deletes, questions, failures, peak", async () => {
  let updates = 0;
  for (let seed = 1; seed <= 80; seed++) {
    const { compared = 0, violations } = await kinds.reviews.run(seed);
    if (violations.length > 0) throw new Error(await kinds.reviews.shrunk(seed));
    updates += compared;
  }
  expect(updates).toBeGreaterThan(60);
});

test.each(kinds.reviews.mistakes)("finds a plan that is wrong: %s", async (name) => {
  expect(await seedThatFinds(kinds.reviews, name)).toBeLessThan(1000);
});
