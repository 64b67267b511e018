import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../provider/src/emulator";
import { emulate } from "../support/emulate";
import { counted, said, Stack } from "../support/stack";
import { until } from "../support/until";

/** An image is billed once, whatever happens after its submission. */

let emulator: Emulator;
let stack: Stack;
async function setUp(options: Parameters<typeof emulate>[0] = {}) {
  emulator = await emulate(options);
  stack = await Stack.create(emulator, {
    CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05",
    CLOUDVOICE_IMAGE_SUBMITS_PER_SECOND: "50",
  });
}
const declare = (fields = "", prompt = "A lighthouse", opts = "{}") =>
  stack.program(`
    const prompt = ${JSON.stringify(prompt)};
    new cv.GeneratedImage("cover", { model: "svc-image", prompt, size: "64*48", ${fields} }, ${opts});`);
const submissions = () => emulator.summary().tasks;
const image = async () => (await stack.resources())[0];
const outputs = async () =>
  (await image())?.outputs as { taskId: string; taskStatus: string; images: Record<string, unknown>[] };

test("an image is submitted once, described, saved and then unchanged", async () => {
  await setUp({ finishAfterPolls: 2 });
  await stack.ok(declare(`n: 2, saveTo: "covers", promptExtend: true, watermark: false, negativePrompt: ""`).up());
  const { images, taskStatus, taskId } = await outputs();
  expect(taskStatus).toBe("SUCCEEDED");
  expect((await image())?.id).toBe(taskId);
  expect(images).toHaveLength(2);
  for (const [index, each] of images.entries()) {
    const file = readFileSync(join(stack.folder, String(each.file)));
    expect(each).toMatchObject({
      contentType: "image/png",
      width: 64,
      height: 48,
      bytes: file.length,
      actualPrompt: "A lighthouse, in detail",
    });
    expect(each.sha256).toBe(createHash("sha256").update(file).digest("hex"));
    expect(each.file).toMatch(new RegExp(`^covers/cover-[0-9a-f]{16}-${index + 1}\\.png$`));
  }
  expect(readdirSync(join(stack.folder, "covers"))).toHaveLength(2);

  await stack.ok(stack.preview("--expect-no-changes"));
  await stack.ok(stack.up("--refresh", "--expect-no-changes"));
  await stack.ok(stack.destroy());
  expect(submissions()).toBe(1);
  expect(readdirSync(join(stack.folder, "covers"))).toHaveLength(2);
});

test("a run on another machine two days later changes nothing and logs that the file is missing", async () => {
  await setUp();
  await stack.ok(declare(`saveTo: "covers"`).up());
  rmSync(join(stack.folder, "covers"), { recursive: true });
  emulator.advance(48 * 3600 * 1000);
  expect(said(await stack.ok(stack.preview("--expect-no-changes")), "is not on this machine")).toBe(0);
  const refreshed = await stack.ok(stack.up("--refresh", "--expect-no-changes"));
  expect(said(refreshed, "is not on this machine, and its URL has expired")).toBe(1);
  expect(submissions()).toBe(1);
});

test("a refresh downloads a missing file again while its URL is valid", async () => {
  await setUp();
  await stack.ok(declare(`saveTo: "covers"`).up());
  rmSync(join(stack.folder, "covers"), { recursive: true });
  await stack.ok(stack.refresh("--expect-no-changes"));
  const [first] = (await outputs()).images;
  expect(existsSync(join(stack.folder, String(first?.file)))).toBe(true);
  await stack.ok(stack.preview("--expect-no-changes"));
  expect(submissions()).toBe(1);
});

test("a changed saveTo copies the existing file when the URL is dead", async () => {
  await setUp();
  await stack.ok(declare(`saveTo: "covers"`).up());
  emulator.advance(48 * 3600 * 1000);
  await stack.ok(declare(`saveTo: "elsewhere/deep"`).up());
  const [first] = (await outputs()).images;
  expect(first?.file).toMatch(/^elsewhere\/deep\/cover-/);
  expect(readFileSync(join(stack.folder, String(first?.file)))).toEqual(
    readFileSync(join(stack.folder, "covers", String(first?.file).replace(/.*\//, ""))),
  );
  await stack.ok(stack.preview("--expect-no-changes"));
  expect(submissions()).toBe(1);
});

test.each([
  ["a time-out", `timeoutSeconds: 0.3`, "{}", /is still RUNNING after 0\.3 s\. The next update continues to wait/],
  ["a time-out by customTimeouts", ``, `{ customTimeouts: { create: "300ms" } }`, /is still RUNNING after 0\.3 s/],
])("%s keeps the task, and the next run continues to wait for it", async (_, fields, opts, message) => {
  await setUp({ finishAfterPolls: 1_000_000 });
  const run = await declare(fields, "A lighthouse", opts).up();
  expect(run.code).not.toBe(0);
  expect(run.output).toMatch(message);
  expect(run.output).not.toMatch(/\n\s+at /);
  const { taskId } = await outputs();
  expect((await image())?.id).toBe(taskId);

  emulator.setImages({ finishAfterPolls: 0 });
  const preview = await stack.ok(stack.preview());
  expect(counted(preview, "update")).toBe(1);
  await stack.ok(stack.refresh());
  await stack.ok(stack.up());
  expect(await outputs()).toMatchObject({ taskId, taskStatus: "SUCCEEDED", images: [{ width: 64 }] });
  await stack.ok(stack.preview("--expect-no-changes"));
  expect(submissions()).toBe(1);
});

test.each(["500", "reset-before", "html-502"] as const)(
  "polls that fail with %s until the retries are used up keep the task",
  async (kind) => {
    await setUp({ faults: [{ kind, on: ["poll"] }] });
    stack.env.CLOUDVOICE_MAX_RETRIES = "0";
    expect((await declare().up()).code).not.toBe(0);
    const { taskId } = await outputs();
    emulator.setFaults([]);
    await stack.ok(stack.up());
    expect(await outputs()).toMatchObject({ taskId, taskStatus: "SUCCEEDED" });
    expect(submissions()).toBe(1);
  },
);

test("a failed download keeps the task, and the next run downloads the image", async () => {
  await setUp({ faults: [{ kind: "reset-after", on: ["download"] }] });
  stack.env.CLOUDVOICE_MAX_RETRIES = "0";
  const run = await declare(`saveTo: "covers"`).up();
  expect(run.output).toMatch(/was lost|was cut short/);
  const covers = join(stack.folder, "covers");
  expect(existsSync(covers) ? readdirSync(covers) : []).toEqual([]);
  emulator.setFaults([]);
  await stack.ok(stack.up());
  expect((await outputs()).images[0]).toMatchObject({ width: 64, file: expect.any(String) as unknown });
  await stack.ok(stack.preview("--expect-no-changes"));
  expect(submissions()).toBe(1);
});

test.each([
  ["[fail]", /ended as FAILED: Input may be inappropriate: A place \[fail\] \(DataInspectionFailed\)/],
  ["[cancel]", /ended as CANCELED/],
  ["[unknown]", /ended as UNKNOWN: the service does not know the task/],
])("a task %s that fails during the create is reported and not saved", async (word, message) => {
  await setUp();
  const run = await declare("", `A place ${word}`).up();
  expect(run.output.replace(/\s+/g, " ")).toMatch(message);
  expect(await stack.resources()).toEqual([]);
});

test("a saved task that fails is replaced, and preview shows the replacement first", async () => {
  await setUp({ finishAfterPolls: 1_000_000 });
  await declare(`timeoutSeconds: 0.2`, "A [fail]").up();
  emulator.setImages({ finishAfterPolls: 0 });
  const preview = await stack.ok(stack.preview());
  expect(counted(preview, "replace")).toBe(1);
  expect(submissions()).toBe(1);
  await stack.up();
  expect(submissions()).toBe(2);
});

test("an unknown task state fails at once and keeps the task", async () => {
  await setUp();
  const run = await declare("", "A [archive]").up();
  expect(run.output.replace(/\s+/g, " ")).toMatch(
    /is in the state "ARCHIVED", which this version of pulumi-cloudvoice does not know/,
  );
  expect((await image())?.id).toBeDefined();
  expect(emulator.summary().calls.poll).toBe(1);
});

test.each(["reset-after", "reset-before", "500-after", "cut-json"] as const)(
  "a submission whose response was lost to %s is not repeated in the same run, and is reported",
  async (kind) => {
    await setUp({ faults: [{ kind, on: ["submit"] }] });
    const run = await declare().up();
    expect(run.output).toMatch(/may have been billed/);
    expect(emulator.summary().calls.submit).toBe(1);
  },
);

test("when some images of a task fail, the others are kept and the failed ones carry their error", async () => {
  await setUp();
  await stack.ok(declare(`n: 3`, "A [partial] view").up());
  expect((await outputs()).images).toEqual([
    expect.objectContaining({ width: 64 }),
    {
      error: "DataInspectionFailed: Output data may contain inappropriate content.",
      code: "DataInspectionFailed",
    },
    expect.objectContaining({ width: 64 }),
  ]);
  await stack.ok(stack.preview("--expect-no-changes"));
});

test("a secret prompt and all that derives from it is secret in the state and never printed", async () => {
  await setUp({ finishAfterPolls: 2 });
  stack.program(`
    new cv.GeneratedImage("cover", { model: "svc-image", prompt: pulumi.secret("canary prompt"), size: "64*48" });
    new cv.GeneratedImage("plain", { model: "svc-image", prompt: "open prompt", size: "64*48" });
  `);
  const runs = [
    await stack.ok(stack.pulumi("up", "--yes", "--diff")),
    await stack.ok(stack.refresh()),
    await stack.ok(stack.preview("--json")),
  ];
  expect(runs.map((run) => run.output).join("")).not.toContain("canary prompt");
  const state = await stack.state();
  expect(state).not.toContain("canary prompt");
  expect(state).toContain("open prompt, in detail");
});

test("a resource name cannot place a file outside saveTo", async () => {
  await setUp();
  mkdirSync(join(stack.folder, "in"));
  await stack.ok(
    stack
      .program(
        `new cv.GeneratedImage("../../up", { model: "svc-image", prompt: "x", size: "8*8", saveTo: "in/side" });`,
      )
      .up(),
  );
  expect(readdirSync(join(stack.folder, "in"))).toEqual(["side"]);
  expect(readdirSync(join(stack.folder, "in", "side"))[0]).toMatch(/^_up-[0-9a-f]{16}-1\.png$/);
});

test("fifty tasks run together, submitted no faster than imageSubmitsPerSecond", async () => {
  await setUp({ finishAfterMs: Infinity });
  stack.env.CLOUDVOICE_IMAGE_SUBMITS_PER_SECOND = "25";
  stack.program(`
    for (let i = 0; i < 50; i++)
      new cv.GeneratedImage("i" + i, { model: "svc-image", prompt: "p" + i, size: "8*8" });`);
  const { done } = stack.start(["up", "--yes", "--skip-preview", "--parallel", "64"]);
  // No task ends before all tasks have been submitted.
  await until(() => submissions() === 50);
  emulator.setImages({ finishAfterMs: 0 });
  await stack.ok(done);
  expect(submissions()).toBe(50);
  const submitted = emulator
    .ledger()
    .filter((entry) => entry.action === "submit")
    .map((entry) => Date.parse(entry.at));
  // A busy machine may record the first submission late.
  expect((submitted.at(-1) ?? 0) - (submitted[0] ?? 0)).toBeGreaterThanOrEqual(49 * 40 - 500);
});

test("no more tasks are in flight than maxRunningImages", async () => {
  await setUp({ finishAfterPolls: 3 });
  stack.env.CLOUDVOICE_MAX_RUNNING_IMAGES = "2";
  stack.program(
    `for (let i = 0; i < 6; i++) new cv.GeneratedImage("i" + i, { model: "svc-image", prompt: "p" + i, size: "8*8" });`,
  );
  await stack.ok(stack.up());
  let inFlight = 0;
  let most = 0;
  for (const { action } of emulator.ledger()) {
    if (action === "submit") inFlight++;
    if (action === "download") inFlight--;
    most = Math.max(most, inFlight);
  }
  expect([submissions(), most]).toEqual([6, 2]);
});

test("preview rejects every bad input at its property, without a call to the service", async () => {
  await setUp();
  const run = await stack
    .program(
      `new cv.GeneratedImage("cover", {
        model: "svc-image-max",
        prompt: " ",
        negativePrompt: 1,
        size: "1024x768",
        n: 1.5,
        promptExtend: "yes",
        watermark: 0,
        triggers: {},
        saveTo: "",
        timeoutSeconds: -1,
      });`,
    )
    .preview();
  const output = run.output.replace(/\s+/g, " ");
  for (const message of [
    /property model .*svc-image-plus and svc-image only/,
    /property prompt .*must not be empty/,
    /negativePrompt must be a text/,
    /property size .*joined by \*, "1024\*768"/,
    /property n .*whole number from 1/,
    /property promptExtend .*true or false/,
    /property watermark .*true or false/,
    /property triggers .*list of/,
    /property saveTo .*folder/,
    /property timeoutSeconds .*over 0/,
  ]) {
    expect(output).toMatch(message);
  }
  expect(emulator.ledger()).toEqual([]);
});

test("inputs outside the usual bounds are warned about, and not rejected", async () => {
  await setUp();
  const run = await stack.ok(declare(`n: 2`, "x".repeat(801)).preview());
  expect(run.output).toMatch(/warning: cover: the prompt has 801 characters/);
  expect(run.output).toMatch(/warning: cover: the service was seen to generate the sizes .*, and not 64\*48/);
  expect(run.output).toMatch(/warning: cover: n is 2/);
});
