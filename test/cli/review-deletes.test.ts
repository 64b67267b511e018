import { voicesOfStep } from "../../provider/src/cli/review/sets";
import { hashIn } from "../../provider/src/rules/naming";
import { parsePreview } from "../../provider/src/cli/review/preview";
import type { ReviewFacts } from "../../provider/src/cli/review/facts";
import type { LeftOfSet } from "../../provider/src/voices/set-orphans";
import { markdownOf } from "../../provider/src/cli/review/markdown";
import { textOf } from "../../provider/src/cli/review/text";
import { exitCodeOf } from "../../provider/src/cli/review/exit-code";
import { voiceSetType } from "../../provider/src/rules/resource-types";
import { entryUrn, type HeldVoice, setState } from "../../provider/src/rules/voice-set";
import type { VoiceOutputs } from "../../provider/src/rules/voice";
import type { Step } from "../../provider/src/cli/review/step";
import type { VoiceHolder } from "../../provider/src/voices/holder";
import { holder, preview, review, step, targetModel } from "../support/review-steps";

/** What an update deletes is in the review: each voice by its name, who else holds it, and what a killed update left. */

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

describe("a set that the engine updates", () => {
  const set = `urn:pulumi:dev::program::${voiceSetType}::voices`;
  const inputs = { voices: { a: { targetModel, audio: "a.wav", preferredName: "a_1234567", nameVersion: 1 } } };
  const made = { ...inputs.voices.a, voice, degraded: false, adopted: false, account: "a" } as VoiceOutputs;
  const outputs = (superseded: HeldVoice[] = []) =>
    setState({ voices: new Map([["a", made]]), superseded, released: [] }, { instance: "i", updates: 1 });
  const stateWith = (state: object) => ({ urn: set, type: voiceSetType, id: "voices", inputs, outputs: {}, ...state });
  const readCreate = (state: object = {}) => {
    const raw = { op: "create", urn: set, newState: stateWith(state) };
    return parsePreview(Buffer.from(JSON.stringify({ steps: [raw], changeSummary: { create: 1 } })));
  };
  const read = (detailedDiff: object, op = "update", changes: object = {}, initErrors?: string[]) => {
    const state = { urn: set, type: voiceSetType, id: "voices", inputs, outputs: outputs() };
    const raw = { op, urn: set, oldState: { ...state, initErrors }, newState: { ...state, ...changes }, detailedDiff };
    return parsePreview(Buffer.from(JSON.stringify({ steps: [raw], changeSummary: { [op]: 1 } })));
  };
  const left = "svc-tts-vc-b_7654321-voice-20261121115500000-cafe";
  const account = [listed, { voice: left, targetModel }];

  test.each<[what: string, diff: object, changes: unknown[], going: string[]]>([
    [
      "to delete a voice that a killed update left",
      { [`leftBehind[${JSON.stringify(left)}]`]: {} },
      [["delete", left, "left behind by a killed update"]],
      [left],
    ],
    [
      "to look for one that may still appear",
      { "leftBehind.b_7654321": {} },
      [["delete", undefined, "a killed update may have created this voice; it is deleted if it appears"]],
      [],
    ],
    [
      "to look for what a killed update left",
      { leftBehind: {} },
      [["update", undefined, "looks for voices that a killed update may have left, and deletes them"]],
      [],
    ],
  ])("%s has a change", (_, diff, changes, going) => {
    const reviewed = review([], { preview: read(diff), account });
    expect(reviewed.changes.map(({ action, id, why }) => [action, id, why])).toEqual(changes);
    expect(reviewed.goingVoices.map((each) => each.voice)).toEqual(going);
    expect([reviewed.complete, exitCodeOf(reviewed)]).toEqual([true, 2]);
  });

  const kept = { inputs: { ...inputs, keepRemoved: true } };
  const wanted = ["create", undefined, "new in the program"];
  const deletes = ["delete", left, "left behind by a killed update"];
  const keeps = ["delete", left, "left behind by a killed update; it stays in the account"];
  const looks = ["update", undefined, "looks for voices that a killed update may have left, and deletes them"];
  const elsewhere = new Map([[left, "organization/a/dev"]]);
  test.each<[what: string, state: object, found: Partial<LeftOfSet>, facts: object, changes: unknown[], after: number]>(
    [
      ["deletes the voice of an entry that is gone", {}, { voices: [left] }, {}, [wanted, deletes], 2],
      ["that has no entry deletes it too", { inputs: { voices: {} } }, { voices: [left] }, {}, [deletes], 1],
      ["looks for voices if its log can't be read", {}, { isUnread: true }, {}, [wanted, looks], 3],
      ["keeps it (keepRemoved)", kept, { voices: [left] }, {}, [wanted, keeps], 3],
      ["leaves it to another stack", {}, { voices: [left] }, { elsewhere }, [wanted], 3],
      ["leaves it to another resource", {}, { voices: [left] }, { held: [holder("other", left)] }, [wanted], 3],
      ["leaves it as long as states can't be read", {}, { voices: [left] }, { statesKnown: false }, [wanted], 3],
      [
        "deletes what the list may show later, and no entry needs",
        {},
        { unseen: ["a_1234567", "b_7654321"] },
        {},
        [wanted, ["delete", undefined, "a killed update may have created this voice; it is deleted if it appears"]],
        3,
      ],
    ],
  )("that the engine creates, after its first update was killed, %s", (_, state, found, facts, changes, after) => {
    const leftOfSets = [{ urn: set, voices: [], unseen: [], ...found }];
    const others = account.map((each) => ({ ...each, voice: each.voice.replace("-n_1234567-", "-x_1111111-") }));
    const reviewed = review([], { preview: readCreate(state), account: others, leftOfSets, ...facts });
    expect(reviewed.changes.map(({ action, id, why }) => [action, id, why])).toEqual(changes);
    expect(reviewed.goingVoices.map((each) => each.voice)).toEqual(changes.includes(deletes) ? [left] : []);
    expect(reviewed.quota).toMatchObject({ after });
  });

  test("that the engine creates takes the voice of a renamed entry, and deletes no other with it", () => {
    const open = new Map([["a_1234567", { end: "sent", isOurs: true }]]) as unknown as ReviewFacts["unfinished"];
    const leftOfSets = [{ urn: set, voices: [voice, left], unseen: [] }];
    const reviewed = review([], { preview: readCreate(), account, leftOfSets, unfinished: open });
    expect(reviewed.changes.map(({ action, id, takes }) => [action, id ?? takes])).toEqual([
      ["take", voice],
      ["delete", left],
    ]);
    expect(reviewed.goingVoices).toEqual([{ voice: left, name: expect.stringContaining(left) as string }]);
  });

  test("for a reason that the review does not know makes the review incomplete", () => {
    const reviewed = review([], { preview: read({}), account });
    expect(reviewed.errors).toEqual(["the update changes voices in a way that this review does not know"]);
    expect([reviewed.complete, exitCodeOf(reviewed)]).toEqual([false, 1]);
    expect(exitCodeOf(review([], { preview: read({}, "same"), account }))).toBe(0);
  });

  test("only because an entry failed, which the program no longer has, has no change", () => {
    const failed = ["voices.b: the account is full"];
    const reviewed = review([], { preview: read({}, "update", {}, failed), account });
    expect([reviewed.complete, reviewed.changes, exitCodeOf(reviewed)]).toEqual([true, [], 0]);
    const alsoUnknown = review([], { preview: read({ kept: {} }, "update", {}, failed), account });
    expect([alsoUnknown.complete, exitCodeOf(alsoUnknown)]).toEqual([false, 1]);
  });

  test("to give an entry of a copied state, which gets another name, a voice of its own is charged", () => {
    const renamed = { inputs: { voices: { a: { ...inputs.voices.a, preferredName: "a_7654321" } } } };
    const reviewed = review([], { preview: read({ "voices.a.preferredName": {} }, "update", renamed), account });
    expect(reviewed.changes.map(({ action, id }) => [action, id])).toEqual([["replace", voice]]);
    expect(reviewed.charge.voices).toBe(1);
  });

  test("to drop a replaced voice has a change, listed or not", () => {
    const old = { ...holder("voices.a", left), savedUrn: entryUrn(set, "a"), isOld: true };
    const of = (list: typeof account, foreign: string[] = []) =>
      review([], { preview: read({ "superseded[0]": {} }), account: list, held: [old], foreign });
    expect(of(account).changes.map(({ action, id }) => [action, id])).toEqual([["delete", left]]);
    expect(of([listed]).changes[0]?.why).toMatch(/the account's list does not show it/);
    // The provider keeps it, because nothing shows that the set made it.
    expect(of(account, [left]).changes[0]).toMatchObject({
      retained: true,
      why: expect.stringMatching(/stays in the account/) as string,
    });
    expect(of(account, [left]).goingVoices).toEqual([]);
  });

  test("whose entries are secret can't be listed", () => {
    const hidden = review([], {
      preview: read({ "voices.a.audio": {} }, "update", { inputs: { voices: "[secret]" } }),
      account,
    });
    expect(hidden.errors[0]).toMatch(/the entries of voices are secret, so the review can't list what changes/);
    expect(exitCodeOf(hidden)).toBe(1);
    const same = review([], { preview: read({}, "same", { inputs: { voices: "[secret]" } }), account });
    expect([exitCodeOf(same), same.changes]).toEqual([0, []]);
  });
});

test("a new set whose entries have equal content: each copy has a name of its own, so a voice is taken once", () => {
  const entry = { targetModel, audio: "a.wav", audioSha256: "a", nameVersion: 1, preferredName: "a_1234567" };
  const inputs = { voices: { a: entry, b: { ...entry, preferredName: "b_1234567" } } };
  const state = { type: voiceSetType, inputs, outputs: {} };
  const steps = voicesOfStep({
    op: "create",
    urn: `urn:pulumi:dev::program::${voiceSetType}::voices`,
    newState: state,
  });
  const names = steps.map(({ newState }) => hashIn(String(newState?.inputs.preferredName)));
  expect(new Set(names).size).toBe(2);
});
