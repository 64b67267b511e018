import { forgedScenario, runForged } from "./forged";
import { forgedMistakes } from "./mistakes";
import { describe as describeScenario, shrink } from "./shrink";

/** `npm run simulate -- --forged` runs as many as it is asked for. */
const runs = Number(process.env.CLOUDVOICE_SIMULATED_RUNS ?? 60);

test(`no voice that a state holds is lost, and no destroy is blocked without a question, in ${runs} runs`, async () => {
  for (let seed = 1; seed <= runs; seed++) {
    if ((await runForged(forgedScenario(seed))).violations.length === 0) continue;
    const { scenario, result } = await shrink(forgedScenario(seed), (each) => runForged(each));
    throw new Error([`seed ${seed}`, describeScenario(scenario), ...result.log, ...result.violations].join("\n"));
  }
});

test.each(Object.keys(forgedMistakes))("finds the mistake: %s", async (name) => {
  for (let seed = 1; seed < 1000; seed++) {
    const { violations } = await runForged(forgedScenario(seed), forgedMistakes[name]);
    if (violations.length > 0 && (await runForged(forgedScenario(seed))).violations.length === 0) return;
  }
  throw new Error("it is not found");
});
