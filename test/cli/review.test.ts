import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { markdownOf } from "../../provider/src/cli/review/markdown";
import { parsePreview, type Preview, type Step } from "../../provider/src/cli/review/preview";
import { textOf } from "../../provider/src/cli/review/text";
import { review as reviewWith } from "../support/review-steps";

/**
 * Reviews of golden/preview.json, which the real engine printed, with the lines of the provider's plan. Its stack has every kind of change, and
 * resources whose names and texts try to inject markup.
 */

const golden = join(__dirname, "golden");
const preview = () => parsePreview(readFileSync(join(golden, "preview.json")));

const review = (facts: Partial<Preview> = {}) => reviewWith([], { preview: { ...preview(), ...facts } });
const reviewOfSteps = (...steps: Step[]) => review({ messages: [], steps });
const stepOf = (op: string, kind: string) => preview().steps.find((step) => step.op === op && step.urn.includes(kind))!;
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

test("marks all numbers as partial when the preview failed", () => {
  const text = textOf(review({ errors: ["no such file"] }));
  expect(text).toMatch(/, incomplete\n/);
  expect(text).toMatch(/charge: so far \$0\.06/);
  expect(text).toMatch(/voices: 9 now, 14 at the peak so far, of 1000/);
  expect(text).not.toMatch(/at most|after, of/);
});

test("explains the replacement of an image whose task failed and of a voice that --replace names", () => {
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
    expect.stringMatching(/^requested by --replace or by a taint/),
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

test("names the requested stack when the preview failed before its first step", () => {
  const failed = parsePreview(
    Buffer.from(JSON.stringify({ diagnostics: [{ severity: "error", message: "no such module" }] })),
  );
  expect(markdownOf(reviewWith([], { preview: failed, named: { project: "catalog", stack: "prod" } }))).toMatch(
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
