import type { Review } from "../../provider/src/cli/review/review";
import type { Emulator } from "../../provider/emulator";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { temporaryFolder } from "../support/files";
import { inFrontOf } from "../support/in-front";
import { Stack, testOfVoices } from "../support/stack";

/**
 * Jobs with states that are thrown away, and states that were put back: the name and the age of a voice do not show whose
 * it is. Nothing is paid for or deleted until a person has said so.
 */

const settle = { CLOUDVOICE_SETTLE_SECONDS: "0.5" };
const idIn = (output: string) => /CLOUDVOICE_ACCEPT=(take-[0-9a-f]{16})/.exec(output)?.[1] ?? "";

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
  const preview = await two.ok(two.preview());
  const asked = await two.up();
  expect([asked.code === 0, idIn(asked.output), emulator.summary().voicesBilled]).toEqual([
    false,
    idIn(preview.output),
    1,
  ]);
  expect(idIn(asked.output)).toMatch(/^take-/);
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

testOfVoices(
  "a state that was put back, with voices made since, is one question at preview and one answer",
  async () => {
    const emulator = await emulate();
    const stack = await Stack.create(emulator, settle);
    const programOf = (count: number) =>
      stack.program(`
      for (let each = 0; each < ${count}; each++)
        new cv.CloudVoice("v" + each, { targetModel: model, audio: "a.wav" });`);
    programOf(2);
    await stack.ok(stack.up());
    const yesterday = await stack.state();
    programOf(12);
    await stack.ok(stack.up());
    await stack.ok(stack.up()); // The state has had each voice, and no note is left.
    const before = emulator.voices().map(({ voice }) => voice);
    await stack.setState(yesterday);

    const preview = await stack.ok(stack.preview());
    expect(preview.output.match(/CLOUDVOICE_ACCEPT=/g)).toHaveLength(preview.output.includes("Diagnostics") ? 2 : 1);
    const { code, stdout } = await cloudvoice(stack, ["review", "--json"]);
    const { questions } = JSON.parse(stdout) as Review;
    expect([code, questions.map(({ kind }) => kind)]).toEqual([1, ["take"]]);
    const refused = await stack.up();
    expect([refused.code === 0, emulator.summary().voicesBilled]).toEqual([false, 12]);

    const answered = stack.with({ CLOUDVOICE_ACCEPT: questions[0]?.id ?? "" });
    await stack.ok(answered.up());
    expect(emulator.voices().map(({ voice }) => voice)).toEqual(before);
    expect([emulator.summary().voicesBilled, (await stack.resources()).length]).toEqual([12, 12]);
  },
);

test("an update right after a destroy creates the voices again, without a journal and while the list shows the deleted ones", async () => {
  const emulator = await emulate();
  const late = { answer: "", lists: 0 };
  const service = await inFrontOf(emulator, ({ body, answer }) => {
    if (!body.includes('"action":"list"')) return undefined;
    if (late.lists-- > 0) return { answer: late.answer };
    if (answer.includes('"voice":')) late.answer = answer;
    return undefined;
  });
  const stack = await Stack.create(service, settle);
  stack.program(`new cv.CloudVoice("guide", { targetModel: model, audio: "a.wav" });`);
  await stack.ok(stack.up());
  await stack.ok(stack.refresh());
  const { answer } = late;
  await stack.ok(stack.destroy());
  // Another machine, where nobody knows of the deletes.
  const fresh = stack.with({ XDG_STATE_HOME: temporaryFolder() });
  Object.assign(late, { answer, lists: 1 });
  const { output } = await fresh.ok(fresh.up());
  expect(output).toContain("gone from the list");
  const [{ id } = {}] = await stack.resources();
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2, calls: { create: 2, delete: 1 } });
  expect(emulator.voices().map(({ voice }) => voice)).toEqual([id]);
});
