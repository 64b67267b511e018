import {
  durationSeconds,
  expiryOf,
  hasComeDamaged,
  imageFileName,
  isDoubtful,
  isExpired,
  type ImageOutputs,
  isImageFileName,
  needsDownload,
  plannedImages,
  taskProgress,
  timeoutMsOf,
} from "../../provider/src/rules/image";
import {
  adoptedTaskProblem,
  imageInputs,
  type ImageInputs,
  imageWarnings,
  mostBytes,
  storageHint,
} from "../../provider/src/rules/image-fields";
import { unknownValue } from "../../provider/src/rules/values";
import { changedInputs, checkFailure, checkInputs, replacingValues } from "../../provider/src/rules/inputs";

const none: ReadonlySet<string> = new Set();
const right: ImageInputs = { model: "svc-image-plus", prompt: "A lighthouse" };

function faultsOf(change: object, unknown: string[] = []): string[] {
  const given = Object.entries({ ...right, ...change }).filter(([, value]) => value !== undefined);
  const problems = checkInputs(imageInputs, Object.fromEntries(given), new Set(unknown));
  return problems.map((problem) => checkFailure(problem)).map(({ property, reason }) => `${property}: ${reason}`);
}

test("the model and the prompt are required, unless they are not known yet", () => {
  const none = { model: undefined, prompt: undefined };
  expect(faultsOf(none)).toEqual(["model: is required", "prompt: is required"]);
  expect(faultsOf(none, ["model", "prompt"])).toEqual([]);
});

test.each<[what: string, change: object]>([
  ["of every field", { negativePrompt: "", size: "1328*1328", n: 1, promptExtend: false, watermark: true }],
  ["of what is free", { triggers: [1], saveTo: "covers", timeoutSeconds: 0.5 }],
  // The service's document gives these no bounds, so the service decides.
  ["of any length", { prompt: "a".repeat(5000), negativePrompt: "b".repeat(5000) }],
  ["of a size of nothing", { size: "0*10" }],
  ["of a bucket", { saveTo: "s3://covers/a?region=eu-central-1" }],
])("inputs %s are accepted", (_, change) => {
  expect(faultsOf(change)).toEqual([]);
});

test.each<[what: string, change: object, faults: RegExp[]]>([
  [
    "a model of the other interface",
    { model: "svc-image-2" },
    [/^model: .*"svc-image-2"; .* svc-image-plus and svc-image only/],
  ],
  ["a blank prompt", { prompt: " " }, [/^prompt: is empty/]],
  ["no image", { n: 0 }, [/^n: is 0; it must be 1 or more$/]],
  ["half an image", { n: 1.5 }, [/^n: is 1\.5; it must be a whole number$/]],
  // The engine shows the value of the property that a failure names, and a prompt may be secret.
  [
    "prompts that are no texts",
    { prompt: { canary: 1 }, negativePrompt: 2 },
    [/^: prompt must be a text$/, /^: negativePrompt/],
  ],
  ["switches that are texts", { promptExtend: "yes", watermark: 1 }, [/^promptExtend: /, /^watermark: /]],
  ["nested triggers", { triggers: [["a"]] }, [/^triggers\[0\]: /]],
  ["no folder", { saveTo: "" }, [/^saveTo: /]],
  // The URL may have credentials in it by mistake.
  ["a bucket of another cloud", { saveTo: "gs://covers" }, [/^: saveTo starts with gs:\/\/, which is not/]],
  ["no task", { adoptTask: "" }, [/^adoptTask: /]],
  ["no time", { timeoutSeconds: 0 }, [/^timeoutSeconds: /]],
])("%s is refused", (_, change, faults) => {
  expect(faultsOf(change)).toEqual(faults.map((fault) => expect.stringMatching(fault) as string));
});

test.each([
  ["1664 x 928", '"1664*928"'],
  [" 1664 × 928 ", '"1664*928"'],
  ["1664X928", '"1664*928"'],
  ["1664", 'as in "1328*1328"'],
  ["about 1664x928", 'as in "1328*1328"'],
  ["1664x928px", 'as in "1328*1328"'],
  ["0x928", 'as in "1328*1328"'],
  ["1664x0", 'as in "1328*1328"'],
])("the size %j is refused with a right one: %s", (size, example) => {
  const [problem] = checkInputs(imageInputs, { ...right, size }, none);
  expect(problem?.reason).toBe(`is ${JSON.stringify(size)}; it must be width and height joined by *, ${example}`);
});

test.each<[what: string, olds: Partial<ImageInputs>, change: object, unknown: string[], problem: RegExp | undefined]>([
  [
    "the prompt and the size",
    { adoptTask: "t" },
    { prompt: "b", size: "1*1" },
    [],
    /^is set, and prompt, size changed:/,
  ],
  ["what is free", { adoptTask: "t" }, { saveTo: "covers" }, [], undefined],
  ["a prompt that is not known yet", { adoptTask: "t" }, { prompt: undefined }, ["prompt"], undefined],
  [
    "the size, beside a prompt that is not known yet",
    { adoptTask: "t" },
    { size: "1*1" },
    ["prompt"],
    /^is set, and size changed/,
  ],
  ["the prompt, and adoptTask is taken out", { adoptTask: "t" }, { prompt: "b", adoptTask: undefined }, [], undefined],
  ["the prompt, and the task to adopt", { adoptTask: "t" }, { prompt: "b", adoptTask: "u" }, [], undefined],
  ["the prompt, without adoptTask", {}, { prompt: "b" }, [], undefined],
])("a change of an image whose task was adopted: %s", (_, adopted, change, unknown, problem) => {
  const olds = { ...right, ...adopted };
  const expected = problem === undefined ? undefined : (expect.stringMatching(problem) as string);
  expect(adoptedTaskProblem(olds, { ...olds, ...change }, new Set(unknown))).toEqual(expected);
});

test.each<[what: string, change: Partial<ImageInputs>, unknown: string[], replaces: string[], updates: string[]]>([
  [
    "everything that is paid for",
    {
      ...{ model: "svc-image", prompt: "A whale", negativePrompt: "a", size: "1*1", n: 2 },
      ...{ promptExtend: true, watermark: true, triggers: [1] },
    },
    [],
    ["model", "prompt", "negativePrompt", "size", "n", "promptExtend", "watermark", "triggers"],
    [],
  ],
  [
    "what is free",
    { saveTo: "a", timeoutSeconds: 1, adoptTask: "b" },
    [],
    [],
    ["saveTo", "timeoutSeconds", "adoptTask"],
  ],
  ["what is not known yet", {}, ["prompt", "saveTo"], ["prompt"], ["saveTo"]],
])("what a change does: %s", (_, change, unknown, replaces, updates) => {
  expect(changedInputs(imageInputs, "replaces", right, { ...right, ...change }, new Set(unknown))).toEqual(replaces);
  expect(changedInputs(imageInputs, "updates", right, { ...right, ...change }, new Set(unknown))).toEqual(updates);
});

test("triggers are compared by what they hold, and null is the same as left out", () => {
  expect(
    changedInputs(imageInputs, "replaces", { ...right, triggers: [1, "a"] }, { ...right, triggers: [1, "a"] }, none),
  ).toEqual([]);
  expect(changedInputs(imageInputs, "replaces", { ...right, size: null }, right, none)).toEqual([]);
});

test("what the service is seen to do without promising it is a warning", () => {
  expect(imageWarnings(right)).toEqual([]);
  expect(imageWarnings({ prompt: "a".repeat(800), negativePrompt: "b".repeat(500), n: 1 })).toEqual([]);
  for (const size of ["1664*928", "1472*1104", "1328*1328", "1104*1472", "928*1664"])
    expect(imageWarnings({ ...right, size })).toEqual([]);
  // Inputs that are not known yet.
  expect(imageWarnings({})).toEqual([]);
  expect(imageWarnings({ prompt: "a".repeat(801), negativePrompt: "b".repeat(501), size: "512*512", n: 4 })).toEqual([
    expect.stringMatching(/^the prompt has 801 characters; .* after 800$/),
    expect.stringMatching(/^the negative prompt has 501 characters; .* after 500$/),
    expect.stringContaining("512*512"),
    expect.stringContaining("n is 4"),
  ]);
  expect(imageWarnings({ prompt: "a", size: "0*10" })).toEqual([expect.stringContaining("0*10")]);
});

const settleMs = 60_000;
test.each<[statuses: string, seconds: number[], progress: string]>([
  ["QUEUED PROCESSING IN_PROGRESS DANCING", [0, 10, 20, 900], "waiting"],
  ["UNKNOWN UNKNOWN", [0, 59], "waiting"],
  ["UNKNOWN UNKNOWN", [0, 60], "doubtful"],
  ["unknown Canceled CANCELLED", [0, 30, 60], "doubtful"],
  ["UNKNOWN RUNNING UNKNOWN", [0, 50, 100], "waiting"],
  ["RUNNING UNKNOWN UNKNOWN", [0, 50, 100], "waiting"],
  ["UNKNOWN RUNNING UNKNOWN UNKNOWN", [0, 50, 100, 160], "doubtful"],
  ["CANCELED CANCELED SUCCEEDED", [0, 50, 100], "succeeded"],
  ["EXPIRED TERMINATED REJECTED", [0, 50, 900], "waiting"],
])("a task that was seen as %s, at the seconds %j, is %s", (statuses, seconds, progress) => {
  const history = statuses.split(" ").map((status, index) => ({ status, atMs: Number(seconds[index]) * 1000 }));
  expect(taskProgress(history, settleMs)).toBe(progress);
});

test.each([
  ["SUCCEEDED", "succeeded"],
  ["failed", "failed"],
  [" SUCCEEDED\n", "succeeded"],
  ["UNKNOWN", "waiting"],
  ["anything", "waiting"],
])("a status that was seen once, %j, is %s", (status, progress) => {
  expect(taskProgress(status)).toBe(progress);
});

test("a task that nobody has looked up is waited for, and so is a doubtful one without a second look", () => {
  expect(taskProgress([], 0)).toBe("waiting");
  expect(taskProgress([{ status: "UNKNOWN", atMs: 0 }], 0)).toBe("waiting");
});

test.each([
  [" canceled\n", true],
  ["UNKNOWN_STEP", false],
  ["NOT_CANCELED", false],
])("the status %j is doubtful: %s", (status, doubtful) => {
  expect(isDoubtful(status)).toBe(doubtful);
});

test("one run waits for an image as long as the program says, or 15 minutes", () => {
  expect([timeoutMsOf({ timeoutSeconds: 0.5 }), timeoutMsOf({})]).toEqual([500, 900_000]);
});

test.each([
  ["an address alone", { url: "https://a" }, true],
  ["fetched", { url: "https://a", sha256: "b" }, false],
  ["failed", { error: "c" }, false],
  ["in the response itself, which has no address", {}, true],
  ["in the response itself, and read", { sha256: "b" }, false],
])("an image yet to be fetched: %s", (_, image, unfetched) => {
  expect(needsDownload(image)).toBe(unfetched);
});

const day = 24 * 3600 * 1000;
const noon = Date.parse("2026-11-21T12:00:00Z");
test.each<[what: string, urls: string[], seenAtMs: number | undefined, expiry: string | undefined]>([
  ["a day after they were seen", ["https://a/1.png"], noon, "2026-11-22T12:00:00.000Z"],
  ["as they say", [`https://a/1.png?Expires=${noon / 1000}&Signature=x`], noon, "2026-11-21T12:00:00.000Z"],
  ["no later than a day", [`https://a/1.png?Expires=${(noon + 2 * day) / 1000}`], noon, "2026-11-22T12:00:00.000Z"],
  [
    "as the first says",
    ["https://a/1.png?Expires=1800000000", "https://a/2.png?Expires=1700000000"],
    undefined,
    "2023-11-14T22:13:20.000Z",
  ],
  ["in another form", ["https://a/1.png?Expires=soon"], undefined, undefined],
  ["in milliseconds, which the service never wrote", ["https://a/1.png?Expires=1700000000000"], undefined, undefined],
  ["nothing known", [], undefined, undefined],
])("when URLs expire: %s", (_, urls, seenAtMs, expiry) => {
  expect(expiryOf(urls, seenAtMs)).toBe(expiry);
});

test.each([
  ["that was not downloaded yet", {}, false],
  ["of a size, and without a hash", { bytes: 0 }, true],
  ["that is whole", { bytes: 9, sha256: "a" }, false],
  ["of an earlier release", { sha256: "a" }, false],
])("an image %s has come damaged: %s", (_, facts, damaged) => {
  expect(hasComeDamaged(facts)).toBe(damaged);
});

test.each([
  ["before", { expiresAt: "2026-11-21T12:00:00.001Z" }, false],
  ["at that time", { expiresAt: "2026-11-21T12:00:00.000Z" }, true],
  ["before the task has succeeded", {}, false],
])("URLs are expired: %s", (_, state, expired) => {
  expect(isExpired(state, noon)).toBe(expired);
});

test.each([
  ["nowhere", {}, false, /kept nowhere, and their URLs expire in a day/],
  ["nowhere, in a pipeline", {}, true, /kept nowhere/],
  ["a folder", { saveTo: "covers" }, false, undefined],
  ["a folder, in a pipeline", { saveTo: "covers" }, true, /folder of this machine.*s3:\/\/bucket/],
  ["a bucket, in a pipeline", { saveTo: "s3://covers" }, true, undefined],
])("what is said of images that are kept in %s", (_, inputs, inPipeline, hint) => {
  const expected = hint === undefined ? undefined : (expect.stringMatching(hint) as string);
  expect(storageHint(inputs, inPipeline)).toEqual(expected);
});

test.each([
  ["../../etc/passwd", "_etc_passwd-1-0123456789ab.png"],
  ["cover", "cover-1-0123456789ab.png"],
  ["a".repeat(100), `${"a".repeat(80)}-1-0123456789ab.png`],
  ["", "image-1-0123456789ab.png"],
])("the file of %j stays in its folder, and its name has the content's hash", (name, file) => {
  expect(imageFileName(name, 0, "0123456789abcdef", "png")).toBe(file);
});

test.each([
  ["cover-1-0123456789ab.png", true],
  ["former_Name-1-0123456789ab.png", true],
  ["cover-2-0123456789ab.png", false],
  ["-1-0123456789ab.png", false],
  [".cover-1-0123456789ab.png", false],
  ["covers/cover-1-0123456789ab.png", false],
  ["cover-1-0123456789ab.png.sh", false],
])("%j can be the file of an image: %j", (file, expected) => {
  expect(isImageFileName(file, 0, "0123456789abcdef", "png")).toBe(expected);
});

test("a hash that is none leads to no other folder", () => {
  expect(imageFileName("cover", 0, "/../../a0b", "png")).toBe("cover-1-a0b.png");
});

test.each([
  ["90s", 90],
  ["1h30m", 5400],
  ["1.25m", 75],
  ["250ms", 0.25],
  ["about 5m", undefined],
  ["5m or so", undefined],
  ["", undefined],
])("a duration of %j is %j seconds", (duration, seconds) => {
  expect(durationSeconds(duration)).toBe(seconds);
});

test("the key of a task depends on everything that is paid for, in an order that never changes", () => {
  const all = { ...right, negativePrompt: "a", size: "1*1", n: 2, promptExtend: true, watermark: false, triggers: [1] };
  const paid = ["svc-image-plus", "A lighthouse", "a", "1*1", 2, true, false, [1]];
  expect(replacingValues(imageInputs, { ...all, saveTo: "covers", timeoutSeconds: 1 })).toEqual(paid);
});

describe("what a preview knows of the pictures after an update", () => {
  const image = { url: "https://images.example/1", sha256: "ab", file: "covers/a.png" };
  const made = { ...right, taskId: "t", taskStatus: "SUCCEEDED", images: [image], saveTo: "covers" } as ImageOutputs;
  test.each<[what: string, olds: Partial<ImageOutputs>, saveTo: unknown, planned: object]>([
    ["the same place", {}, "./covers", { images: [image] }],
    ["another place", {}, "pictures", { images: [{ ...image, file: unknownValue }] }],
    ["a place that is not known yet", {}, unknownValue, { images: [{ ...image, file: unknownValue }] }],
    ["no place any more", {}, undefined, { images: [{ ...image, file: undefined }] }],
    ["a picture that is yet to come", { images: [{ url: "u" }, image] }, "covers", { images: [unknownValue, image] }],
    ["a picture that failed", { images: [{ error: "blocked" }] }, "covers", { images: [{ error: "blocked" }] }],
    [
      "a task that runs",
      { taskStatus: "PENDING", images: [] },
      "covers",
      { taskStatus: unknownValue, images: unknownValue, expiresAt: unknownValue },
    ],
  ])("%s", (_, olds, saveTo, planned) => {
    expect(plannedImages({ ...made, ...olds }, { saveTo } as { saveTo?: string })).toEqual(planned);
  });
});

test("a folder needs room for uncompressed pictures, of the largest size that the service was seen to choose", () => {
  expect(mostBytes({ size: "10*20", n: 3 })).toBe(2400);
  expect(mostBytes({ size: "10*20" })).toBe(800);
  expect(mostBytes({})).toBe(1328 * 1328 * 4);
});
