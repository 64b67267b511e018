import { caseNames, caseOf } from "./cases";
import { everything, scenarioOf } from "./generate";
import type { Scenario } from "./commands";
import { mistakes } from "./mistakes";
import { idsOf, type Mistake } from "./provider";
import { runScenario } from "./run";
import { describe as describeScenario, shrink } from "./shrink";

async function violationsOf(scenario: Scenario, mistake?: Mistake): Promise<string[]> {
  return (await runScenario(scenario, mistake)).violations;
}

/** The runs that find the mistakes. If one finds its mistake no more, the test looks on from there, which takes longer. */
const seedOf: Record<string, number> = {
  "no patience after a lost response": 30,
  "the journal is not read": 25,
  "a voice is deleted without a look at who holds it": 9,
  "ignoreChanges is forgotten": 266,
  "a name does not depend on the content": 6,
  "a billed request is sent again after a lost response": 68,
  "a second copy of a resource is not recognised": 168,
  "an unrecognised list is an empty account": 4,
  "an unknown field beside an empty list is ignored": 12324,
  "a 404 ends a task": 1357,
  "`UNKNOWN` ends a task": 25,
  "the list is read only once": 30,
  "a delete trusts a stale reading of the states": 735,
  "stacks are compared by their last names": 184,
  "a note is found by inputs": 23,
  "adopt does not look at what --target leaves out": 735,
  "a file is named by its resource": 10,
  "a create forgets which inputs are secret": 1284,
  "a note has the key of its request": 1,
  "a gate that failed is open in the next update": 62,
};

/** `npm run simulate` runs as many as it is asked for. */
const runs = Number(process.env.CLOUDVOICE_SIMULATED_RUNS ?? 100);

test(`${runs} runs keep every promise`, async () => {
  for (let seed = 1; seed <= runs; seed++) {
    if ((await violationsOf(scenarioOf(seed))).length === 0) continue;
    const { scenario, result } = await shrink(scenarioOf(seed), runScenario);
    throw new Error([`seed ${seed}`, describeScenario(scenario), ...result.log, ...result.violations].join("\n"));
  }
});

test("of two images that the service forgot, only the one that a question named is paid for again", async () => {
  expect(await violationsOf(scenarioOf(26964))).toEqual([]);
});

test("runs whose person says yes to each question about voices under own names keep every promise too", async () => {
  const takes = idsOf(["take"]);
  const has = (accepted: ReadonlySet<string> | undefined, id: string) => takes.has(id) || accepted?.has(id) === true;
  const yes: Mistake = {
    parts: ({ accepted, ...parts }) => ({
      ...parts,
      accepted: Object.assign(new Set(takes), { has: (id: string) => has(accepted, id) }),
    }),
  };
  // Beside a second backend the answer would not be true.
  for (let seed = 1; seed <= runs / 4; seed++)
    expect(await violationsOf(scenarioOf(seed, { ...everything, backends: false }), yes)).toEqual([]);
});

test("a seed replays its run exactly", async () => {
  for (let seed = 1; seed <= 10; seed++)
    expect(await runScenario(scenarioOf(seed))).toEqual(await runScenario(scenarioOf(seed)));
});

test("a failure shrinks to a run that fails in the same way with fewer commands", async () => {
  const nameOfMistake = "a voice is deleted without a look at who holds it";
  const mistake = mistakes[nameOfMistake];
  const seed = await firstSeed((each) => violationsOf(scenarioOf(each), mistake), seedOf[nameOfMistake]);
  const { scenario, result } = await shrink(scenarioOf(seed), (each) => runScenario(each, mistake));
  expect(scenario.commands.length).toBeLessThan(6);
  expect(result.violations[0]).toMatch(/the voice of the live resource \w was deleted/);
});

/** These broke from outside, on the real engine or in this simulation. */
async function keepsEveryPromise(name: string): Promise<void> {
  for (let seed = 1; seed <= Math.max(4, runs / 50); seed++) expect(await violationsOf(caseOf(name, seed))).toEqual([]);
}
test.each(caseNames)("a case that broke once: %s", keepsEveryPromise);

/** Mistakes that show only in dialects are looked for once the runs have them. */
const planted = Object.keys(mistakes).filter((name) => everything.dialects || !mistakes[name]?.needsDialects);

test.each(planted)("finds the mistake: %s", async (name) => {
  const seed = await firstSeed(async (each) => {
    const scenario = scenarioOf(each);
    const violations = await violationsOf(scenario, mistakes[name]);
    // A run that fails without the mistake too proves nothing.
    return violations.length > 0 && (await violationsOf(scenario)).length > 0 ? [] : violations;
  }, seedOf[name]);
  expect(seed).toBeLessThan(100_000);
});

async function firstSeed(search: (seed: number) => Promise<string[]>, from = 1): Promise<number> {
  for (let seed = from; seed < 100_000; seed++) if ((await search(seed)).length > 0) return seed;
  return Infinity;
}
