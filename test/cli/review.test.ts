import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { markdownOf } from "../../provider/src/cli/review/markdown";
import { parsePreview, type Preview, type Step } from "../../provider/src/cli/review/preview";
import type { ReviewFacts } from "../../provider/src/cli/review/facts";
import { isOverQuota, type Quota } from "../../provider/src/cli/review/quota";
import { textOf } from "../../provider/src/cli/review/text";
import { exitCodeOf } from "../../provider/src/cli/review/exit-code";
import { alarms } from "../../provider/src/cli/review/words";
import { quotaProblem } from "../../provider/src/voices/judge/voice-count";
import { review as reviewWith, targetModel } from "../support/review-steps";

/**
 * Reviews of golden/preview.json, which the real engine printed. Its stack has every kind of change, and
 * resources whose names and texts try to inject markup.
 */

const golden = join(__dirname, "golden");
const preview = () => parsePreview(readFileSync(join(golden, "preview.json")));
const nowMs = Date.parse("2026-11-21T12:00:00Z");

/**
 * The account at the time of the preview: the voices in the state, one created by hand to be adopted, one that a
 * killed run created for `catalog-back`, and one unrelated voice.
 */
function account(of: Preview = preview()) {
  const inState = of.steps.flatMap(({ oldState }) =>
    oldState?.type.endsWith(":CloudVoice") ? [String(oldState.id)] : [],
  );
  const adopted = of.steps.map(({ newState }) => newState?.inputs.adopt).find((adopt) => typeof adopt === "string");
  const back = of.steps.find(({ urn }) => urn.endsWith("::catalog-back"))?.newState?.inputs.preferredName;
  const names = [
    ...inState,
    adopted as string,
    `svc-tts-vc-${String(back)}-voice-20261121115500000-beef`,
    "svc-tts-vc-stranger-voice-20250101000000000-cafe",
  ];
  return names.map((voice) => ({
    voice,
    targetModel,
    gmtCreate: voice.includes("stranger") ? "2025-01-01T00:00:00Z" : "2026-11-21T11:55:00Z",
  }));
}

/** A killed run of the stack left a note of its create of `catalog-back`. */
function interrupted(of: Preview): Pick<ReviewFacts, "unfinished"> {
  const back = of.steps.find(({ urn }) => urn.endsWith("::catalog-back"))?.newState?.inputs.preferredName;
  return { unfinished: new Map([[String(back), { end: "sent", isOurs: true, sentMs: nowMs }]]) };
}

function review(facts: Partial<ReviewFacts> = {}) {
  const given = { preview: preview(), account: account(), nowMs, ...facts };
  return reviewWith([], { ...interrupted(given.preview), ...given });
}

const reviewOfSteps = (...steps: Step[]) => review({ preview: { ...preview(), notes: [], steps } });
const stepOf = (op: string, kind: string) => preview().steps.find((step) => step.op === op && step.urn.includes(kind))!;
/** The steps of this kind go on with another state of their resource. */
const stepsWith = (op: string, changes: object) =>
  preview().steps.map((step) =>
    step.op === op && step.oldState ? { ...step, oldState: { ...step.oldState, ...changes } } : step,
  );

/** Compares the text with a golden file. UPDATE_GOLDEN=1 writes the file instead, for review with `git diff`. */
function expectGolden(file: string, text: string): void {
  if (process.env.UPDATE_GOLDEN) writeFileSync(join(golden, file), text);
  expect(text).toBe(readFileSync(join(golden, file), "utf8"));
}

test("reports all changes with reason, cost and quota as JSON, Markdown and text", () => {
  expectGolden("review.json", `${JSON.stringify(review(), null, 2)}\n`);
  expectGolden("review.md", markdownOf(review()));
  expectGolden("review.txt", textOf(review()));
});

test("names the stack of a voice that another stack has", () => {
  const voice = "svc-tts-vc-stranger-voice-20250101000000000-cafe";
  const reviewed = review({ elsewhere: new Map([[voice, "acme/site/prod"]]) });
  expect(reviewed.others).toMatchObject([{ voice, stack: "acme/site/prod" }]);
  const text = textOf(reviewed);
  expect(text).toMatch(/^other voices in the account: 1, of which other stacks have 1$/m);
  expect(text).toMatch(/cafe, created 2025-01-01, age 689 days, .*of the stack acme\/site\/prod$/m);
  expect(markdownOf(reviewed)).toMatch(/cafe` created .*of the stack acme\/site\/prod$/m);
});

test("asks first whether a voice with the resource's generated name is taken, if no create of the stack is unfinished", () => {
  const reviewed = review({ unfinished: new Map() });
  const [question, ...others] = reviewed.questions;
  expect([question?.kind, others]).toEqual(["take", []]);
  expect(alarms(reviewed)[0]).toMatch(
    /^Question: .*og_back.* has the name of this resource.* nothing shows that it was made for .* at no cost/,
  );
  expect(exitCodeOf(reviewed)).toBe(1);
  // Until a person has said so, a voice that is paid for is counted.
  expect(reviewed.counts.voice).toMatchObject({ create: 4, take: 0 });

  const asking = { backend: "", accepted: new Set([question?.id ?? ""]) };
  const accepted = review({ unfinished: new Map(), asking });
  expect([accepted.questions, exitCodeOf(accepted)]).toEqual([[], 2]);
  expect(accepted.counts.voice).toMatchObject({ create: 3, take: 1 });
});

test("a voice that a run deleted and the list still shows is not taken: another is paid for", () => {
  const deletedVoices = new Set(account().map(({ voice }) => voice));
  expect(review({ deletedVoices }).counts.voice).toMatchObject({ create: 4, take: 0 });
});

test("warns that the update will fail when a voice with a new resource's name is there, and some states can't be read", () => {
  const reviewed = review({ statesKnown: false, unfinished: new Map() });
  expect(alarms(reviewed).join("\n")).toMatch(
    /catalog-back: the update will fail: .* the states of the stacks could not/,
  );
  expect(reviewed.counts.voice.take).toBe(0);
});

test("counts an old copy that is pending deletion as deleted, unless a live resource has the same voice", () => {
  const [pending] = account().filter(({ voice }) => voice.includes("stranger"));
  const kept = account().find(({ voice }) => voice.includes("-kept_"))?.voice ?? "";
  const holder = { stack: "organization/program/dev", savedUrn: "" };
  const held = [
    { ...holder, urn: "a", voice: pending?.voice ?? "", isOld: true },
    { ...holder, urn: "kept", voice: kept, isOld: false },
    { ...holder, urn: "kept", voice: kept, isOld: true },
  ];
  const before = review().quota as Quota;
  const reviewed = review({ held });
  expect(reviewed.others).toEqual([]);
  expect(reviewed.quota).toMatchObject({ now: before.now, peak: before.peak, after: before.after - 1 });
  const waiting = reviewed.changes.filter(({ why }) => why.startsWith("replaced by an earlier update"));
  expect(waiting).toMatchObject([{ action: "delete", id: pending?.voice, charge: 0 }]);
});

test.each([
  ["delete", 1, /its voice stays in the account/],
  ["replace", 3, /the old voice stays in the account/],
])("with retainOnDelete, a %s leaves the old voice in the account: %i stay", (op, stay, why) => {
  const reviewed = reviewOfSteps(...stepsWith(op, { retainOnDelete: true }));
  expect(reviewed.changes.find(({ action, kind }) => action === op && kind === "voice")?.why).toMatch(why);
  expect((reviewed.quota as Quota).after).toBe((review().quota as Quota).after + stay);
});

test("the command that deletes a voice later has an id with characters of a shell as one word", () => {
  const { notes } = reviewOfSteps(...stepsWith("delete", { id: "v; rm -rf /", retainOnDelete: true }));
  expect(notes.join()).toContain("pulumi-cloudvoice delete 'v; rm -rf /'`");
});

test("marks all numbers as partial when the preview failed", () => {
  const failed = { ...preview(), errors: ["no such file"] };
  const text = textOf(review({ preview: failed }));
  expect(text).toMatch(/, incomplete\n/);
  expect(text).toMatch(/charge: so far \$0\.06/);
  expect(text).toMatch(/voices: 9 now, 14 at the peak so far, of 1000/);
  expect(text).not.toMatch(/at most|after, of/);
});

test("explains the replacement of an image whose task failed and of a voice that belongs to another resource", () => {
  const because = (step: Step, reason: string) => ({
    ...step,
    newState: { ...step.newState!, inputs: step.oldState!.inputs },
    replaceReasons: [reason],
  });
  const { changes } = reviewOfSteps(
    because(stepOf("replace", "GeneratedImage"), "taskStatus"),
    because(stepOf("replace", "CloudVoice"), "preferredName"),
  );
  expect(changes.map(({ why }) => why)).toEqual([
    expect.stringMatching(/now belongs to the new resource/),
    expect.stringMatching(/its task failed/),
  ]);
});

test("a task that an image takes over is not paid for, and saved pictures that nothing refers to any longer are listed", () => {
  const { newState, ...step } = stepOf("create", "GeneratedImage");
  const adopting = { ...step, newState: { ...newState!, inputs: { adoptTask: "0-1" } } };
  const stored = { images: [{ file: "s3://covers/a-1.png" }, { file: "covers/a-1.png" }] };
  const deleted = { ...step, op: "delete", oldState: { ...newState!, outputs: stored } };
  const { changes, charge, notes } = reviewOfSteps(adopting, deleted);
  expect(changes).toMatchObject([
    { action: "adopt", takes: "0-1", why: "new in the program; adopts 0-1" },
    { action: "delete", pictures: ["s3://covers/a-1.png", "covers/a-1.png"] },
  ]);
  expect(notes).toContain(
    "poster: saved pictures stay, but nothing refers to them after this update: s3://covers/a-1.png, covers/a-1.png",
  );
  const saved = (op: string, saveTo: string) => ({
    ...{ ...step, op, oldState: { ...newState!, outputs: stored, inputs: { saveTo: "a" } } },
    newState: { ...newState!, inputs: { saveTo } },
  });
  const moves = [saved("update", "b"), saved("update", "a"), saved("replace", "a")];
  expect(moves.map((each) => reviewOfSteps(each).notes.length)).toEqual([1, 0, 1]);
  expect(charge.imageTasks).toBe(0);
});

test("warns in the first lines when the quota is unknown or not enforced", () => {
  const unknown = markdownOf(review({ account: { unknown: "the service is down" } }));
  expect(unknown).toMatch(/> The account's voices could not be listed/);
  expect(unknown).toContain("not known: the service is down");
  const warned = review({ voiceQuota: 10, quotaCheck: "warn" });
  expect(markdownOf(warned)).toMatch(/> Over quota\. quotaCheck is warn/);
  expect(isOverQuota(warned)).toBe(false);
});

test("does not guess the other voices from a preview without unchanged resources", () => {
  const partial = { ...preview(), whole: false };
  expect(review({ preview: partial }).others).toMatchObject({
    unknown: expect.stringContaining("--show-sames") as string,
  });
  expect(review({ preview: partial, held: [] }).others).toHaveLength(1);
});

test("recognises a preview that failed because of the quota by the error code", () => {
  const over = (message: string) => {
    const diagnostics = [{ severity: "error", message }];
    const preview = parsePreview(Buffer.from(JSON.stringify({ diagnostics })));
    return isOverQuota(review({ preview, account: { unknown: "no API key" } }));
  };
  const reason = quotaProblem("account", { now: 1000, peak: 1001, added: 1 }, 1000, "error") ?? "";
  expect(over(`error: cloudvoice:CloudVoice resource 'v' has a problem: ${reason}\n`)).toBe(true);
  expect(over("error: any other text (VoiceQuotaExceeded)")).toBe(true);
  expect(over("error: the account is too small for this update")).toBe(false);
});

test("names the requested stack when the preview failed before its first step", () => {
  const failed = parsePreview(
    Buffer.from(JSON.stringify({ diagnostics: [{ severity: "error", message: "no such module" }] })),
  );
  expect(markdownOf(review({ preview: failed, named: { project: "catalog", stack: "prod" } }))).toMatch(
    /^<!-- cloudvoice-review catalog\/prod -->/,
  );
});

test("shows the part of long texts that differs", () => {
  const step = stepOf("replace", "CloudVoice");
  const state = (text: string) => ({
    ...step.oldState!,
    inputs: { ...step.oldState!.inputs, text: `${"the same ".repeat(100)}${text} ${"and on ".repeat(100)}` },
  });
  const changed = { ...step, replaceReasons: ["text"], oldState: state("before"), newState: state("after") };
  const reviewed = reviewOfSteps(changed);
  expect(reviewed.changes[0]?.fields).toEqual([
    {
      field: "text",
      old: expect.stringMatching(/^….* before and on .*…$/) as string,
      new: expect.stringMatching(/^….* after and on .*…$/) as string,
    },
  ]);
});
