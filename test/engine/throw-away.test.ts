import type { Review } from "../../provider/src/cli/review/review";
import type { Emulator } from "../../provider/emulator";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { temporaryFolder } from "../support/files";
import { Stack } from "../support/stack";
import { heldBy, listed } from "../support/held";

/**
 * Jobs with states that are thrown away, and states that were put back: the name and the age of a voice do not show whose
 * it is. Nothing is paid for or deleted until a person has said so.
 */

const settle = { CLOUDVOICE_SETTLE_SECONDS: "0.5" };

/** A job on a machine of its own: its states are in its folder, under the URL of all jobs, and the journal is shared. */
async function job(emulator: Emulator, journal: string): Promise<Stack> {
  const variables = { ...settle, PULUMI_BACKEND_URL: "file://./.local/state", CLOUDVOICE_JOURNAL: journal };
  return (await Stack.create(emulator, variables)).program(
    `new cv.CloudVoice("guide", { targetModel: model, audio: "a.wav" });`,
  );
}

test("of two jobs with one project and stack, neither takes or deletes what the other one made", async () => {
  const emulator = await emulate();
  const journal = temporaryFolder();
  const [one, two] = [await job(emulator, journal), await job(emulator, journal)];
  await one.ok(one.up());
  const [made] = emulator.voices();
  const asked = await two.up();
  expect([asked.code === 0, emulator.summary().voicesBilled]).toEqual([false, 1]);
  expect(asked.output).toMatch(/CLOUDVOICE_ACCEPT=take-[0-9a-f]{16}/);
  // The second job has nothing to delete. The first deletes its own.
  await two.ok(two.destroy());
  expect(emulator.voices()).toEqual([made]);
  await one.ok(one.destroy());
  expect(emulator.voices()).toEqual([]);

  // At once: each has a voice of its own, and keeps it when the other job ends.
  await Promise.all([one.up(), two.up()]);
  const ids = (await Promise.all([one.resources(), two.resources()])).map((all) => all.map(({ id }) => id));
  expect(new Set(ids.flat()).size).toBe(ids.flat().length);
  await one.ok(one.destroy());
  const kept = (await two.resources()).map(({ id }) => id);
  expect(emulator.voices().map(({ voice }) => voice)).toEqual(kept);
});

test("after the loss of state and journal, one question is asked for all voices, and one yes takes them at no cost", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator, settle);
  stack.program(`
    const entry = { targetModel: model, audio: "a.wav" };
    new cv.VoiceCatalog("voices", { voices: { a: entry, b: entry } });
    new cv.CloudVoice("c", entry);`);
  const empty = await stack.state();
  await stack.ok(stack.up());
  const before = await heldBy(stack);
  await stack.setState(empty);

  const fresh = stack.with({ XDG_STATE_HOME: temporaryFolder() });
  const preview = await fresh.ok(fresh.preview());
  const { code, stdout } = await cloudvoice(fresh, ["review", "--json"]);
  const { questions } = JSON.parse(stdout) as Review;
  expect([code, questions.map(({ kind }) => kind)]).toEqual([1, ["take"]]);
  const asked = [...preview.output.matchAll(/CLOUDVOICE_ACCEPT=(take-[0-9a-f]{16})/g)].map(([, id]) => id);
  expect([...new Set(asked)]).toEqual(questions.map(({ id }) => id));
  const refused = await fresh.up();
  expect([refused.code === 0, emulator.summary().voicesBilled]).toEqual([false, 3]);

  const answered = fresh.with({ CLOUDVOICE_ACCEPT: questions[0]?.id ?? "" });
  await answered.ok(answered.up());
  expect([await heldBy(stack), listed(emulator).length, emulator.summary().voicesBilled]).toEqual([before, 3, 3]);
});
