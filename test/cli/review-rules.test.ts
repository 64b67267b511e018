import { limitsExceeded } from "../../provider/src/cli/review/limits";
import { probableRenames } from "../../provider/src/cli/review/explain";
import { renameAdvice } from "../../provider/src/cli/review/renames";
import { questionLines } from "../../provider/src/cli/review/questions";
import type { Step } from "../../provider/src/cli/review/preview";
import type { Review } from "../../provider/src/cli/review/review";
import { exitCodeOf } from "../../provider/src/cli/review/exit-code";
import { alarms, countsText, fieldText } from "../../provider/src/cli/review/words";
import { unknownValue } from "../../provider/src/rules/unknown";
import { targetModel, urnOf, step, holder, preview, review } from "../support/review-steps";

/** The rules behind a review, as tables of cases. */

describe("the exit code of a review", () => {
  const quota = { limit: 10, check: "error" as const, now: 1, peak: 1, after: 1 };
  const unpriced = { imageTasks: 0, decisions: 0 };
  const charge = { atMost: 0, currency: "USD", voices: 0, imageTasks: 0, decisions: 0, unpriced };
  const change = { kind: "voice", action: "create", name: "v", urn: "u", why: "", fields: [], charge: 0.01 } as const;
  const healthy = {
    complete: true,
    questions: [],
    errors: [],
    notes: [],
    changes: [],
    quota,
    charge,
    replaced: { voices: 0, of: 0 },
  } as unknown as Review;
  const doomed = { ...change, fields: [], warning: "the update will fail: …" };
  const question = {
    id: "key-1",
    kind: "key",
    uncertain: "It is another key.",
    yes: "it counts as a new one",
  } as const;

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
    ["over --max-replaced", { replaced: { voices: 5, of: 24, limit: 20 } }, 3],
    ["over --max-voices", { charge: { ...charge, voices: 3, voiceLimit: 2 } }, 3],
    ["over CLOUDVOICE_MAX_BILLED", { charge: { ...charge, voices: 3, mostBilled: { voices: 2 } } }, 3],
    ["at CLOUDVOICE_MAX_BILLED", { charge: { ...charge, voices: 2, mostBilled: { voices: 2, images: 0 } } }, 0],
    ["with a question", { questions: [question] }, 1],
    ["with a question, and over a limit", { questions: [question], charge: { ...charge, atMost: 2, limit: 1 } }, 3],
    ["over a limit, and failed", { complete: false, charge: { ...charge, decisions: 3, decisionLimit: 2 } }, 3],
  ])("%s is as documented", (_, parts, code) => {
    expect(exitCodeOf({ ...healthy, ...parts })).toBe(code);
  });

  test("each limit that is exceeded is named with its option", () => {
    const mostBilled = { voices: 4, images: 2, decisions: 0 };
    const limits = { limit: 0.05, voiceLimit: 99, imageTaskLimit: 2, decisionLimit: 0, mostBilled };
    expect(
      limitsExceeded({
        ...healthy,
        charge: { ...charge, atMost: 1, voices: 100, imageTasks: 3, decisions: 1, ...limits },
        replaced: { voices: 6, of: 6, limit: 20 },
      }),
    ).toEqual([
      "Over the limit of $0.05 that --max-cost sets.",
      "Over the limit of 99 voices that --max-voices sets.",
      "Over the limit of 20% of the stack's voices (6 of 6 are replaced) that --max-replaced sets.",
      "Over the limit of 2 image tasks that --max-image-tasks sets.",
      "Over the limit of 0 decisions that --max-decisions sets.",
      "Over the limit of 4 voices that CLOUDVOICE_MAX_BILLED sets.",
      "Over the limit of 2 image tasks that CLOUDVOICE_MAX_BILLED sets.",
      "Over the limit of 0 decisions that CLOUDVOICE_MAX_BILLED sets.",
    ]);
  });
});

const account = [{ voice: "svc-v", targetModel }];

test.each([
  [[step("same", "v")], true],
  [[step("same", "gate", { kind: "decision" })], true],
  [[], false],
])("a refused key ends a review of %j with an error: %s", (steps, isBlocked) => {
  const found = review(steps, { account: { unknown: "HTTP 401" }, isKeyRefused: true });
  expect(found.blocked?.includes("refuses the key") ?? false).toBe(isBlocked);
  expect(exitCodeOf(found)).toBe(isBlocked ? 1 : 0);
});

test("a review of unchanged voices says that there is nothing to change", () => {
  const unchanged = review([step("same", "v", { outputs: { account: "https://a.example 111111" } })], { account });
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
  const unchanged = step("same", "v", { outputs: { account: "https://a.example 111111" } });
  const unlisted = { account: { unknown: "HTTP 401" } };
  const rotated = { fingerprint: "https://a.example 222222" };

  test.each<[string, Step[], Parameters<typeof review>[1], boolean]>([
    ["an account that cannot be listed, with a voice in the state", [unchanged], unlisted, false],
    ["the same, with a voice to create", [step("create", "v")], unlisted, false],
    ["the same, with voices in the export only", [], { ...unlisted, held: [holder("v")] }, false],
    ["the same, in a stack without voices", [step("same", "i", { kind: "image" })], unlisted, true],
    ["a voice that is missing under the recorded key", [unchanged], { fingerprint: "https://a.example 111111" }, true],
    ["a voice that is missing under another key", [unchanged], rotated, false],
    ["a voice that is there under another key", [unchanged], { ...rotated, account }, true],
  ])("%s", (_, steps, facts, complete) => {
    const reviewed = review(steps, facts);
    expect(reviewed.complete).toBe(complete);
    if (complete) return;
    expect(exitCodeOf(reviewed)).toBe(1);
    expect(countsText(reviewed)).toMatch(/incomplete$/);
    const questions = questionLines(reviewed.questions);
    expect(alarms(reviewed).slice(0, questions.length)).toEqual(questions);
    expect(alarms(reviewed)[questions.length]).toMatch(/could not be listed, so this review is incomplete/);
  });

  test("voices that another account would not have are not listed as missing", () => {
    const { changes, quota } = review([unchanged], rotated);
    expect(changes).toEqual([]);
    expect(quota).toEqual({ unknown: expect.stringMatching(/seems to belong to another account.*svc-v/) as string });
  });

  test("a voice that is missing under another key is a question, and yes makes the list that of the account", () => {
    const facts = { ...rotated, voiceBaseUrl: "https://a.example" };
    const [question, ...others] = review([unchanged], facts).questions;
    expect([question?.kind, others]).toEqual(["key", []]);
    expect(question?.uncertain).toMatch(/svc-v is not in this account.*\S+ 111111 then, \S+ 222222 now.*another key/);
    const asking = { backend: "", accepted: new Set([question?.id ?? ""]) };
    const accepted = review([unchanged], { ...facts, asking, held: [holder("v")] });
    expect([accepted.questions, accepted.complete]).toEqual([[], true]);
    expect(accepted.changes).toMatchObject([{ action: "create", charge: 0.01 }]);
    // The key is no part of the id: whoever reviews may have another one.
    expect(review([unchanged], { ...facts, fingerprint: "https://a.example 333333" }).questions[0]?.id).toBe(
      question?.id,
    );
  });
});

const entryOf = (catalog: string, key: string) => ({
  urn: `urn:pulumi:dev::program::cloudvoice:index:VoiceCatalog$cloudvoice:index:CloudVoice::${catalog}-${key}`,
  parent: `urn:pulumi:dev::program::cloudvoice:index:VoiceCatalog::${catalog}`,
});

describe("a resource that disappears while another of the same content appears is probably a rename", () => {
  const content = { targetModel, audio: "a.wav", audioSha256: "aaa", nameVersion: 1, preferredName: "old_1" };
  const gone = (parts: object = {}) => step("delete", "old", { olds: { ...content, ...parts } });
  const made = (parts: object = {}) =>
    step("create", "new", { news: { ...content, preferredName: "new_1", ...parts } });
  const chosen = (preferredName: string) => ({ preferredName, nameVersion: undefined });
  const signed = (signature: string) => ({
    audio: `https://files.example/a.wav?X-Amz-Date=20261127T000000Z&X-Amz-Signature=${signature}`,
    audioSha256: undefined,
  });

  test.each<[string, Step[], boolean]>([
    ["the same content", [gone(), made()], true],
    ["the same recording at another path", [gone(), made({ audio: "moved/a.wav" })], true],
    ["the same URL with another signature", [gone(signed("a")), made(signed("b"))], true],
    ["the same chosen name", [gone(chosen("x")), made(chosen("x"))], true],
    ["another chosen name", [gone(chosen("x")), made(chosen("y"))], false],
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

  test("of several with one content, those belong together whose names do, also in a catalog", () => {
    const names = ["narrator", "helpdesk"];
    const steps = [
      ...names.map((name) => step("delete", name, { kind: "image", olds: { prompt: "x" } })),
      ...["voices-helpdesk", "voices-narrator"].map((name) =>
        step("create", name, { kind: "image", news: { prompt: "x" } }),
      ),
    ];
    expect([...probableRenames(steps)]).toEqual(
      ["helpdesk", "narrator"].map((name) => [urnOf(`voices-${name}`, "image"), urnOf(name, "image")]),
    );
  });

  test("the review names the alias that would be free, and still counts the charge", () => {
    const reviewed = review([gone(), made()]);
    expect(reviewed.changes.map(({ why }) => why)).toEqual([
      "new in the program; probably old under a new name: declared as a rename, it is free",
      "no longer in the program; probably renamed to new",
    ]);
    expect(reviewed.notes).toEqual([
      `new: to rename the resource at no cost, add aliases: [{ name: "old" }] to its options`,
    ]);
    expect(reviewed.charge.atMost).toBe(0.01);
  });

  test.each<
    [
      what: string,
      removed: Parameters<typeof renameAdvice>[0],
      added: Parameters<typeof renameAdvice>[0],
      advice: string,
    ]
  >([
    [
      "an entry of a catalog",
      entryOf("voices", "support-ja"),
      entryOf("voices", "support-jp"),
      'to rename the entry at no cost, add renamedFrom: "support-ja" to it. ' +
        'Its key in the manifest changes from "support-ja" to "support-jp"',
    ],
    [
      "a voice that moves into a catalog",
      { urn: urnOf("narrator") },
      entryOf("voices", "narrator"),
      `to rename the resource at no cost, add aliases: [${JSON.stringify(urnOf("narrator"))}] to its options, with a transform of the catalog`,
    ],
    [
      "a voice that leaves a catalog",
      entryOf("voices", "narrator"),
      { urn: urnOf("narrator") },
      `to rename the resource at no cost, add aliases: [${JSON.stringify(entryOf("voices", "narrator").urn)}] to its options`,
    ],
  ])("what to write so that the voice is kept: %s", (_, removed, added, advice) => {
    expect(renameAdvice(removed, added)).toBe(advice);
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
  expect(why([base, dependent])).toBe("triggers changed (triggers: an output of base, deleted before the replacement)");
  const createdFirst = { ...base, oldState: { ...base.oldState!, delete: true } };
  expect(why([createdFirst, dependent])).toMatch(/triggers: an output of base, replaced\)$/);
  expect(why([{ ...base, op: "update" }, dependent])).toMatch(/^may show only because base is .*; triggers changed$/);
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
  expect(review([step("create", "v")], { last: { removedByRefresh, forms: "" } }).changes[0]?.why).toBe(why);
});

test("a voice that the account lacks, and the state still has, is none of those that the last refresh removed", () => {
  const [change] = review([step("same", "v")], { last: { removedByRefresh: 2, forms: "" } }).changes;
  expect(change?.why).toBe(
    "missing at the service; `pulumi up --refresh` creates it again, an update without a refresh does not",
  );
});

test.each<[string, object | undefined, string | undefined]>([
  ["", undefined, undefined],
  ['{"total":"n","voices":"data.items"}', { voices: "data.items", total: "n" }, undefined],
  ["", { voices: "data.items" }, "from none to voices=data.items"],
  ['{"voices":"data.items"}', undefined, "from voices=data.items to none"],
  ["no JSON", { voices: "a" }, "from no JSON to voices=a"],
])("a change of the setting forms stands first: %j to %j", (before, forms, changed) => {
  const found = review([step("create", "v")], { last: { removedByRefresh: 0, forms: before }, forms });
  expect(found.changedForms).toBe(changed);
  if (changed !== undefined) expect(alarms(found)[0]).toContain(changed);
});

test("a resource that its option import takes into the state is a change, free of charge, and counts for the stack", () => {
  const content = { targetModel, audio: "a.wav" };
  const imported = { ...step("import", "a", { news: content }), oldState: null };
  const reviewed = review([imported], { account: [{ voice: "svc-x", targetModel }], held: [], stackQuota: 5 });
  expect(reviewed).toMatchObject({ charge: { atMost: 0, voices: 0 }, quota: { stack: { now: 0, after: 1 } } });
  expect(reviewed.changes).toMatchObject([{ action: "adopt", charge: 0 }]);
  expect(countsText(reviewed)).toMatch(/1 voice to adopt/);
  expect(exitCodeOf(reviewed)).toBe(2);
});

describe("texts that look the same", () => {
  const changed = (old: unknown, fresh: unknown) => {
    const image = (prompt: unknown) => ({ model: "svc-image", prompt });
    const reviewed = review([step("replace", "cover", { kind: "image", olds: image(old), news: image(fresh) })]);
    return reviewed.changes.map((change) => change.fields.map((field) => fieldText(change, field)).join());
  };
  test.each([
    ["a\nb", "a\r\nb", "line ends"],
    ["a", "\uFEFFa", "a byte order mark"],
    ["café", "café".normalize("NFD"), "the Unicode form"],
    ["a", "a\r\n", "white space at the end"],
    ["a b", "a\u00a0b", "white space"],
    ["é\nb", " e\u0301\r\nb", "a byte order mark, line ends, the Unicode form, white space at the end, white space"],
  ])("%j and %j: the review says what differs", (old, fresh, what) => {
    expect(changed(old, fresh)).toEqual([
      expect.stringMatching(new RegExp(`^prompt: .* \\(looks the same; differs in: ${what}\\)$`)),
    ]);
  });
  test.each([
    ["a", "b"],
    ["[secret]", "[secret]"],
  ])("%j and %j: nothing is said", (old, fresh) => expect(changed(old, fresh).join()).not.toContain("to the eye"));
});

test("of eleven changes at which the update will fail, ten are named and one is counted", () => {
  const steps = Array.from({ length: 11 }, (_, at) =>
    step("create", `v${at}`, { news: { adopt: `svc-${at}`, targetModel } }),
  );
  const lines = alarms(review(steps)).filter((line) => line.includes("will fail"));
  expect([lines.length, lines.at(-1)]).toEqual([11, "The update will fail at 1 more resource."]);
});
