import { markdownOf } from "../../provider/src/cli/review/markdown";
import { textOf } from "../../provider/src/cli/review/text";
import { exitCodeOf } from "../../provider/src/cli/review/exit-code";
import type { Step } from "../../provider/src/cli/review/step";
import type { VoiceHolder } from "../../provider/src/voices/holder";
import { holder, preview, review, step, targetModel } from "../support/review-steps";

/** What an update deletes is in the review: each voice by its name, and who else holds it. */

const voice = "svc-tts-vc-n_1234567-voice-20261121115500000-beef";
const gone = step("delete", "n", { id: voice, olds: { targetModel } });
const listed = { voice, targetModel };

test("a voice that goes is named with its resource in each form", () => {
  const reviewed = review([gone], { account: [listed], held: [holder("n", voice)] });
  expect(reviewed.goingVoices).toEqual([{ voice, name: "n" }]);
  expect(textOf(reviewed)).toContain(`voices that are deleted: 1\n  ${voice} (n)`);
  expect(markdownOf(reviewed)).toContain(`- \`${voice}\` (n)`);
});

test("a voice that goes and its resource are isolated if they are written from right to left", () => {
  const [id, name] = ["voice-of-קריין", "קריין"];
  const going = step("delete", name, { id, olds: { targetModel } });
  const reviewed = review([going], { account: [{ voice: id, targetModel }], held: [holder(name, id)] });
  const isolate = (text: string) => `\u2068${text}\u2069`;
  expect(textOf(reviewed)).toContain(`voices that are deleted: 1\n  ${isolate(id)} (${isolate(name)})`);
  expect(markdownOf(reviewed)).toContain(`- ${isolate(`\`${id}\``)} (${isolate(name)})`);
});

test.each([
  ["goes away", gone],
  ["is replaced", step("replace", "n", { id: voice, olds: { targetModel }, news: { targetModel, text: "Hello." } })],
])("a voice of a resource that %s stays if another stack holds it, which the review names", (_, each) => {
  const elsewhere = new Map([[voice, "organization/a/dev"]]);
  const reviewed = review([each], { account: [listed], held: [holder("n", voice)], elsewhere });
  expect(reviewed.goingVoices).toEqual([]);
  expect(reviewed.changes[0]?.why).toMatch(/voice stays, because the stack organization\/a\/dev holds it too/);
  const { quota } = reviewed as { quota: { after: number } };
  expect(quota.after).toBe(each.op === "delete" ? 1 : 2);
});

const same = step("same", "other", { id: voice, olds: { targetModel }, news: { targetModel } });
const read = { ...same, oldState: { ...same.oldState!, external: true } };
const alsoGone = step("delete", "other", { id: voice, olds: { targetModel } });
const old = { ...holder("other", voice), isOld: true };
test.each<[what: string, others: Step[], held: VoiceHolder[], whole: boolean, goes: boolean]>([
  ["stays if another resource of the stack keeps it", [same], [], true, false],
  ["stays if another resource keeps it that the preview leaves out", [], [holder("other", voice)], false, false],
  ["goes if the other resource goes too", [alsoGone], [holder("other", voice)], false, true],
  ["goes if the other resource only reads it", [read], [], true, true],
  ["goes if the other is an old copy", [], [old], false, true],
  ["goes if only the state has the other, under a former name", [], [holder("former", voice)], true, true],
])("a voice of a removed resource %s", (_, others, held, whole, goes) => {
  const steps = [gone, ...others];
  const facts = { preview: { ...preview(...steps), whole }, account: [listed], held: [holder("n", voice), ...held] };
  const reviewed = review(steps, facts);
  expect(reviewed.goingVoices.map((each) => each.voice).includes(voice)).toBe(goes);
  const why = reviewed.changes.find(({ name }) => name === "n")?.why;
  expect(why).toBe(
    goes ? "no longer in the program" : "no longer in the program; its voice stays, because other holds it too",
  );
});

test("a voice that a killed run has already deleted does not go again", () => {
  const facts = { account: [{ voice: "v", targetModel }], held: [holder("n", voice)] };
  expect(review([gone], facts).goingVoices).toHaveLength(1);
  expect(review([gone], { ...facts, explained: new Set([voice]) }).goingVoices).toEqual([]);
});

test("a voice of a removed resource stays if another resource of the same update adopts it", () => {
  const adopting = step("create", "other", { news: { targetModel, adopt: voice } });
  const reviewed = review([gone, adopting], { account: [listed], held: [holder("n", voice)] });
  expect(reviewed.goingVoices).toEqual([]);
  expect((reviewed as { quota: { after: number } }).quota.after).toBe(1);
});

test("states that can't be read are a question if a voice goes whose name does not show that it was made here", () => {
  const unread = [{ stack: "organization/a/dev", reason: "no passphrase" }];
  const facts = { account: [listed], held: [holder("n", voice)], unread, statesKnown: false };
  const asked = review([gone], { ...facts, foreign: [voice] });
  expect(asked.questions).toEqual([
    expect.objectContaining({
      kind: "unread",
      uncertain: expect.stringMatching(new RegExp(`${voice}.*a/dev \\(no passphrase\\)`)) as string,
    }),
  ]);
  expect(exitCodeOf(asked)).toBe(1);
  const own = review([gone], { ...facts, foreign: [] });
  expect([exitCodeOf(own), own.questions]).toEqual([2, []]);
  expect(own.notes).toContain("the states of these stacks can't be read: organization/a/dev (no passphrase)");
});

test("a journal that can't be read is a note, once, about what may be missing", () => {
  const reason = "the journal can't be read (EACCES). If an earlier run was killed, this run may pay again";
  const warned = { ...preview(gone), notes: [`warning: ${reason}`] };
  const reviewed = review([], { preview: warned, account: [listed], unreadJournal: new Set([reason]) });
  expect(reviewed.notes).toEqual([
    "what killed runs left may be missing here (unfinished requests, and voices that the update takes over or " +
      `deletes): ${reason}`,
  ]);
  expect(exitCodeOf(reviewed)).toBe(2);
});
