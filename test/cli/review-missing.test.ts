import type { Step } from "../../provider/src/cli/review/preview";
import type { reviewOf } from "../../provider/src/cli/review/review";
import { exitCodeOf } from "../../provider/src/cli/review/exit-code";
import { generateName } from "../../provider/src/rules/naming";
import { unknownValue } from "../../provider/src/rules/unknown";
import type { VoiceHolder } from "../../provider/src/voices/holder";
import { targetModel, urnOf, step, holder, review } from "../support/review-steps";

/** What a review says of voices that are missing at the service, or that another resource holds. */

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
    const unfinished = new Map([[name, { end: "sent", isOurs: true, sentMs: 0 } as const]]);
    const facts = { account, held: [holder("v")], namespace: "organization", unfinished };
    expect(review([step("same", "v", { olds: now, news: now })], facts).changes).toMatchObject([{ action }]);
  });

  test("that fails while adopt names the missing voice", () => {
    const adopting = { ...content, adopt: "svc-v" };
    const reviewed = review([step("same", "v", { olds: adopting, news: adopting })], { held: [holder("v")] });
    expect(reviewed.changes[0]?.warning).toMatch(/will fail: the account's list shows no voice svc-v/);
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

const content = { targetModel, audio: "a.wav", audioSha256: "a", nameVersion: 1, preferredName: "a_1234567" };
const id = "svc-tts-vc-a_1234567-voice-20261121115500000-beef";
const account = [{ voice: id, targetModel, gmtCreate: "2026-11-21T11:55:00Z" }];

describe("a voice that another resource of the state holds is not taken over, although the update deletes that resource", () => {
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
    expect.stringMatching(/^b: its voice svc-b stays .*`npx --no-install pulumi-cloudvoice delete svc-b`/),
  ]);
  expect(review([step("same", "a"), contained], { account, held }).quota).toMatchObject({ now: 2, after: 1 });
  expect(review([step("same", "a"), contained], { account, held }).changes[0]?.retained).toBeUndefined();
});

test("a refresh would fail at a voice that two resources hold, so a missing voice is not created again", () => {
  const steps = ["a", "b", "c"].map((name) => step("same", name));
  const held = [holder("a"), holder("b"), holder("c", "svc-b")];
  const reviewed = review(steps, { account: [{ voice: "svc-b", targetModel }], held });
  expect(reviewed.changes[0]?.warning).toBe(
    "`pulumi up --refresh` will fail: two resources hold the voice svc-b: b of the stack organization/program/dev and c of the " +
      "stack organization/program/dev. Run `pulumi up` without --refresh: it gives one of them a voice of its own",
  );
  expect(exitCodeOf(reviewed)).toBe(1);
});

describe("voices are missing that may exist: the review asks what the refresh asks", () => {
  const missingOf = (names: string[], facts: Parameters<typeof review>[1] = {}) =>
    review(
      names.map((name) => step("same", name)),
      { account: [], held: names.map((name) => holder(name)), ...facts },
    );

  test("all of three are missing: it ends with 1, and with 2 once a person has said yes", () => {
    const reviewed = missingOf(["a", "b", "c"]);
    expect(reviewed.questions).toMatchObject([
      { kind: "missing", uncertain: expect.stringMatching(/^All 3 voices of the stack program\/dev/) as string },
    ]);
    expect(reviewed.charge).toMatchObject({ atMost: 0.03, voices: 3 });
    expect(exitCodeOf(reviewed)).toBe(1);
    const asking = { backend: "", accepted: new Set(reviewed.questions.map(({ id }) => id)) };
    const accepted = missingOf(["a", "b", "c"], { asking });
    expect([accepted.questions, accepted.charge.atMost, exitCodeOf(accepted)]).toEqual([[], 0.03, 2]);
  });

  test("one of two is missing: it asks only if the list proves nothing, and says why", () => {
    const doubt = "the meaning of status_code is not known";
    const account = [{ voice: "svc-b", targetModel }];
    expect(missingOf(["a", "b"], { account }).questions).toEqual([]);
    const [question] = missingOf(["a", "b"], { account, doubt }).questions;
    expect(question?.uncertain).toMatch(/lacks 1 of the 2 voices.*: the meaning of status_code is not known\.$/);
    expect(missingOf(["b"], { account, doubt }).questions).toEqual([]);
  });
});

test.each<[string, VoiceHolder[], string[], number]>([
  ["of three that stay when their resources go", ["a", "b", "c"].map((name) => holder(name, undefined, true)), [], 1],
  [
    "of four, one of which is there and stays when its resource goes",
    [...["a", "b", "c"].map((name) => holder(name)), holder("d", "svc-d", true)],
    ["svc-d"],
    2,
  ],
])("all voices %s: the review counts as a refresh does", (_, held, there, code) => {
  const steps = held.map(({ urn }) => step("same", urn.split("::").at(-1) ?? ""));
  const account = there.map((voice) => ({ voice, targetModel }));
  expect(exitCodeOf(review(steps, { account, held }))).toBe(code);
});

test.each(["create", "replace"] as const)(
  "a voice can't be adopted if the resource that has it takes it again: %s",
  (op) => {
    const adopter = { targetModel, audio: "b.wav", adopt: id };
    const steps = [
      step("replace", "a", { id, olds: content, news: content }),
      step(op, "b", { ...(op === "replace" && { id: "svc-b", olds: { ...adopter, adopt: "" } }), news: adopter }),
    ];
    const reviewed = review(steps, { account });
    expect(reviewed.changes.sort(({ name: one }, { name: other }) => (one < other ? -1 : 1))).toMatchObject([
      { name: "a", charge: 0.01 },
      {
        name: "b",
        warning: "the update may fail: another resource holds the voice to adopt, and keeps it or deletes it first",
      },
    ]);
  },
);
