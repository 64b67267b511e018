import type { Resource } from "../../provider/src/pulumi/provider/lifecycle";
import type { CheckedVoice, VoiceOutputs } from "../../provider/src/rules/voice";
import { Calls } from "../../provider/src/voices/calls";
import type { VoiceHolder } from "../../provider/src/voices/holder";
import { deletedBefore } from "../../provider/src/voices/judge/adopt";
import { type DeleteVerdict, judgeDelete } from "../../provider/src/voices/judge/delete";
import { judgeKeep, type KeepVerdict } from "../../provider/src/voices/judge/keep";
import { chosen, entry, generated, me, ren, resource, voice } from "../support/holders";

/** Who holds a voice: one table per decision, in the words of what the engine has called before. */

const [mine, other] = [resource(me), resource(ren)];
const nameless = { ...mine, name: "" };

type Before = (calls: Calls) => void;
const nothing: Before = () => undefined;
const declared: Before = (calls) => calls.declare(mine);
const bothDeclared: Before = (calls) => (calls.declare(mine), calls.declare(other));
/** As the life cycle does at `diff`. `holders` are the saved entries, and `others` those of other resources. */
function keep(calls: Calls, of: Resource, holders: VoiceHolder[] = [], others: VoiceHolder[] = []): KeepVerdict {
  if (!calls.isDeclared(of)) return { action: "keep" };
  const verdict = judgeKeep(voice, { resource: of, calls: calls.on(voice), holders, others });
  if (verdict.action === "keep") calls.keep(voice, of);
  return verdict;
}
/** As the life cycle does at `delete`. `entries` are those of all states that hold the voice. */
function remove(
  calls: Calls,
  state: VoiceOutputs,
  { label }: Pick<Resource, "label">,
  entries: VoiceHolder[],
  stack?: string,
): DeleteVerdict {
  const isReused = calls.expectsReuseOf(state, entries, stack);
  const others = calls.removeEntry(voice, label, entries);
  // A voice with the resource's own name goes, although another state can't be read.
  const facts = { label, state, calls: calls.on(voice), isNamedFor: true, entries, isAllRead: false };
  return judgeDelete(voice, { ...facts, others, isReused });
}
const expects =
  (inputs: Partial<CheckedVoice>, of = mine): Before =>
  (calls) =>
    calls.expectCreate(inputs, of);

describe("by the calls of this operation, a delete", () => {
  test.each<[what: string, before: Before, state: VoiceOutputs, action: DeleteVerdict["action"]]>([
    ["of a voice that nothing else holds", nothing, generated, "delete"],
    [
      "of the only entry of a resource that was to keep the voice, because `replaceOnChanges` replaced it",
      (o) => (declared(o), keep(o, mine)),
      chosen,
      "delete",
    ],
    [
      "beside a resource of the program that keeps the voice, and that the states do not show yet",
      (o) => (bothDeclared(o), keep(o, other)),
      chosen,
      "keep",
    ],
    ["of the old copy, after --replace reused the voice", (o) => o.claim(voice, chosen, other), generated, "keep"],
    ["before a create of the same generated name", expects(generated), generated, "keep for a create"],
    [
      "before a create of the same name for another model",
      expects({ ...generated, targetModel: "n" }),
      generated,
      "delete",
    ],
    [
      "before a create with other content, and so another name",
      expects({ ...generated, preferredName: "n_7654321" }),
      generated,
      "delete",
    ],
    ["before a create of the same chosen name, which identifies nothing", expects(chosen), chosen, "delete"],
    [
      "before a create whose program chose the very name that was generated here",
      expects({ preferredName: generated.preferredName, targetModel: "m" }),
      generated,
      "delete",
    ],
    ["before a create that adopts another voice", expects({ ...generated, adopt: "other" }), generated, "delete"],
    [
      "before a create of the same name by another resource, which gets a voice of its own",
      expects(generated, other),
      generated,
      "delete",
    ],
  ])("%s", (_, before, state, action) => {
    const calls = new Calls();
    before(calls);
    expect(remove(calls, state, mine, [entry(me)]).action).toBe(action);
  });

  test.each<[what: string, before: Before, entries: VoiceHolder[]]>([
    ["of the old copy, while the resource keeps the voice", nothing, [entry(me), entry(me, { isOld: true })]],
    ["of a resource that keeps the voice, which no state shows", nothing, []],
    ["of a resource whose create reused the voice", (o) => o.claim(voice, chosen, mine), [entry(me)]],
    ["before a create that adopts the voice", expects({ ...chosen, adopt: voice }, other), [entry(me)]],
  ])("keeps the voice: %s", (_, before, entries) => {
    const calls = new Calls();
    declared(calls);
    keep(calls, mine);
    before(calls);
    expect(remove(calls, chosen, mine, entries)).toEqual({
      action: "keep",
      reason: `not deleting the voice ${voice}: another resource, or another copy of this one, still uses it`,
    });
  });
});

describe("by the saved states, a delete", () => {
  test.each<[what: string, holders: VoiceHolder[], action: "delete" | "keep"]>([
    ["of a resource that no state has, after the state was edited", [], "delete"],
    ["beside another resource of the stack", [entry(me), entry(ren)], "keep"],
    ["of an old copy beside the live one, which a target excludes", [entry(me), entry(me, { isOld: true })], "keep"],
    ["beside a resource that was moved to another stack", [entry(me), entry(me, { stack: "prod" })], "keep"],
  ])("%s", (_, holders, action) => {
    expect(remove(new Calls(), generated, mine, holders).action).toBe(action);
  });

  test("that keeps the voice names each holder once", () => {
    const holders = [entry(me), entry(me, { isOld: true }), entry(ren, { stack: "prod" })];
    expect(remove(new Calls(), generated, mine, holders)).toEqual({
      action: "keep",
      reason: expect.stringMatching(/: still used by .*old of the stack dev and .*ren of the stack prod$/) as string,
    });
  });

  test.each<[what: string, before: Before, holders: VoiceHolder[], action: DeleteVerdict["action"]]>([
    [
      "after that create made another voice",
      (o) => (o.expectCreate(generated, mine), o.claim("another voice", generated, mine)),
      [entry(me)],
      "delete",
    ],
    [
      "before a create that reuses the voice, if no state shows its resource",
      expects(generated),
      [],
      "keep for a create",
    ],
    [
      "before a create that reuses the voice, after another holder was deleted",
      (o) => (o.expectCreate(generated, mine), remove(o, generated, other, [entry(me), entry(ren)])),
      [entry(me), entry(ren)],
      "keep for a create",
    ],
  ])("%s", (_, before, holders, action) => {
    const calls = new Calls();
    before(calls);
    expect(remove(calls, generated, mine, holders).action).toBe(action);
  });

  test("of a voice that this operation made for the resource is not kept by the resource's own claim", () => {
    const calls = new Calls();
    calls.claimMade(voice, generated, mine);
    declared(calls);
    keep(calls, mine);
    expect(remove(calls, generated, mine, [])).toEqual({ action: "delete" });
    expect(remove(calls, generated, other, []).action).toBe("keep");
  });
});

describe("the states are read again, and a delete of one of three resources with one voice", () => {
  const third = "urn:pulumi:dev::p::t::third";
  test.each<[what: string, now: VoiceHolder[], action: "keep" | "delete"]>([
    ["keeps it while the third holds it, when the state shows the first removal", [entry(ren), entry(third)], "keep"],
    ["... and when it does not yet", [entry(me), entry(ren), entry(third)], "keep"],
    ["deletes it when another process has removed the third", [entry(ren)], "delete"],
    ["keeps it when another process has given it to a fourth", [entry(ren), entry("urn:pulumi:dev::p::t::4")], "keep"],
  ])("%s", (_, now, action) => {
    const calls = new Calls();
    remove(calls, generated, mine, [entry(ren), entry(me), entry(third)]);
    expect(remove(calls, generated, other, now).action).toBe(action);
  });

  test.each<[what: string, last: VoiceHolder[]]>([
    ["all of them yet", [entry(me), entry(ren), entry(third)]],
    ["that the first is gone", [entry(ren), entry(third)]],
  ])("with old states without labels, the last one deletes it, if the states show %s", (_, last) => {
    const calls = new Calls();
    const all = [entry(me), entry(ren), entry(third)];
    const actions = [all, all, last].map((now) => remove(calls, generated, { label: "" }, now).action);
    expect(actions).toEqual(["keep", "keep", "delete"]);
  });
});

test("a create to come in another organization's stack of the same name does not keep a voice", () => {
  const calls = new Calls();
  calls.expectCreate(generated, mine);
  const holders = [entry(ren, { stack: "beta/p/dev" }), entry(me, { stack: "acme/p/dev" })];
  const decision = remove(calls, generated, other, holders, "beta/p/dev");
  expect(decision).toMatchObject({ action: "keep", reason: expect.stringContaining("acme/p/dev") as string });
});

describe("a resource whose inputs did not change", () => {
  test.each<[what: string, before: Before, action: "keep" | "replace" | "reject"]>([
    ["keeps its voice", declared, "keep"],
    ["keeps its voice if the engine asks twice", (o) => (declared(o), keep(o, mine)), "keep"],
    ["keeps the voice that its own create made", (o) => (declared(o), o.claimMade(voice, generated, mine)), "keep"],
    [
      "gets a voice of its own, if another resource took this one",
      (o) => (declared(o), o.claim(voice, chosen, other)),
      "replace",
    ],
    [
      "conflicts with a resource that is to adopt the voice",
      (o) => (declared(o), o.expectCreate({ adopt: voice }, other)),
      "reject",
    ],
    [
      "gets a voice of its own, if another resource keeps this one",
      (o) => (bothDeclared(o), keep(o, other)),
      "replace",
    ],
  ])("%s", (_, before, action) => {
    const calls = new Calls();
    before(calls);
    expect(keep(calls, mine).action).toBe(action);
  });

  test.each<[what: string, rival: Partial<VoiceHolder>, action: "keep" | "replace"]>([
    ["has the voice's name", { provider: "a", generatedName: "n_1234567" }, "replace"],
    [
      "has the voice's name after another prefix",
      { provider: "a", generatedName: "n_1234567", voice: "svctts_n_1234567-voice-1" },
      "replace",
    ],
    ["is of another stack and has its name", { savedUrn: ren, stack: "a", generatedName: "n_1234567" }, "replace"],
    ["comes after it", { provider: "a" }, "keep"],
    ["keeps the voice when it goes", { provider: "a", generatedName: "n_1234567", retained: true }, "keep"],
    ["is of this process", { savedUrn: ren, generatedName: "n_1234567" }, "keep"],
  ])("beside a resource that holds the voice too, and that %s", (_, rival, action) => {
    const calls = new Calls();
    calls.declare(mine);
    const holders = [entry(me), entry(ren, { savedUrn: "urn:pulumi:dev::p::z::ren", ...rival })];
    expect(keep(calls, mine, holders, holders.slice(1))).toMatchObject({
      action,
      ...(action === "replace" && { reason: expect.stringMatching(/\(ren of the stack \w+ and old\)/) as string }),
    });
  });

  test.each<[what: string, generatedName: string | undefined, action: "keep" | "replace"]>([
    ["another generated name leaves it to that one", "n_7654321", "replace"],
    ["the same name keeps it, as the first", "n_1234567", "keep"],
    ["a chosen name, or an adopted voice, keeps it", undefined, "keep"],
  ])("beside another resource of its process whose name the voice has: one with %s", (_, generatedName, action) => {
    const calls = new Calls();
    bothDeclared(calls);
    const holders = [entry(me, { generatedName }), entry(ren, { generatedName: "n_1234567" })];
    expect(keep(calls, mine, holders, holders.slice(1)).action).toBe(action);
    expect(keep(calls, other, holders, holders.slice(0, 1)).action).not.toBe(action);
  });

  test("keeps its voice beside its own old copy, after the program gave it another provider", () => {
    const calls = new Calls();
    calls.declare(mine);
    const holders = ["b", "a"].map((provider, index) =>
      entry(me, { savedUrn: "urn:pulumi:dev::p::z::old", provider, isOld: index === 1 }),
    );
    expect(keep(calls, mine, holders)).toEqual({ action: "keep" });
  });

  test("keeps its voice if no state has it yet, whoever holds the voice there", () => {
    const calls = new Calls();
    calls.declare(mine);
    const holders = [entry(ren, { stack: "a" })];
    expect(keep(calls, mine, holders, holders)).toEqual({ action: "keep" });
  });

  test.each<[what: string, before: Before, reason: RegExp]>([
    [
      "with a resource of other inputs, and by both names",
      (o) => (bothDeclared(o), keep(o, other)),
      /^two resources hold the voice \S+ \(ren and old\): this update gives one of them a voice of its own$/,
    ],
    [
      "without a name, if the engine reported no URN",
      (o) => (o.declare(nameless), o.claim(voice, chosen, other)),
      /hold the voice \S+: this update/,
    ],
    [
      "without a name of its own, and by that of the other resource",
      (o) => (bothDeclared(o), keep(o, other)),
      / \(ren\): this update/,
    ],
    [
      "with a resource that is to adopt the voice",
      (o) => (declared(o), o.expectCreate({ adopt: voice }, other)),
      /^the voice svc-tts-vc-n_1234567-voice-\S+ belongs to another resource of this stack;.*adopt/,
    ],
  ])("is told of the conflict %s", (what, before, reason) => {
    const calls = new Calls();
    before(calls);
    const asked = what.startsWith("without a name") ? nameless : mine;
    expect(keep(calls, asked)).toMatchObject({ reason: expect.stringMatching(reason) as string });
  });
});

test.each<[what: string, before: Before, taken: boolean]>([
  ["by nobody", nothing, false],
  ["by another resource that keeps it", (o) => (bothDeclared(o), keep(o, other)), true],
  ["not by itself, if its replacement ended before its create", (o) => (declared(o), keep(o, mine)), false],
  ["by a resource that was created before", (o) => o.claim(voice, chosen, other), true],
  ["by a resource that is to adopt it", expects({ adopt: voice }, other), true],
])("for a create, a voice is taken %s", (_, before, taken) => {
  const calls = new Calls();
  before(calls);
  expect(calls.isTakenBeside(voice, mine)).toBe(taken);
});

test("a resource that must not be replaced, and whose voice another one keeps, is an error", () => {
  const calls = new Calls();
  const protectedOne = resource(me, true);
  calls.declare(protectedOne);
  calls.declare(other);
  keep(calls, other);
  expect(keep(calls, protectedOne)).toMatchObject({
    action: "reject",
    reason: expect.stringMatching(/\(ren and old\), and one of them is protected/) as string,
  });
});

test.each(["old", "museum::old"])("a resource of the program that no call has reached yet is left out: %s", (name) => {
  const calls = new Calls();
  const urn = `urn:pulumi:dev::p::t::${name}`;
  const isLeftOut = (...declared: string[]) =>
    calls.isLeftOut(entry(urn), { identity: { urn: ren, declared: JSON.stringify(declared) } });
  expect([isLeftOut("ren", name), isLeftOut("ren")]).toEqual([true, false]);
  // Neither a refresh nor a program without `adopt` says what the program declares.
  expect(calls.isLeftOut(entry(urn), {})).toBe(false);
  expect(calls.isLeftOut(entry(urn), mine)).toBe(false);
  calls.declare(resource(urn));
  expect(isLeftOut("ren", name)).toBe(false);
});

test.each<[what: string, before: Before, problem: RegExp | undefined]>([
  ["nothing is to be deleted", nothing, undefined],
  [
    "the engine deletes it before its replacement",
    (o) => o.expectDelete(voice, mine),
    /^old deletes the voice svc-tts/,
  ],
  [
    "another resource of the program adopts it, which keeps it",
    (o) => (o.expectCreate({ adopt: voice }, other), o.expectDelete(voice, mine)),
    undefined,
  ],
])("a voice can't be adopted if it goes first: %s", (_, before, problem) => {
  const calls = new Calls();
  before(calls);
  const first = calls.deletedFirstBy(voice);
  expect(first && deletedBefore(voice, first)).toEqual(problem && expect.stringMatching(problem));
});

test.each<[what: string, before: Before, state: VoiceOutputs, expected: boolean]>([
  ["without a create to come", nothing, generated, false],
  ["before a create of the same generated name", expects(generated), generated, true],
  [
    "... of a resource whose URN is not known",
    (o) => o.expectCreate(generated, { label: mine.label }),
    generated,
    true,
  ],
  [
    "after it",
    (o) => (
      o.expectCreate(generated, { label: mine.label }),
      o.claim("another voice", generated, { label: mine.label })
    ),
    generated,
    false,
  ],
  [
    "before a create whose name was generated, of a voice that has the name by choice",
    expects(generated),
    { ...chosen, preferredName: generated.preferredName },
    false,
  ],
])("a create is to come that may reuse the voice: %s", (_, before, state, expected) => {
  const calls = new Calls();
  before(calls);
  expect(calls.expectsReuse(state)).toBe(expected);
});

test("a voice is held by the resource that keeps it, and by the one whose create has taken it", () => {
  const calls = new Calls();
  expect(calls.isHeld(voice)).toBe(false);
  calls.keep(voice, mine);
  expect(calls.isHeld(voice)).toBe(true);
  const others = new Calls();
  others.claim(voice, generated, mine);
  expect(others.isHeld(voice)).toBe(true);
});

test("the program runs once one of its resources was checked, as it does not in a refresh", () => {
  const calls = new Calls();
  calls.keep(voice, mine);
  expect(calls.programRuns).toBe(false);
  calls.declare(mine);
  expect(calls.programRuns).toBe(true);
});

test("a voice that a delete kept for a create is known as such", () => {
  const calls = new Calls();
  calls.keepForCreate(voice);
  expect([calls.isKeptForCreate(voice), calls.isKeptForCreate("another")]).toEqual([true, false]);
});
