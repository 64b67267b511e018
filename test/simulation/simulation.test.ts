import { caseNames, caseOf } from "./cases";
import { type Difficulties, everything, scenarioOf } from "./generate";
import { mistakes } from "./mistakes";
import { runScenario } from "./run";
import { describe as describeScenario, shrink } from "./shrink";

/** What today's code does not survive yet. Each entry goes when its mistakes are mended. */
const notMended: Partial<Difficulties> = {
  ...{ lateLists: false, lingeringDeletes: false, earlyRefreshes: false, stackMoves: false },
  ...{ faults: false, kills: false, renames: false },
};
const survived: Difficulties = { ...everything, ...notMended };

test("1,000 runs keep every promise", async () => {
  for (let seed = 1; seed <= 1000; seed++) {
    const { violations } = await runScenario(scenarioOf(seed, survived));
    if (violations.length === 0) continue;
    const { scenario, result } = await shrink(scenarioOf(seed, survived));
    throw new Error([`seed ${seed}`, describeScenario(scenario), ...result.log, ...result.violations].join("\n"));
  }
});

test("a seed replays its run exactly", async () => {
  for (let seed = 1; seed <= 30; seed++)
    expect(await runScenario(scenarioOf(seed))).toEqual(await runScenario(scenarioOf(seed)));
});

test("a failure shrinks to a run that fails in the same way with fewer commands", async () => {
  const mistake = mistakes["a voice is deleted without a look at who holds it"];
  const seed = await firstSeed(async (each) => (await runScenario(scenarioOf(each, survived), mistake)).violations);
  const { scenario, result } = await shrink(scenarioOf(seed, survived), mistake);
  expect(scenario.commands.length).toBeLessThan(6);
  expect(result.violations[0]).toMatch(/the voice of the live resource \w was deleted/);
});

// These rows broke from outside, on the real engine, and break here too. `failing` goes when they are mended.
test.failing.each(caseNames)("a known case keeps every promise: %s", async (name) => {
  for (let seed = 1; seed <= 20; seed++) expect((await runScenario(caseOf(name, seed))).violations).toEqual([]);
});

/** Without the setting, every run has this mistake. */
const needsSettleSeconds = "no patience after a lost response";
test.todo(`finds the mistake: ${needsSettleSeconds}`);

test.each(Object.keys(mistakes).filter((name) => name !== needsSettleSeconds))(
  "finds the mistake in fewer than 100,000 runs: %s",
  async (name) => {
    const seed = await firstSeed(async (each) => {
      const { violations } = await runScenario(scenarioOf(each), mistakes[name]);
      // A run that fails without the mistake too proves nothing.
      if (violations.length === 0 || (await runScenario(scenarioOf(each))).violations.length > 0) return [];
      return violations;
    });
    expect(seed).toBeLessThan(100_000);
  },
);

async function firstSeed(violationsOf: (seed: number) => Promise<string[]>): Promise<number> {
  for (let seed = 1; seed < 100_000; seed++) if ((await violationsOf(seed)).length > 0) return seed;
  return Infinity;
}
