import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { longestComment, markdownOf } from "../../provider/src/cli/review/markdown";
import { parsePreview, type Preview } from "../../provider/src/cli/review/preview";
import type { Quota } from "../../provider/src/cli/review/account";
import { isOverCost, isOverQuota, reviewOf, type ReviewFacts } from "../../provider/src/cli/review/review";
import { textOf } from "../../provider/src/cli/review/text";
import { quotaFault, QuotaPlan } from "../../provider/src/rules/quota";

/** A review from a preview that the real engine made, of a stack with every kind of change in it, and text that tries to break out. */

const golden = join(__dirname, "golden");
const preview = () => parsePreview(readFileSync(join(golden, "preview.json")));
const nowMs = Date.parse("2026-11-21T12:00:00Z");
const targetModel = "svc3-tts-vc-2026-01-22";

/** The account as it stood: what the state holds, one made by hand to adopt, one that a killed run made for `catalog-back`, a stranger. */
function account(of: Preview = preview()) {
  const held = of.steps.flatMap(({ oldState }) =>
    oldState?.type.endsWith(":CloudVoice") ? [String(oldState.id)] : [],
  );
  const adopted = of.steps.map(({ newState }) => newState?.inputs.adopt).find((adopt) => typeof adopt === "string");
  const back = of.steps.find(({ urn }) => urn.endsWith("::catalog-back"))?.newState?.inputs.preferredName;
  const names = [
    ...held,
    adopted as string,
    `svc-tts-vc-${String(back)}-voice-20261121115500000-beef`,
    "svc-tts-vc-stranger-voice-20250101000000000-cafe",
  ];
  return names.map((voice) => ({
    voice,
    targetModel,
    gmtCreate: voice.includes("stranger") ? "2025-01-01 00:00:00" : "2026-11-21 11:55:00",
  }));
}

function review(facts: Partial<ReviewFacts> = {}) {
  return reviewOf({ preview: preview(), account: account(), voiceQuota: 1000, quotaCheck: "error", nowMs, ...facts });
}

/** Compares with the file; with UPDATE_GOLDEN set it writes it, for a person to read the difference. */
function matches(file: string, text: string): void {
  if (process.env.UPDATE_GOLDEN) writeFileSync(join(golden, file), text);
  expect(text).toBe(readFileSync(join(golden, file), "utf8"));
}

test("as JSON, Markdown and text it says what is to be made, why, what it costs and uses up", async () => {
  matches("review.json", `${JSON.stringify(review(), null, 2)}\n`);
  matches("review.md", markdownOf(review()));
  matches("review.txt", await textOf(review()));
});

test("counts, charge and quota are those of the changes", () => {
  const { counts, charge, quota, others } = review();
  // catalog-fresh, named, evil; catalog-back is in the account already, and free.
  expect(counts.voice).toEqual({ create: 3, adopt: 1, take: 1, replace: 3, update: 1, delete: 1 });
  expect(counts.image).toMatchObject({ create: 1, replace: 1 });
  expect(counts.decision).toMatchObject({ replace: 1, update: 1 });
  expect(charge).toMatchObject({ atMost: 0.06, voices: 6, imageTasks: 2, decisions: 1 });
  // Six to come, one of them after its old voice went; four go.
  const now = account().length;
  expect(quota).toEqual({ limit: 1000, check: "error", now, peak: now + 5, after: now + 2 });
  expect(others).toEqual([
    { voice: "svc-tts-vc-stranger-voice-20250101000000000-cafe", name: "stranger", createdAt: "2025-01-01T00:00:00Z" },
  ]);
});

test("a voice under its own name that is older than a day is told: the update will fail there", () => {
  const old = account().map((row) => (row.voice.endsWith("beef") ? { ...row, gmtCreate: "2026-11-18 11:55:00" } : row));
  expect(review({ account: old }).notes.join("\n")).toMatch(
    /catalog-back: the update will fail: .* bears the name of this resource/,
  );
});

test("a voice that the state holds and the account has not is told as one that a refresh makes again", () => {
  const without = account().filter(({ voice }) => !voice.includes("-kept_"));
  const told = review({ account: without });
  expect(told.changes.find(({ name }) => name === "kept")).toMatchObject({
    action: "create",
    charge: 0.01,
    why: expect.stringContaining("gone at the service") as string,
  });
  expect(told.charge.voices).toBe(7);
});

test("an old copy that waits for its delete goes, and is no stranger; one that holds a live voice does not", () => {
  const [waiting] = account().filter(({ voice }) => voice.includes("stranger"));
  const kept = account().find(({ voice }) => voice.includes("-kept_"))?.voice ?? "";
  const held = [
    { id: waiting?.voice ?? "", pendingDelete: true },
    { id: kept, pendingDelete: false },
    { id: kept, pendingDelete: true },
  ];
  const before = review().quota as Quota;
  const told = review({ held });
  expect(told.others).toEqual([]);
  expect(told.quota).toMatchObject({ now: before.now, peak: before.peak, after: before.after - 1 });
});

test("a voice that its resource leaves behind stays in the account", () => {
  const steps = preview().steps.map((step) =>
    step.op === "delete" && step.oldState ? { ...step, oldState: { ...step.oldState, retainOnDelete: true } } : step,
  );
  const told = review({ preview: { ...preview(), steps } });
  expect(told.changes.find(({ action }) => action === "delete")?.why).toMatch(/its voice stays in the account/);
  expect((told.quota as Quota).after).toBe((review().quota as Quota).after + 1);
});

test("of a preview that failed nothing is called the whole", async () => {
  const failed = { ...preview(), errors: ["no such file"] };
  const text = await textOf(review({ preview: failed }));
  expect(text).toMatch(/as far as it came/);
  expect(text).toMatch(/charge: so far \$0\.06/);
  expect(text).toMatch(/voices: 9 now, 14 at the peak so far, of 1000/);
  expect(text).not.toMatch(/at most|after, of/);
});

test("a replacement that leaves its old voice behind is not counted as going", () => {
  const steps = preview().steps.map((step) =>
    step.op === "replace" && step.oldState ? { ...step, oldState: { ...step.oldState, retainOnDelete: true } } : step,
  );
  const told = review({ preview: { ...preview(), steps } });
  expect(told.changes.find(({ action, kind }) => action === "replace" && kind === "voice")?.why).toMatch(
    /the old voice stays in the account/,
  );
  expect((told.quota as Quota).after).toBe((review().quota as Quota).after + 3);
});

test("why an image of a failed task, and a voice that lost its name, are replaced", () => {
  const [image] = preview().steps.filter(({ op, urn }) => op === "replace" && urn.includes("GeneratedImage"));
  const [voice] = preview().steps.filter(({ op, urn }) => op === "replace" && urn.includes("CloudVoice"));
  const because = (step: typeof image, reason: string) => ({
    ...step!,
    newState: { ...step!.newState!, inputs: step!.oldState!.inputs },
    replaceReasons: [reason],
  });
  const { changes } = review({
    preview: { ...preview(), steps: [because(image, "taskStatus"), because(voice, "preferredName")] },
  });
  expect(changes.map(({ why }) => why)).toEqual([
    expect.stringMatching(/goes to the new resource of the name/),
    expect.stringMatching(/its task failed/),
  ]);
});

test("an adoption that is sure to fail is told", () => {
  const told = review({
    account: account().map((row) => (row.voice.includes("by_hand") ? { ...row, targetModel: "another" } : row)),
  });
  expect(told.notes.join("\n")).toMatch(/adopted: the update will fail: the voice to adopt, .*, is bound to another/);
});

test("a quota that could not be asked for, or is not enforced, is told in the first lines", () => {
  expect(markdownOf(review({ account: { unknown: "the service is down" } }))).toMatch(
    /> The account's voices could not be listed/,
  );
  expect(markdownOf(review({ voiceQuota: 10, quotaCheck: "warn" }))).toMatch(/> Over quota\. quotaCheck is `warn`/);
});

test("a long error is cut, and many leave room for the changes", () => {
  const long = markdownOf(review({ preview: { ...preview(), errors: ["x".repeat(200_000)] } }));
  expect(long).toMatch(/x{1000}…/);
  const many = markdownOf(
    review({
      preview: {
        ...preview(),
        errors: Array.from({ length: 2000 }, (_, index) => `error ${index} ${"y".repeat(100)}`),
      },
    }),
  );
  expect(many).toMatch(/and \d+ more errors/);
  expect(many).toContain("catalog-fresh");
});

test("what the service says of itself steers no terminal", async () => {
  const told = review({ account: { unknown: "bad \u001b[31m\u2028\n- item" } });
  for (const text of [await textOf(told), markdownOf(told)]) expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}]|^- item/mu);
});

test("a quota that is not enforced is no alarm", () => {
  expect(isOverQuota(review({ voiceQuota: 1, quotaCheck: "warn" }))).toBe(false);
});

test("without the account it says so, and tells the rest", () => {
  const told = review({ account: { unknown: "no API key" } });
  expect(told.quota).toEqual({ unknown: "no API key" });
  expect(told.others).toEqual({ unknown: "no API key" });
  expect(told.charge.atMost).toBe(0.07);
  expect(markdownOf(told)).toContain("not known: no API key");
});

test("what the stack does not hold is not guessed from a preview without what stays", () => {
  const part = { ...preview(), whole: false };
  expect(review({ preview: part }).others).toMatchObject({
    unknown: expect.stringContaining("--show-sames") as string,
  });
  expect(review({ preview: part, held: [] }).others).toHaveLength(1);
});

test.each([
  [1000, undefined, [false, false]],
  [12, undefined, [true, false]],
  [1000, 0.05, [false, true]],
  [1000, 0.06, [false, false]],
])("a quota of %s and a limit of %s dollars: over %p", (voiceQuota, maxCost, over) => {
  const told = review({ voiceQuota, maxCost });
  expect([isOverQuota(told), isOverCost(told)]).toEqual(over);
});

test("a preview that failed is told as far as it went", () => {
  const failed = parsePreview(
    Buffer.from(
      JSON.stringify({
        steps: [],
        diagnostics: [
          {
            severity: "error",
            message: "error: resource 'v': property audio value {a.wav} has a problem: no such file\n",
          },
        ],
      }),
    ),
  );
  const told = review({ preview: failed });
  expect(told).toMatchObject({
    complete: false,
    changes: [],
    errors: ["resource 'v': property audio value {a.wav} has a problem: no such file"],
  });
  expect(markdownOf(told)).toMatch(/The preview failed[^]*no such file/);
});

test("a preview that failed because of the quota is over quota, found by its error code and not by its prose", () => {
  const over = (message: string) => {
    const diagnostics = [{ severity: "error", message }];
    const preview = parsePreview(Buffer.from(JSON.stringify({ diagnostics })));
    return isOverQuota(review({ preview, account: { unknown: "no API key" } }));
  };
  const plan = new QuotaPlan();
  plan.wants("v");
  const reason = quotaFault(1000, plan, 1000, "error") ?? "";
  expect(over(`error: cloudvoice:CloudVoice resource 'v' has a problem: ${reason}\n`)).toBe(true);
  expect(over("error: any other text (VoiceQuotaExceeded)")).toBe(true);
  expect(over("error: the account is too small for this update")).toBe(false);
});

test("a preview that failed at once is told under the stack that was asked for, so that its comment is found again", () => {
  const failed = parsePreview(
    Buffer.from(JSON.stringify({ diagnostics: [{ severity: "error", message: "no such module" }] })),
  );
  expect(markdownOf(review({ preview: failed, named: { project: "catalog", stack: "prod" } }))).toMatch(
    /^<!-- cloudvoice-review catalog\/prod -->/,
  );
});

test("of long texts what differs is shown", () => {
  const [step] = preview().steps.filter(({ op, urn }) => op === "replace" && urn.includes("CloudVoice"));
  const state = (text: string) => ({
    ...step!.oldState!,
    inputs: { ...step!.oldState!.inputs, text: `${"the same ".repeat(100)}${text} ${"and on ".repeat(100)}` },
  });
  const told = review({
    preview: {
      ...preview(),
      steps: [{ ...step!, replaceReasons: ["text"], oldState: state("before"), newState: state("after") }],
    },
  });
  expect(told.changes[0]?.fields).toEqual([
    {
      field: "text",
      old: expect.stringMatching(/^….* before and on .*…$/) as string,
      new: expect.stringMatching(/^….* after and on .*…$/) as string,
    },
  ]);
});

test("a thousand changes stay within one comment, and it says what it left out", () => {
  const [step] = preview().steps.filter(({ urn }) => urn.endsWith("::catalog-fresh"));
  const steps = Array.from({ length: 1000 }, (_, index) => ({
    ...step!,
    urn: `${step!.urn}-${index}-${"long".repeat(10)}`,
  }));
  const many = { ...preview(), steps };
  const text = markdownOf(review({ preview: many }));
  expect(text.length).toBeLessThan(longestComment);
  expect(text.length).toBeGreaterThan(longestComment * 0.8);
  expect(text).toMatch(/and \d+ more changes, which are too many for one comment/);
  expect(text).toContain("1000 voices to create");
});

test("nothing that the program wrote reaches the comment as markup, or the terminal as a control character", async () => {
  const text = markdownOf(review());
  // Outside of code, the only angle brackets, bars and mentions are our own.
  const outside = text.replace(/(`+)(?!`)[^]*?[^`]\1(?!`)/g, "code");
  expect(outside).not.toMatch(/<script|<td|@everyone/);
  expect(text.replaceAll("&#64;<!-- -->", "").match(/<!--/g)).toHaveLength(2);
  const rows = text.split("\n").filter((line) => line.startsWith("| "));
  for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(6);
  const noisy = { severity: "info", message: "\u001b[90ma\u001b[39m \u0007note" };
  expect(parsePreview(Buffer.from(JSON.stringify({ diagnostics: [noisy] }))).notes).toEqual(["a \\u{7}note"]);
  expect(await textOf(review())).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
});

describe("a preview is read", () => {
  const json = JSON.stringify({ steps: [], changeSummary: { same: 1 } });
  test.each<[string, Buffer]>([
    ["as it is", Buffer.from(json)],
    [
      "with the lines that npm run puts before and after it",
      Buffer.from(`\n> pulumi\n> tsx tools/pulumi.ts preview --json\n\n${json}\nEmulator: no call\n`),
    ],
    [
      "with lines of JSON before it",
      Buffer.from(`{"level":"info"}\n{"level":"warn"}\n${JSON.stringify(JSON.parse(json), null, 4)}\n`),
    ],
    [
      "with braces after it",
      Buffer.from(`${JSON.stringify(JSON.parse(json), null, 4)}\nEmulator: {"calls":0} and so on }\n`),
    ],
    ["with a byte order mark", Buffer.from(`\ufeff${json}`)],
    ["as PowerShell writes it", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(json, "utf16le")])],
  ])("%s", (_, bytes) => {
    expect(parsePreview(bytes)).toMatchObject({ steps: [], errors: [], whole: false });
  });

  test.each<[string, string]>([
    ["", "whole"],
    ["{", "whole"],
    [json.slice(0, -2), "whole"],
    ["[]", "whole"],
    ["{}", "neither steps nor diagnostics"],
    [`{"steps": 5}`, "steps"],
    [`{"steps": [{"op": 1}]}`, "steps"],
  ])("or refused: %s", (text, message) => {
    expect(() => parsePreview(Buffer.from(text))).toThrow(message);
  });
});
