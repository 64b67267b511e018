import { markdownOf } from "../../provider/src/cli/review/markdown";
import type { Step } from "../../provider/src/cli/review/preview";
import { textOf } from "../../provider/src/cli/review/text";
import type { PlanLine } from "../../provider/src/rules/plan-line";
import { deletedHeading } from "../../provider/src/cli/review/words";
import { fingerprint, quotaLine, review, step, targetModel, urnOf } from "../support/review-steps";

/** What an update deletes is in the review: each voice by its name, what stays and why, and what it means for the app. */

const voice = "svc-tts-vc-n_1234567-voice-20261121115500000-beef";
const outputs = { account: fingerprint, preferredName: "n_1234567" };
const gone = step("delete", "n", { id: voice, olds: { targetModel }, outputs });
const content = { targetModel, audio: "a.wav", preferredName: "n_1234567", nameVersion: 1 };
const replaced = (parts: Parameters<typeof step>[2] = {}) =>
  step("replace", "n", { id: voice, olds: content, news: { ...content, text: "Hello." }, outputs, ...parts });
const created = step("create", "other", { news: content });
/** With one new voice, so that the account's quota is counted. */
const counted = (...steps: Step[]) => review([...steps, created], {}, quotaLine("other", { now: 5 }));

test("a voice that goes is named with its resource in each form, and stops the programs that use it", () => {
  const reviewed = counted(gone);
  expect(reviewed.goingVoices).toEqual([{ voice, name: "n" }]);
  expect(textOf(reviewed)).toContain(`${deletedHeading}: 1\n  ${voice} (n)`);
  expect(markdownOf(reviewed)).toContain(`- \`${voice}\` (n)`);
  expect(deletedHeading).toContain("programs that use their names stop working");
  const whyReplaced = (old: object) => counted(replaced({ old })).changes.find(({ name }) => name === "n")?.why;
  expect(whyReplaced({})).toMatch(/; the old voice is deleted before the new one is created$/);
  expect(whyReplaced({ delete: true })).not.toContain("deleted before");
  expect(reviewed.quotas).toMatchObject([{ now: 5, peak: 6, after: 5 }]);
});

test("a voice that goes and its resource are isolated if they are written from right to left", () => {
  const [id, name] = ["voice-of-קריין", "קריין"];
  const reviewed = review([step("delete", name, { id, olds: { targetModel } })]);
  const isolate = (text: string) => `\u2068${text}\u2069`;
  expect(textOf(reviewed)).toContain(`${deletedHeading}: 1\n  ${isolate(id)} (${isolate(name)})`);
  expect(markdownOf(reviewed)).toContain(`- ${isolate(`\`${id}\``)} (${isolate(name)})`);
});

const adopted = { outputs: { ...outputs, adopted: true } };
const another = { outputs: { ...outputs, preferredName: "n_7654321" } };
const contradicts = /stays in the account: its name contradicts the state, which says n_7654321/;
const notCreated = /stays in the account: this stack adopted it and did not create it/;

test.each<[what: string, goes: Step, why: RegExp]>([
  ["that the stack adopted, of a resource that is removed", step("delete", "n", { id: voice, ...adopted }), notCreated],
  ["that the stack adopted, of a resource that is replaced", replaced(adopted), notCreated],
  ["whose name contradicts the state", step("delete", "n", { id: voice, ...another }), contradicts],
  [
    "of a resource with retainOnDelete",
    step("delete", "n", { id: voice, outputs, old: { retainOnDelete: true } }),
    /the old voice stays in the account$/,
  ],
  ["of a replaced resource with retainOnDelete", replaced({ old: { retainOnDelete: true } }), /stays in the account$/],
])("a voice %s stays, and the review has the command that deletes it", (_, goes, why) => {
  const reviewed = counted(goes);
  expect(reviewed.goingVoices).toEqual([]);
  expect(reviewed.changes.find(({ name }) => name === "n")).toMatchObject({
    retained: true,
    why: expect.stringMatching(why) as string,
  });
  expect(reviewed.notes).toEqual([
    `n: its voice ${voice} stays in the account. To delete the voice after the update: ` +
      `\`npx --no-install pulumi-cloudvoice delete ${voice}\``,
  ]);
  // The replacement of such a voice needs a place of its own.
  const places = goes.op === "replace" ? 1 : 0;
  expect(review([goes, created], {}, quotaLine("n", { now: 5 }), quotaLine("other", { now: 5 })).quotas).toMatchObject([
    { now: 5, peak: 6 + places, after: 6 + places },
  ]);
});

test("the delete of a voice that the account lacks frees no place, also before its replacement", () => {
  const first = replaced();
  const quotas = (...lines: PlanLine[]) => review([first], {}, quotaLine("n", { now: 5 }), ...lines).quotas;
  expect(quotas()).toMatchObject([{ now: 5, peak: 5, after: 5 }]);
  expect(quotas({ urn: first.urn, gone: voice })).toMatchObject([{ now: 5, peak: 6, after: 6 }]);
});

const same = (name: string) => step("same", name, { id: voice, olds: content, news: content });
test.each<[what: string, others: Step[], goes: boolean]>([
  ["stays if another resource keeps it", [same("kept")], false],
  ["stays if another resource keeps it with an update", [{ ...same("kept"), op: "update" }], false],
  ["goes if the other resource goes too", [step("delete", "kept", { id: voice, outputs })], true],
  ["goes if the other resource is replaced", [{ ...replaced(), urn: urnOf("kept") }], true],
])("a voice of a removed resource %s", (_, others, goes) => {
  const reviewed = review([gone, ...others]);
  expect(reviewed.goingVoices.map((each) => each.voice)).toEqual(goes ? [voice] : []);
  const why = reviewed.changes.find(({ name }) => name === "n")?.why;
  expect(why).toMatch(
    goes ? /^no longer in the program/ : /^no longer in the program; the old voice stays, because kept has it too/,
  );
});

test("a voice stays if another resource of the same update takes or adopts it", () => {
  const adopting = step("create", "adopting", { news: { ...content, adopt: voice } });
  for (const each of [adopting, step("create", "adopting", { news: content })]) {
    const reviewed = review([gone, each], {}, { urn: urnOf("adopting"), takes: voice });
    expect([reviewed.goingVoices, reviewed.charge.atMost]).toEqual([[], 0]);
  }
});

test("a voice that the engine deletes with another resource stays in the account, because no provider is called", () => {
  const container = step("delete", "a");
  const contained = step("delete", "b", { old: { deletedWith: urnOf("a") } });
  const both = review([container, contained]);
  expect(both.goingVoices).toEqual([{ voice: "svc-a", name: "a" }]);
  expect(both.changes[1]).toMatchObject({ name: "b", retained: true });
  expect(review([step("same", "a"), contained]).goingVoices).toEqual([{ voice: "svc-b", name: "b" }]);
});

test("the command that deletes a voice later has an id with characters of a shell as one word", () => {
  const { notes } = review([step("delete", "n", { id: "v; rm -rf /", old: { retainOnDelete: true } })]);
  expect(notes.join()).toContain("pulumi-cloudvoice delete 'v; rm -rf /'`");
});
