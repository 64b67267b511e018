import { caseNames, caseOf } from "./cases";
import { scenarioOf } from "./generate";
import { expectPromises, kinds, seedThatFinds } from "./kinds";
import { idsOf, type Mistake } from "./provider";
import { runScenario } from "./run";

/** The runs that find the mistakes. If one finds its mistake no more, the test looks on from there, which takes longer. */
const seedOf: Record<string, number> = {
  "no patience after a lost response": 30,
  "the journal is not read": 25,
  "ignoreChanges is forgotten": 266,
  "a name does not depend on the content": 6,
  "a billed request is sent again after a lost response": 68,
  "an unrecognised list is an empty account": 4,
  "a 404 ends a task": 1357,
  "`UNKNOWN` ends a task": 43,
  "the list is read only once": 55,
  "a note is found by inputs": 35,
  "a file is named by its resource": 10,
  "a create forgets which inputs are secret": 504,
  "a note has the key of its request": 1,
  "a gate that failed is open in the next update": 62,
};

/** `npm run simulate` runs as many as it is asked for. */
const runs = Number(process.env.CLOUDVOICE_SIMULATED_RUNS ?? 100);

test(`${runs} runs keep every promise`, () => expectPromises(kinds.run, runs));

test("of two images that the service forgot, only the one that a question named is paid for again", async () => {
  expect((await kinds.run.run(26964)).violations).toEqual([]);
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
  for (let seed = 1; seed <= runs / 4; seed++) {
    expect((await runScenario(scenarioOf(seed), yes)).violations).toEqual([]);
  }
});

/** These broke from outside, on the real engine or in this simulation. */
async function keepsEveryPromise(name: string): Promise<void> {
  for (let seed = 1; seed <= Math.max(4, runs / 50); seed++)
    expect((await runScenario(caseOf(name, seed))).violations).toEqual([]);
}
test.each(caseNames)("a case that broke once: %s", keepsEveryPromise);

test.each(kinds.run.mistakes)("finds the mistake: %s", (name) => seedThatFinds(kinds.run, name, seedOf[name]));
