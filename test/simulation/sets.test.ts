import { expectPromises, kinds, seedThatFinds } from "./kinds";
import { livesIn } from "./lives";
import { runSets, type SetScenario } from "./sets";

/** `npm run simulate -- --sets` runs as many as it is asked for. */
const runs = Number(process.env.CLOUDVOICE_SIMULATED_RUNS ?? 100);

test(`${runs} lives of a set keep every promise`, () => expectPromises(kinds.sets, runs));

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

test.each(kinds.sets.mistakes)("finds the mistake: %s", (name) => seedThatFinds(kinds.sets, name));
