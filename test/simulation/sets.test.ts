import { livesIn } from "./lives";
import { setMistakes } from "./mistakes";
import { runSets, type SetScenario, setScenario } from "./sets";
import { describe as describeScenario, shrink } from "./shrink";

/** `npm run simulate -- --sets` runs as many as it is asked for. */
const runs = Number(process.env.CLOUDVOICE_SIMULATED_RUNS ?? 100);

test(`${runs} lives of a set keep every promise`, async () => {
  for (let seed = 1; seed <= runs; seed++) {
    if ((await runSets(setScenario(seed))).violations.length === 0) continue;
    const { scenario, result } = await shrink(setScenario(seed), runSets);
    throw new Error([`seed ${seed}`, describeScenario(scenario), ...result.log, ...result.violations].join("\n"));
  }
});

/**
 * Lives that broke once, with their events and with how their service answered. Notes of a destroy, names of renamed
 * entries, deletes of unknown end, room; pending creates, entries with one name, a destroy that the engine did not save,
 * voices that leave before they are listed, a voice that was there before, one that may be gone, a list that lacks one and
 * another that has it, old voices that are wanted again, a voice that appears after the last look, a deleted one that the
 * list still shows, one that a failed create may reuse, and one that takes the room of another entry.
 */
test.each(livesIn<SetScenario>("mended"))("a life that broke once: %s", async (_, life) => {
  expect((await runSets(life)).violations).toEqual([]);
});

test.each(Object.keys(setMistakes))("finds the mistake: %s", async (name) => {
  for (let seed = 1; seed < 2000; seed++) {
    const { violations } = await runSets(setScenario(seed), setMistakes[name]);
    if (violations.length > 0 && (await runSets(setScenario(seed))).violations.length === 0) return;
  }
  throw new Error("it is not found");
});
