import {
  type Counts,
  Holdings,
  isOver,
  planVoices,
  QuotaPlan,
  quotaProblem,
  type VoiceStep,
} from "../../../provider/src/voices/judge/voice-count";
import type { VoiceHolder } from "../../../provider/src/voices/holder";

/** How many voices an update needs. The account has `a`, `b` and two voices of others; the state has `a` and `b`. */

const holder = (voice: string, changes: Partial<VoiceHolder> = {}): VoiceHolder => ({
  ...{ stack: "organization/program/dev", urn: voice, savedUrn: voice, voice, isOld: false, ...changes },
});
const create = (urn: string): VoiceStep => ({ urn, creates: true });
const replace = (urn: string, changes: Partial<VoiceStep> = {}): VoiceStep => ({
  ...{ urn, creates: true, old: urn, leaves: "last", ...changes },
});
const remove = (urn: string, changes: Partial<VoiceStep> = {}): VoiceStep => ({
  ...{ urn, creates: false, old: urn, leaves: "last", ...changes },
});
const take = (urn: string, takes: string): VoiceStep => ({ urn, creates: false, takes });

const both = [holder("a"), holder("b")];
function plan(steps: VoiceStep[], held = both, missing: string[] = []) {
  const listed = [...held.map(({ voice }) => voice), "x", "y"].filter((voice) => !missing.includes(voice));
  const exists = (voice: string) => listed.includes(voice);
  return planVoices(steps, { held: new Holdings(held), inAccount: 4 - missing.length, exists });
}
const peakAndAfter = ({ peak, after }: Counts) => [peak, after];

test.each<[what: string, steps: VoiceStep[], account: [peak: number, after: number], stack: [number, number]]>([
  ["no change", [], [4, 4], [2, 2]],
  ["a new voice, and one that is removed", [create("c"), remove("a")], [5, 4], [3, 2]],
  ["a replacement", [replace("a")], [5, 4], [3, 2]],
  ["a replacement that deletes first", [replace("a", { leaves: "first" })], [4, 4], [2, 2]],
  [
    "two new voices, and a replacement that deletes first",
    [create("c"), create("d"), replace("a", { leaves: "first" })],
    [6, 6],
    [4, 4],
  ],
  ["a replacement that takes its own voice again", [replace("a", { creates: false, takes: "a" })], [4, 4], [2, 2]],
  ["voices from elsewhere", [take("c", "x"), take("d", "y")], [4, 4], [4, 4]],
  ["a voice that is handed over", [take("c", "a"), remove("a")], [4, 4], [2, 2]],
  ["a voice that stays in the account", [remove("a", { retained: true })], [4, 4], [2, 1]],
  ["a replacement whose old voice stays in the account", [replace("a", { retained: true })], [5, 5], [3, 2]],
  ["a resource that is renamed and replaced", [replace("renamed", { old: "a" })], [5, 4], [3, 2]],
  ["a new resource under the old name of one that keeps its voice", [create("a")], [5, 5], [3, 3]],
  // The state could not be read for it.
  [
    "a replacement of a voice that is not known, which deletes first",
    [{ ...create("c"), leaves: "first" }],
    [4, 4],
    [2, 2],
  ],
  ["the end of a voice of another stack", [remove("x")], [4, 3], [2, 2]],
])("of a stack with two voices: %s", (_, steps, account, stack) => {
  const { account: inAccount, stack: inStack } = plan(steps);
  expect([inAccount.now, inStack.now]).toEqual([4, 2]);
  expect([peakAndAfter(inAccount), peakAndAfter(inStack)]).toEqual([account, stack]);
});

test.each<[what: string, steps: VoiceStep[], account: [peak: number, after: number], stack: [number, number]]>([
  ["nothing changes", [], [3, 3], [2, 2]],
  ["it is created again: it keeps its place in the stack", [create("a")], [4, 4], [2, 2]],
  ["it is replaced: the old one takes no place", [replace("a")], [4, 4], [2, 2]],
  ["and deleted first: there is nothing to delete", [replace("a", { leaves: "first" })], [4, 4], [2, 2]],
  // The update refused this with `stackQuota` 2, and the review said that it would pass.
  ["the other is replaced", [replace("b")], [4, 3], [3, 2]],
  ["it is created again, and the other is replaced", [create("a"), replace("b")], [5, 4], [3, 2]],
  ["its resource is removed", [remove("a")], [3, 3], [2, 1]],
  ["its resource is removed, and another created", [remove("a"), create("c")], [4, 4], [3, 2]],
])("one of two voices was deleted outside Pulumi, and %s", (_, steps, account, stack) => {
  const { account: inAccount, stack: inStack } = plan(steps, both, ["a"]);
  expect([inAccount.now, inStack.now]).toEqual([3, 2]);
  expect([peakAndAfter(inAccount), peakAndAfter(inStack)]).toEqual([account, stack]);
});

test.each<
  [what: string, copy: VoiceHolder, steps: VoiceStep[], account: [peak: number, after: number], stack: [number, number]]
>([
  ["goes", holder("copy", { isOld: true }), [], [4, 3], [3, 2]],
  ["goes after a new voice is there", holder("copy", { isOld: true }), [create("c")], [5, 4], [4, 3]],
  ["stays in the account with retainOnDelete", holder("copy", { isOld: true, retained: true }), [], [4, 4], [3, 2]],
  ["keeps a voice that a live resource has too", holder("a", { isOld: true }), [], [4, 4], [2, 2]],
  ["goes with a live resource that has its voice", holder("a", { isOld: true }), [remove("a")], [4, 3], [2, 1]],
  ["goes last with its voice", holder("a", { isOld: true }), [replace("a", { leaves: "first" })], [5, 4], [3, 2]],
])("an old copy that an interrupted replacement left %s", (_, copy, steps, account, stack) => {
  const counts = plan(steps, [...both, copy]);
  expect([peakAndAfter(counts.account), peakAndAfter(counts.stack)]).toEqual([account, stack]);
});

test("the voice of an old copy is a voice of the stack, and not the one that its resource has", () => {
  const copy = holder("old", { urn: "a", isOld: true });
  const { voices, voiceByUrn, oldCopies } = new Holdings([...both, copy]);
  expect([[...voices], voiceByUrn.get("a"), oldCopies]).toEqual([["a", "b", "old"], "a", [copy]]);
});

test.each<[what: string, steps: VoiceStep[], after: number]>([
  ["stays while the other has it", [remove("one", { old: "a" })], 4],
  ["goes with the second of them", [remove("one", { old: "a" }), remove("two", { old: "a" })], 3],
])("a voice that two resources hold %s", (_, steps, after) => {
  const held = ["one", "two"].map((urn) => holder("a", { urn }));
  expect(plan(steps, held).account.after).toBe(after);
});

test("a voice that two resources hold goes last if one of them is replaced first", () => {
  const held = ["one", "two"].map((urn) => holder("a", { urn }));
  const steps = [replace("one", { old: "a" }), replace("two", { old: "a", leaves: "first" })];
  for (const each of [steps, [...steps].reverse()]) expect(plan(each, held).account.peak).toBe(6);
});

test.each<[whose: "account" | "stack", now: number, peak: number, added: number, isOver: boolean]>([
  ["account", 2, 3, 1, false],
  ["account", 2, 4, 2, true],
  ["account", 5, 5, 0, false],
  // The service would refuse the create, after the old voice was deleted.
  ["account", 5, 5, 1, true],
  ["stack", 2, 3, 1, false],
  ["stack", 2, 4, 2, true],
  // A stack that is over its bound may still replace what it has.
  ["stack", 5, 5, 1, false],
])("an %s of %d voices, %d at the peak, where 3 are allowed", (whose, now, peak, added, expected) => {
  expect(isOver(whose, { now, peak, added }, 3)).toBe(expected);
});

test("the checks of one operation add up, and a resource that is checked twice counts once", () => {
  const plan = new QuotaPlan();
  const counts = () => {
    const { account, stack } = plan.counts(4, new Holdings(both));
    return [account.added, account.peak, stack.added, stack.peak];
  };
  plan.freesFirst("b");
  for (const urn of ["c", "c", "b"]) plan.add(create(urn));
  expect(counts()).toEqual([2, 5, 2, 3]);
  plan.add(take("d", "x"));
  expect(counts()).toEqual([2, 5, 3, 4]);
  plan.add(create("a"), "a");
  expect(counts()).toEqual([3, 6, 4, 4]);
});

test("without the state, each replacement that deletes first still frees its place", () => {
  const plan = new QuotaPlan();
  for (const urn of ["a", "b"]) {
    plan.freesFirst(urn);
    plan.add(create(urn));
  }
  const { peak, after } = plan.counts(4, new Holdings([])).account;
  expect([peak, after]).toEqual([4, 4]);
});

test("a voice that the refresh took out of the state is not held when the update begins", () => {
  const plan = new QuotaPlan();
  plan.leave("a");
  const held = plan.holdings(both);
  expect([...held.voices]).toEqual(["b"]);
  // The checks that follow ask again, while the states change.
  expect(plan.holdings([])).toBe(held);
});

const needs = (now: number, peak: number, added = 1) => ({ now, peak, added });

test("an update that does not fit is a problem with voices, creates, peak and quota, unless the check is off", () => {
  expect(quotaProblem("account", needs(3, 5, 2), 5, "error")).toBeUndefined();
  expect(quotaProblem("account", needs(4, 6, 3), 5, "off")).toBeUndefined();
  expect(quotaProblem("account", needs(4, 6, 3), 5, "error")).toMatch(/\b4 voices\b.*\b3\b.*\b6\b.*\b5\b/);
  expect(quotaProblem("account", needs(1, 6, 3), 5, "error")).toMatch(/\b1 voice\./);
});

test("the bound of a stack is a rule of the same kind, and its error states the numbers and the setting", () => {
  expect(quotaProblem("stack", needs(5, 6, 2), 5, "warn")).toMatch(
    /cloudvoice:stackQuota is 5\. The stack has 5 voices\. .* add 2, and the update needs 6 at its peak\..*VoiceQuotaExceeded/,
  );
});
