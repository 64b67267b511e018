import { expectPromises, kinds, seedThatFinds } from "./kinds";

/** `npm run simulate -- --forged` runs as many as it is asked for. */
const runs = Number(process.env.CLOUDVOICE_SIMULATED_RUNS ?? 60);

test(`no voice that a state holds is lost, and no destroy is blocked without a question, in ${runs} runs`, () =>
  expectPromises(kinds.forged, runs));

test.each(kinds.forged.mistakes)("finds the mistake: %s", async (name) => {
  expect(await seedThatFinds(kinds.forged, name)).toBeLessThan(1000);
});
