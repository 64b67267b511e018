import { trustedAccount } from "../../provider/src/cli/review/account";
import { closedGates, passedGates } from "../../provider/src/cli/review/gates";
import type { Preview, Step } from "../../provider/src/cli/review/preview";
import { probableRenames } from "../../provider/src/cli/review/explain";
import { type Review, reviewOf } from "../../provider/src/cli/review/review";
import { alarms, countsText, exitCodeOf, limitsExceeded } from "../../provider/src/cli/review/words";
import { generateName } from "../../provider/src/rules/naming";
import { readSettings } from "../../provider/src/rules/settings";
import { closedGateLine } from "../../provider/src/rules/decision-answers";
import { unknownValue } from "../../provider/src/rules/unknown";
import type { VoiceHolder } from "../../provider/src/rules/voice-holder";

/** The rules behind a review, as tables of cases. */

const types = { voice: "CloudVoice", image: "GeneratedImage", decision: "Decision" };
const targetModel = "svc3-tts-vc-2026-01-22";
const urnOf = (name: string, kind: keyof typeof types = "voice") =>
  `urn:pulumi:dev::program::pulumi-nodejs:dynamic/cloudvoice:${types[kind]}::${name}`;

interface StepParts {
  kind?: keyof typeof types;
  id?: string;
  olds?: object;
  news?: object;
  outputs?: object;
  dependencies?: string[];
  parent?: string;
  propertyDependencies?: Record<string, string[]>;
}

function step(op: string, name: string, parts: StepParts = {}): Step {
  const { kind = "voice", id = `svc-${name}`, olds = {}, news = {}, outputs = {}, ...links } = parts;
  const type = `pulumi-nodejs:dynamic/cloudvoice:${types[kind]}`;
  const oldState = { type, id, inputs: { ...olds }, outputs: { ...outputs } };
  const newState = { type, inputs: { ...news }, outputs: {}, ...links };
  return {
    op,
    urn: urnOf(name, kind),
    oldState: op === "create" ? null : oldState,
    newState: op === "delete" ? null : newState,
  };
}

const holder = (name: string, voice = `svc-${name}`): VoiceHolder => ({
  ...{ stack: "organization/program/dev", urn: urnOf(name), savedUrn: urnOf(name), voice, isOld: false },
});
const preview = (...steps: Step[]): Preview => ({ steps, errors: [], notes: [], whole: true });
const review = (steps: Step[], facts: Partial<Parameters<typeof reviewOf>[0]> = {}) =>
  reviewOf({
    ...readSettings(() => undefined),
    preview: preview(...steps),
    account: [],
    nowMs: Date.parse("2026-11-21T12:00:00Z"),
    ...facts,
  });

describe("the exit code of a review", () => {
  const quota = { limit: 10, check: "error" as const, now: 1, peak: 1, after: 1 };
  const unpriced = { imageTasks: 0, decisions: 0 };
  const charge = { atMost: 0, currency: "USD", voices: 0, imageTasks: 0, decisions: 0, unpriced };
  const change = { kind: "voice", action: "create", name: "v", urn: "u", why: "", fields: [], charge: 0.01 } as const;
  const healthy = { complete: true, errors: [], notes: [], changes: [], quota, charge } as unknown as Review;
  const doomed = { ...change, fields: [], warning: "the update will fail: …" };

  test.each<[string, Partial<Review>, number]>([
    ["without changes", {}, 0],
    ["with changes", { changes: [{ ...change, fields: [] }] }, 2],
    ["with a change at which the update will fail", { changes: [doomed] }, 1],
    ["of a preview that failed", { complete: false, errors: ["no such file"] }, 1],
    ["without changes, whose account could not be listed", { complete: false, quota: { unknown: "HTTP 401" } }, 1],
    ["over the quota", { quota: { ...quota, peak: 11 }, charge: { ...charge, voices: 10 } }, 3],
    ["whose preview warned of the quota", { notes: ["the account is too small: … (VoiceQuotaExceeded)"] }, 3],
    ["over --max-cost", { charge: { ...charge, atMost: 0.02, limit: 0.01 } }, 3],
    ["at --max-cost", { charge: { ...charge, atMost: 0.01, limit: 0.01 } }, 0],
    ["over --max-image-tasks", { charge: { ...charge, imageTasks: 1, imageTaskLimit: 0 } }, 3],
    ["over --max-decisions", { charge: { ...charge, decisions: 3, decisionLimit: 2 } }, 3],
    ["over a limit, and failed", { complete: false, charge: { ...charge, decisions: 3, decisionLimit: 2 } }, 3],
  ])("%s is as documented", (_, parts, code) => {
    expect(exitCodeOf({ ...healthy, ...parts })).toBe(code);
  });

  test("each limit that is exceeded is named with its option", () => {
    const limits = { limit: 0.05, imageTaskLimit: 2, decisionLimit: 0 };
    expect(
      limitsExceeded({
        ...healthy,
        charge: { ...charge, atMost: 1, voices: 100, imageTasks: 3, decisions: 1, ...limits },
      }),
    ).toEqual([
      "Over the limit of $0.05 that --max-cost sets.",
      "Over the limit of 2 image tasks that --max-image-tasks sets.",
      "Over the limit of 0 decisions that --max-decisions sets.",
    ]);
  });
});

test("a review of unchanged voices says that there is nothing to change", () => {
  const account = [{ voice: "svc-v", targetModel }];
  const unchanged = review([step("same", "v", { outputs: { account: "aaaa-111111" } })], { account });
  expect([countsText(unchanged), exitCodeOf(unchanged)]).toEqual(["nothing to change", 0]);
});

test("a failed preview without steps, of an account that cannot be listed, is incomplete", () => {
  const reviewed = review([], {
    preview: { ...preview(), errors: ["HTTP 401"], whole: false },
    account: { unknown: "HTTP 401" },
  });
  expect([countsText(reviewed), exitCodeOf(reviewed)]).toEqual(["no changes are known, incomplete", 1]);
});

describe("a review that knows too little does not look healthy", () => {
  const unchanged = step("same", "v", { outputs: { account: "aaaa-111111" } });

  test.each<[string, Step[], Parameters<typeof review>[1], boolean]>([
    [
      "an account that cannot be listed, with a voice in the state",
      [unchanged],
      { account: { unknown: "HTTP 401" } },
      false,
    ],
    ["the same, with a voice to create", [step("create", "v")], { account: { unknown: "HTTP 401" } }, false],
    ["the same, with voices in the export only", [], { account: { unknown: "HTTP 401" }, held: [holder("v")] }, false],
    [
      "the same, in a stack without voices",
      [step("same", "i", { kind: "image" })],
      { account: { unknown: "no address" } },
      true,
    ],
    ["a voice that is missing under the recorded key", [unchanged], { fingerprint: "aaaa-111111" }, true],
    ["a voice that is missing under another key", [unchanged], { fingerprint: "aaaa-222222" }, false],
    [
      "a voice that is there under another key, after a rotation",
      [unchanged],
      { fingerprint: "aaaa-222222", account: [{ voice: "svc-v", targetModel }] },
      true,
    ],
  ])("%s", (_, steps, facts, complete) => {
    const reviewed = review(steps, facts);
    expect(reviewed.complete).toBe(complete);
    if (complete) return;
    expect(exitCodeOf(reviewed)).toBe(1);
    expect(countsText(reviewed)).toMatch(/incomplete$/);
    expect(alarms(reviewed)[0]).toMatch(/could not be listed, so this review is incomplete/);
  });

  test("voices that another account would not have are not listed as missing", () => {
    const { changes, quota } = review([unchanged], { fingerprint: "aaaa-222222" });
    expect(changes).toEqual([]);
    expect(quota).toEqual({ unknown: expect.stringMatching(/seems to belong to another account.*svc-v/) as string });
  });

  test.each<[string, { account: string | undefined }[], boolean]>([
    ["no voice in the state", [], true],
    ["a state of an older release, without fingerprints", [{ account: undefined }], true],
    ["the same account", [{ account: "aaaa-111111" }], true],
    ["another key", [{ account: "aaaa-222222" }], false],
    ["another address", [{ account: "bbbb-111111" }], false],
  ])("an empty list is trusted or not: %s", (_, held, isTrusted) => {
    const voices = held.map((parts) => ({ voice: "svc-gone", ...parts }));
    expect(Array.isArray(trustedAccount([], voices, "aaaa-111111"))).toBe(isTrusted);
  });

  test("after a rotation, a voice that was created with the old key, or rotatedFrom, proves the account", () => {
    const gone = { voice: "svc-gone", account: "aaaa-222222" };
    const present = { voice: "svc-here", targetModel: "" };
    const here = (account: string) => ({ voice: present.voice, account });
    const isTrusted = (...args: Parameters<typeof trustedAccount>) => Array.isArray(trustedAccount(...args));
    expect(isTrusted([present], [gone, here("aaaa-222222")], "aaaa-111111")).toBe(true);
    expect(isTrusted([present], [gone, here("aaaa-333333")], "aaaa-111111")).toBe(false);
    expect(isTrusted([], [gone], "aaaa-111111", "aaaa-222222")).toBe(true);
  });
});

describe("a gate that will close is seen before", () => {
  const friendly = {
    tone: { type: "choice", choice: "friendly", confidence: 0.9, probabilities: { friendly: 0.95, rude: 0.05 } },
  };
  const gate = (expect: unknown, answers: unknown = friendly) =>
    step("update", "gate", { kind: "decision", outputs: { answers }, news: { expect } });

  test.each<[string, Step, RegExp | undefined]>([
    ["the answers meet the new expectation", gate({ tone: { choice: "friendly" } }), undefined],
    ["another choice is expected", gate({ tone: { choice: "rude" } }), /^tone: expected rude; the answer is friendly/],
    ["more confidence is expected", gate({ tone: { minConfidence: 0.95 } }), /expected a confidence of at least 0.95/],
    ["a question without an answer", gate({ other: { min: 1 } }), /^other: expected an answer/],
    ["the expectation is removed", gate(undefined), undefined],
    ["the expectation is secret", gate("[secret]"), undefined],
    ["a part of the expectation is secret", gate({ tone: { choice: "[secret]" } }), undefined],
    ["the answers are secret", gate({ tone: { choice: "rude" } }, "[secret]"), undefined],
    ["the expectation is not known yet", gate({ tone: { choice: unknownValue } }), undefined],
  ])("%s", (_, changed, reason) => {
    const [closed] = closedGates(preview(changed)).values();
    if (reason === undefined) expect(closed).toBeUndefined();
    else expect(closed?.reason).toMatch(reason);
  });

  test("secret answers close it if the preview reports so", () => {
    const secret = gate({ tone: { choice: "rude" } }, "[secret]");
    const notes = [`cloudvoice: warning: ${closedGateLine("gate")}: 1 of them, which are not shown`];
    const [closed] = closedGates({ steps: [secret], notes }).values();
    expect(closed?.reason).toBe("the kept answers do not meet the expectations");
  });

  test("a decision that is asked anew has no answers to judge", () => {
    const asked = { ...gate({ tone: { choice: "rude" } }), op: "replace" };
    expect(closedGates(preview(asked)).size).toBe(0);
  });

  test("what waits behind it: dependents, their dependents and children, not what is unchanged or independent", () => {
    const steps = [
      gate({ tone: { choice: "rude" } }),
      step("create", "direct", { dependencies: [urnOf("gate", "decision")] }),
      step("create", "indirect", { dependencies: [urnOf("direct")] }),
      step("create", "child", { parent: urnOf("direct") }),
      step("same", "unchanged", { dependencies: [urnOf("gate", "decision")] }),
      step("create", "independent"),
    ];
    const [closed] = closedGates(preview(...steps)).values();
    expect(closed?.waiting).toEqual(["direct", "indirect", "child"].map((name) => urnOf(name)));

    const reviewed = review(steps);
    expect(alarms(reviewed)).toEqual([
      expect.stringMatching(
        /^gate: the update will stop here: tone: expected rude; .*\. What waits behind it: direct, indirect, child\.$/,
      ),
    ]);
    expect(exitCodeOf(reviewed)).toBe(1);
  });

  test("a gate that was closed, and whose answers now meet the expectation, is judged again", () => {
    const opened = gate({ tone: { choice: "friendly" } });
    const wasClosed = { ...opened, oldState: opened.oldState && { ...opened.oldState, initErrors: ["closed"] } };
    const sameAsBefore = { ...wasClosed, oldState: { ...wasClosed.oldState, inputs: opened.newState?.inputs } } as Step;
    expect(review([sameAsBefore]).changes).toMatchObject([
      { action: "update", fields: [], why: "the kept answers are compared with expect again; free" },
    ]);
    expect(review([wasClosed]).changes).toMatchObject([{ why: "expect changed; free" }]);
  });

  test("a closed gate that --target leaves out is named, with what would not wait for it", () => {
    const closed = gate({ tone: { choice: "rude" } });
    const untouched = (expect: object) => ({
      ...closed,
      op: "same",
      oldState: closed.oldState && { ...closed.oldState, inputs: { expect } },
    });
    const behind = step("create", "behind", { dependencies: [urnOf("gate", "decision")] });
    expect(review([untouched({ tone: { choice: "rude" } }), behind]).notes).toEqual([
      expect.stringMatching(
        /^the gate gate is closed \(tone: expected rude; .*--exclude\): behind would not wait for it$/,
      ),
    ]);
    expect(passedGates(preview(untouched({ tone: { choice: "friendly" } }), behind))).toEqual([]);
    expect(passedGates(preview(untouched({ tone: { choice: "rude" } })))).toEqual([]);
    // Of secret answers, the state says only that they did not pass.
    const secret = untouched("[secret]" as unknown as object);
    const failed = { ...secret, oldState: secret.oldState && { ...secret.oldState, initErrors: ["1 of them"] } };
    expect(passedGates(preview(failed, behind)).join()).toMatch(/closed \(its kept answers do not meet .*: behind/);
    expect(passedGates(preview(secret, behind))).toEqual([]);
    const control = review([untouched({ tone: { choice: "\u001b[31m" } }), behind]).notes.join();
    expect(control).toContain("expected \\u{1b}[31m");
  });
});

describe("a resource that disappears while another of the same content appears is probably a rename", () => {
  const content = { targetModel, audio: "a.wav", audioSha256: "aaa", nameVersion: 1, preferredName: "old_1" };
  const gone = (parts: object = {}) => step("delete", "old", { olds: { ...content, ...parts } });
  const made = (parts: object = {}) =>
    step("create", "new", { news: { ...content, preferredName: "new_1", ...parts } });

  test.each<[string, Step[], boolean]>([
    ["the same content", [gone(), made()], true],
    ["the same recording at another path", [gone(), made({ audio: "moved/a.wav" })], true],
    [
      "the same chosen name",
      [gone({ nameVersion: undefined, preferredName: "x" }), made({ nameVersion: undefined, preferredName: "x" })],
      true,
    ],
    [
      "another chosen name",
      [gone({ nameVersion: undefined, preferredName: "x" }), made({ nameVersion: undefined, preferredName: "y" })],
      false,
    ],
    ["another recording", [gone(), made({ audioSha256: "bbb" })], false],
    ["another language", [gone(), made({ language: "en" })], false],
    ["an input that is not known yet", [gone(), made({ triggers: [unknownValue] })], false],
    ["an adopted voice", [gone(), made({ adopt: "svc-x" })], false],
    ["nothing disappears", [made()], false],
    ["another kind of resource", [step("delete", "old", { kind: "image" }), made()], false],
  ])("%s", (_, steps, isRename) => {
    expect([...probableRenames(steps)]).toEqual(isRename ? [[urnOf("new"), urnOf("old")]] : []);
  });

  test("images and decisions too; each old resource is the source of one new one", () => {
    const image = { model: "svc-image", prompt: "x" };
    const steps = [
      step("delete", "cover", { kind: "image", olds: image }),
      step("create", "cover-a", { kind: "image", news: { ...image, saveTo: "covers" } }),
      step("create", "cover-b", { kind: "image", news: image }),
    ];
    expect([...probableRenames(steps)]).toEqual([[urnOf("cover-a", "image"), urnOf("cover", "image")]]);
  });

  test("the review names the alias that would be free, and still counts the charge", () => {
    const reviewed = review([gone(), made()]);
    expect(reviewed.changes.map(({ why }) => why)).toEqual([
      "new in the program; probably old under a new name: an alias would be free",
      "no longer in the program; probably renamed to new",
    ]);
    expect(reviewed.notes).toEqual([
      `new: to rename the resource at no cost, add aliases: ["${urnOf("old")}"] to its options`,
    ]);
    expect(reviewed.charge.atMost).toBe(0.01);
  });
});

describe("with stackQuota 2, one of two voices deleted outside Pulumi, and the recording of the other changed", () => {
  const changed = step("replace", "b", { olds: { audioSha256: "a" }, news: { audioSha256: "b" } });
  const createdFirst = { ...changed, oldState: { ...changed.oldState!, delete: true } };
  const facts = { held: [holder("a"), holder("b")], account: [{ voice: "svc-b", targetModel }], stackQuota: 2 };

  test.each<[what: string, steps: Step[], over: boolean]>([
    ["the review fails as the update does", [createdFirst, step("same", "a")], true],
    ["also from a preview without unchanged resources", [createdFirst], true],
    ["and passes if the old voice is deleted first", [changed, step("same", "a")], false],
  ])("%s", (_, steps, over) => {
    const reviewed = review(steps, facts);
    expect(reviewed.quota).toMatchObject({ stack: { limit: 2, now: 2, peak: over ? 3 : 2, after: 2 } });
    expect(exitCodeOf(reviewed)).toBe(over ? 3 : 2);
  });
});

test("a resource that takes an output of a replaced voice is replaced too, and the review says why", () => {
  const base = step("replace", "base", { olds: { audioSha256: "a" }, news: { audioSha256: "b" } });
  const dependent = step("replace", "dependent", {
    olds: { triggers: ["svc-base"] },
    news: { triggers: unknownValue },
    propertyDependencies: { triggers: [urnOf("base")], targetModel: [] },
  });
  const why = (steps: Step[]) => review(steps).changes.find(({ name }) => name === "dependent")?.why;
  expect(why([base, dependent])).toBe(
    "triggers changed (triggers takes an output of base, which is deleted before it is replaced)",
  );
  const createdFirst = { ...base, oldState: { ...base.oldState!, delete: true } };
  expect(why([createdFirst, dependent])).toMatch(/takes an output of base, which is replaced\)$/);
  expect(why([{ ...base, op: "update" }, dependent])).toBe("triggers changed");
});

test("a voice that is deleted with the one whose output it takes is paid for again, although nothing of it changes", () => {
  const content = { targetModel, audio: "a.wav", audioSha256: "a", nameVersion: 1, preferredName: "same_1234567" };
  const id = "svc-tts-vc-same_1234567-voice-20261121115500000-beef";
  const base = step("replace", "base", { olds: { audioSha256: "a" }, news: { audioSha256: "b" } });
  const parts = { id, olds: content, news: content, propertyDependencies: { targetModel: [urnOf("base")] } };
  const account = [{ voice: id, targetModel, gmtCreate: "2026-11-21T11:55:00Z" }];
  const found = (steps: Step[]) => review(steps, { account }).changes.find(({ name }) => name === "same");
  expect(found([base, step("replace", "same", parts)])).toMatchObject({
    charge: 0.01,
    why: "takes an output of base, which is deleted before it is replaced",
  });
  // With --replace, the provider keeps a voice that is younger than a day. With these options it creates another.
  const asked = step("replace", "same", parts);
  expect(found([asked])).toMatchObject({ charge: 0, takes: id });
  for (const option of [{ replaceWith: [urnOf("base")] }, { replacementTrigger: "1" }])
    expect(found([{ ...asked, oldState: { ...asked.oldState!, ...option } }])).toMatchObject({ charge: 0.01 });
});

test.each<[number, string]>([
  [0, "new in the program"],
  [1, "new in the program, or missing at the service: the last refresh removed 1 resource from the state"],
  [2, "new in the program, or missing at the service: the last refresh removed 2 resources from the state"],
])("after a refresh that removed %d resources, a voice to create may be one of them", (removedByRefresh, why) => {
  expect(review([step("create", "v")], { removedByRefresh }).changes[0]?.why).toBe(why);
});

describe("a voice that is missing at the service is created again by `pulumi up --refresh`, and the review counts it", () => {
  const content = { targetModel, audio: "a.wav", audioSha256: "a", nameVersion: 1, preferredName: "v_1234567" };
  const moved = { ...content, audio: "b.wav" };

  test.each<[string, Step]>([
    ["of an unchanged resource", step("same", "v", { olds: content, news: content })],
    ["whose path changes to the same bytes", step("update", "v", { olds: content, news: moved })],
  ])("%s", (_, missing) => {
    const reviewed = review([missing], { held: [holder("v")], limits: { maxCost: 0 }, voiceQuota: 1 });
    expect(reviewed.charge).toMatchObject({ atMost: 0.01, voices: 1 });
    expect(reviewed.counts.voice).toMatchObject({ create: 1, update: 0 });
    expect(reviewed.quota).toMatchObject({ now: 0, peak: 1, after: 1 });
    expect(reviewed.changes[0]?.why).toMatch(/^missing at the service/);
    expect(exitCodeOf(reviewed)).toBe(3);
  });

  test("it is paid for at most, also if a voice under its name exists", () => {
    const found = { voice: "svc-tts-vc-v_1234567-voice-20261121115500000-cafe", targetModel };
    const account = [{ ...found, gmtCreate: "2026-11-21T11:55:00Z" }];
    const reviewed = review([step("same", "v", { olds: content, news: content })], { account, held: [holder("v")] });
    expect(reviewed.changes).toMatchObject([{ action: "create", charge: 0.01 }]);
  });

  test.each<[string, object, string]>([
    ["taken", {}, "take"],
    ["taken, with rights that are secret", { rights: "[secret]" }, "take"],
    ["not known, because its name depends on a secret", { text: "[secret]" }, "create"],
    ["not known, because its name depends on a value that is not known yet", { language: unknownValue }, "create"],
  ])("a voice with the name that it gets now is %s", (_, more, action) => {
    const identity = { namespace: "organization", urn: urnOf("v") };
    const name = generateName(identity, { targetModel, audio: "a" });
    const account = [{ voice: `svc-${name}-voice-1`, targetModel, gmtCreate: "2026-11-21T11:55:00Z" }];
    const now = { ...content, ...more };
    const facts = { account, held: [holder("v")], namespace: "organization" };
    expect(review([step("same", "v", { olds: now, news: now })], facts).changes).toMatchObject([{ action }]);
  });

  test("that fails while adopt names the missing voice", () => {
    const adopting = { ...content, adopt: "svc-v" };
    const reviewed = review([step("same", "v", { olds: adopting, news: adopting })], { held: [holder("v")] });
    expect(reviewed.changes[0]?.warning).toMatch(/will fail: the voice to adopt, svc-v, is not in the account/);
    expect(exitCodeOf(reviewed)).toBe(1);
  });

  test.each<[string, Partial<Parameters<typeof reviewOf>[0]>, number]>([
    ["that fails if the recording is gone, as with ignoreChanges", { hasFile: () => false }, 1],
    ["the recording is there", { hasFile: (path) => path === "a.wav" }, 2],
    ["the preview is of another machine, whose files are not known", {}, 2],
  ])("%s", (_, facts, code) => {
    const reviewed = review([step("same", "v", { olds: content, news: content })], { ...facts, held: [holder("v")] });
    expect(reviewed.changes[0]?.warning).toEqual(
      code === 1 ? expect.stringMatching(/will fail: the recording a\.wav does not exist/) : undefined,
    );
    expect(exitCodeOf(reviewed)).toBe(code);
  });
});

describe("a voice that another resource of the state holds is not taken over, although the update deletes that resource", () => {
  const content = { targetModel, audio: "a.wav", audioSha256: "a", nameVersion: 1, preferredName: "a_1234567" };
  const id = "svc-tts-vc-a_1234567-voice-20261121115500000-beef";
  const account = [{ voice: id, targetModel, gmtCreate: "2026-11-21T11:55:00Z" }];
  // `a` was renamed to `b` by an alias, and is renamed back without one.
  const renamedBack = [step("create", "a", { news: content }), step("delete", "b", { id, olds: content })];

  test.each<[string, VoiceHolder[] | undefined]>([
    ["with the state", [holder("b", id)]],
    ["from the preview alone", undefined],
  ])("%s", (_, held) => {
    const reviewed = review(renamedBack, { account, held, voiceQuota: 1 });
    expect(reviewed.changes).toMatchObject([{ action: "create", charge: 0.01 }, { action: "delete" }]);
    expect(reviewed.quota).toMatchObject({ now: 1, peak: 2, after: 1 });
    expect(exitCodeOf(reviewed)).toBe(3);
  });
});

test("a voice that the engine deletes with another resource stays in the account, because no provider is called", () => {
  const container = step("delete", "a");
  const contained = step("delete", "b");
  contained.oldState!.deletedWith = urnOf("a");
  const account = ["a", "b"].map((name) => ({ voice: `svc-${name}`, targetModel }));
  const held = [holder("a"), holder("b")];
  const both = review([container, contained], { account, held });
  expect(both.quota).toMatchObject({ now: 2, after: 1 });
  expect(both.changes[1]).toMatchObject({
    name: "b",
    retained: true,
    why: expect.stringMatching(/stays in the account/) as string,
  });
  expect(both.notes).toEqual([
    expect.stringMatching(/^b: its voice svc-b stays .*`npx pulumi-cloudvoice delete svc-b`/),
  ]);
  expect(review([step("same", "a"), contained], { account, held }).quota).toMatchObject({ now: 2, after: 1 });
  expect(review([step("same", "a"), contained], { account, held }).changes[0]?.retained).toBeUndefined();
});

test("a refresh would fail at a voice that two resources hold, so a missing voice is not created again", () => {
  const steps = ["a", "b", "c"].map((name) => step("same", name));
  const held = [holder("a"), holder("b"), holder("c", "svc-b")];
  const reviewed = review(steps, { account: [{ voice: "svc-b", targetModel }], held });
  expect(reviewed.changes[0]?.warning).toBe(
    "`pulumi up --refresh` will fail: two resources hold the voice svc-b. Run `pulumi up` first",
  );
  expect(exitCodeOf(reviewed)).toBe(1);
});

test.each([
  ["some", 1],
  ["all", 2],
] as const)("all of three voices are missing: with acceptMissing %s the review ends with %s", (acceptMissing, code) => {
  const names = ["a", "b", "c"];
  const steps = names.map((name) => step("same", name));
  expect(exitCodeOf(review(steps, { account: [], held: names.map((name) => holder(name)), acceptMissing }))).toBe(code);
});

test("a voice can't be adopted if the resource that has it takes it again", () => {
  const content = { targetModel, audio: "a.wav", audioSha256: "a", nameVersion: 1, preferredName: "a_1234567" };
  const id = "svc-tts-vc-a_1234567-voice-20261121115500000-beef";
  const steps = [
    step("replace", "a", { id, olds: content, news: content }),
    step("create", "b", { news: { targetModel, audio: "b.wav", adopt: id } }),
  ];
  const reviewed = review(steps, { account: [{ voice: id, targetModel, gmtCreate: "2026-11-21T11:55:00Z" }] });
  expect(reviewed.changes).toMatchObject([
    { name: "b", warning: "the update may fail: the resource that has the voice to adopt takes it again" },
    { name: "a", charge: 0.01 },
  ]);
});
