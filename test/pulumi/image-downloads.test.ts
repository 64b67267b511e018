import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../provider/emulator";
import type { Props } from "../../provider/src/lifecycle/lifecycle";
import { emulate } from "../support/emulate";
import { put } from "../support/files";
import { inFrontOf } from "../support/in-front";
import { kept } from "../support/kept";
import { newOperation } from "../support/operation";
import { picture, withPictures } from "../support/pictures";
import { inProgramFolder } from "../support/program-folder";
import { serve } from "../support/serve";

/** The pictures of a paid task, however their download goes: they are fetched whole, by this run or a later one. */

const folder = inProgramFolder();
let emulator: Emulator;
beforeEach(async () => {
  emulator = await emulate();
});
afterEach(() => {
  delete process.env.CI;
});

const saveTo = "covers";
const inputs = (changes: Props = {}): Props => ({
  model: "svc-image",
  prompt: "A whale",
  label: "cover-863a863a863a863a",
  saveTo,
  ...changes,
});
const none: ReadonlySet<string> = new Set();
const submissions = () => emulator.summary().tasks;
const files = () => readdirSync(saveTo).sort();
/** The first image's file. Its name contains the hash of the content. */
const fileOf = (outs: Props) => (outs.images as { file: string }[])[0]!.file;
const pictureFile = `cover-1-${createHash("sha256").update(picture).digest("hex").slice(0, 12)}.png`;

test("a URL that is refused within its day is tried again by every run, and only then given up, with one line", async () => {
  const plan: Parameters<typeof withPictures>[1] = ["dead"];
  const { service, seen } = await withPictures(emulator, plan);
  const image = () => newOperation(service).image;
  let { id, outs, message } = await kept(image().create(inputs()));
  for (let runs = 0; runs < 2; runs++) {
    expect(message).toMatch(/image URL is dead \(HTTP 403\).*next update tries again.*kept, and not submitted again/);
    expect(await image().diff(id, outs, inputs(), none)).toEqual({ replaces: [], updates: true });
    ({ id, outs, message } = await kept(image().update(id, outs, inputs())));
  }
  const expired = { ...outs, expiresAt: new Date(Date.now() - 1000).toISOString() };
  const { image: last, lines } = newOperation(service);
  const { outs: over } = await last.update(id, expired, inputs());
  expect(over.images).toEqual([
    expect.objectContaining({ error: expect.stringMatching(/URL is dead/) as string }) as unknown,
  ]);
  expect(lines).toEqual([expect.stringMatching(/warning: cover: image 1 can't be downloaded/)]);
  expect(await image().diff(id, over, inputs(), none)).toEqual({ replaces: [], updates: false });

  plan[0] = "whole";
  const { outs: whole } = await image().update(id, outs, inputs());
  expect(whole.images).toEqual([expect.objectContaining({ file: `covers/${pictureFile}`, width: 64 })]);
  expect([submissions(), seen.length]).toEqual([1, 5]);
});

test.each(["reset", "short"] as const)("a download that meets a %s is repeated in the same run", async (odd) => {
  const { service, seen } = await withPictures(emulator, [odd, "whole"]);
  await newOperation(service, { maxRetries: "1" }).image.create(inputs());
  expect(seen).toHaveLength(2);
  expect(readFileSync(join("covers", pictureFile)).equals(picture)).toBe(true);
});

test.each([
  ["reset", {}, /downloading the image failed: the image was cut short.*Run the command again later/],
  ["short", {}, /downloading the image failed: the image is cut short or damaged: \d+ bytes came/],
  ["trickle", { timeoutSeconds: 0.3 }, /the image did not arrive within timeoutSeconds/],
  ["page", {}, /not an image.*kept, and not submitted again/],
  ["damaged", {}, /cut short or damaged: \d+ bytes came.*tries again, at no cost, and then keeps the image/],
] as const)("a download that ends in a %s stores nothing and keeps the task", async (odd, changes, why) => {
  const plan: Parameters<typeof withPictures>[1] = [odd];
  const { service } = await withPictures(emulator, plan);
  const { id, outs, message } = await kept(newOperation(service).image.create(inputs(changes)));
  expect(message).toMatch(why);
  expect(message).not.toMatch(/saveTo/);
  plan[0] = "whole";
  const { outs: whole } = await newOperation(service).image.update(id, outs, inputs({ timeoutSeconds: 60 }));
  expect(whole.images).toEqual([expect.not.objectContaining({ error: expect.anything() as unknown })]);
  expect(files()).toEqual([pictureFile]);
  expect(submissions()).toBe(1);
});

test.each([
  ["page", /: .*not an image.*\. Its URL stays an output, and works until \d{4}-\d\d-\d\dT[0-9:.]+Z$/],
  ["reset", /: the image was cut short: .*\. Its URL stays an output, and works until \d{4}-\d\d-\d\dT[0-9:.]+Z$/],
  ["dead", /: the image URL is dead$/],
] as const)("without saveTo, a download that ends in a %s is a true warning, and the URL stays", async (odd, why) => {
  const { service } = await withPictures(emulator, [odd]);
  const { image, lines } = newOperation(service);
  const { id, outs } = await image.create(inputs({ saveTo: undefined }));
  expect(outs.images).toEqual([expect.objectContaining({ url: expect.stringMatching(/^http/) as string })]);
  const warnings = lines.filter((line) => line.includes("warning"));
  expect(warnings).toEqual([expect.stringMatching(/warning: cover: the image can't be downloaded/)]);
  expect(warnings[0]).toMatch(why);
  expect(await image.diff(id, outs, inputs({ saveTo: undefined }), none)).toEqual({ replaces: [], updates: false });
});

test("an image that comes damaged in two runs is saved as it is, and the update succeeds with a warning", async () => {
  const { service, seen } = await withPictures(emulator, ["damaged"]);
  const first = await kept(newOperation(service, { maxRetries: "5" }).image.create(inputs()));
  expect([existsSync(saveTo), seen.length]).toEqual([false, 2]);
  const { image, lines } = newOperation(service, { maxRetries: "5" });
  expect(await image.diff(first.id, first.outs, inputs(), none)).toEqual({ replaces: [], updates: true });
  const { outs } = await image.update(first.id, first.outs, inputs());
  const [file = ""] = files();
  expect(file).toMatch(/^cover-1-[0-9a-f]{12}\.damaged\.png$/);
  expect(outs.images).toEqual([
    expect.objectContaining({
      file: `covers/${file}`,
      contentType: "image/png",
      sha256: createHash("sha256")
        .update(readFileSync(join(saveTo, file)))
        .digest("hex"),
      error: expect.stringMatching(/^the image is cut short or damaged/) as string,
    }),
  ]);
  expect(lines).toEqual([
    expect.stringMatching(/warning: cover: image 1 is cut short or damaged: .* as cover-1-.*damaged/),
  ]);
  expect(await image.diff(first.id, outs, inputs(), none)).toEqual({ replaces: [], updates: false });
  await image.read(first.id, outs);
  expect([files(), seen.length, submissions()]).toEqual([[file], 4, 1]);
});

test("an image that comes damaged shortly before its URL expires is saved at once", async () => {
  const plan: Parameters<typeof withPictures>[1] = ["dead"];
  const { service } = await withPictures(emulator, plan);
  const { id, outs } = await kept(newOperation(service).image.create(inputs()));
  plan[0] = "damaged";
  const soon = { ...outs, expiresAt: new Date(Date.now() + 600_000).toISOString() };
  const { lines, image } = newOperation(service);
  await image.update(id, soon, inputs());
  expect(files()).toEqual([expect.stringMatching(/\.damaged\.png$/)]);
  expect(lines).toHaveLength(1);
});

test("what is no picture that was expected is saved as it came, and a warning says what it seems to be", async () => {
  const { service } = await withPictures(emulator, ["unexpected"]);
  const { image, lines } = newOperation(service);
  const { id, outs } = await image.create(inputs());
  expect(files()).toEqual([expect.stringMatching(/^cover-1-[0-9a-f]{12}\.jxl$/)]);
  expect(lines.join()).toMatch(/image 1 has an unexpected format: it seems to be JXL .*saved unchanged, as cover/);
  expect(await image.diff(id, outs, inputs(), none)).toEqual({ replaces: [], updates: false });
});

describe("of a task that names more than it was asked for", () => {
  const namingImages = (count: number, at: string) =>
    inFrontOf(emulator, ({ request, answer }) => {
      if (!request.url?.startsWith("/api/v1/tasks/")) return undefined;
      const results = Array.from({ length: count }, (_, index) => ({ url: `${at}/a.png?image=${index}` }));
      return { answer: answer.replace(/"results":\[.*?\]/, `"results":${JSON.stringify(results)}`) };
    });

  test.each([
    [1, 1],
    [3, 3],
    [undefined, 16],
  ])("with n: %j, %i images are saved, and a warning says that the others are left out", async (n, expected) => {
    const { url, requests } = await serve((_, response) => response.end(picture));
    const { image, lines } = newOperation(await namingImages(300, url));
    const { outs } = await image.create(inputs({ n }));
    expect(outs.images).toHaveLength(expected);
    expect(lines.join()).toMatch(new RegExp(`has 300 images, but at most ${expected} are expected \\(n\\)`));
    expect(requests).toHaveLength(expected);
  });

  test("no more is downloaded than 256 MB together", async () => {
    const large = Buffer.concat([picture, Buffer.alloc(63 * 2 ** 20)]);
    const { url, requests } = await serve((_, response) => response.end(large));
    const { image, lines } = newOperation(await namingImages(16, url));
    const { id, outs } = await image.create(inputs({ n: 16, saveTo: undefined }));
    expect(requests).toHaveLength(5);
    expect(outs.images).toContainEqual(
      expect.objectContaining({ error: "the images of the task have more than 256 MB" }),
    );
    expect(lines.join()).toContain("image 6 is not downloaded: the images of the task have more than 256 MB");
    await image.update(id, outs, inputs({ n: 16, saveTo: undefined }));
    expect(requests).toHaveLength(5);
  });
});

test("a folder in the file's place is reported without an absolute path, and leaves no other file", async () => {
  const { service } = await withPictures(emulator, ["whole"]);
  mkdirSync(join("covers", pictureFile), { recursive: true });
  const { outs, message } = await kept(newOperation(service).image.create(inputs()));
  expect(message).toMatch(/saveTo: files can't be written there \(EISDIR\)/);
  expect(JSON.stringify([message, outs])).not.toContain(folder());
  expect(files()).toEqual([pictureFile]);
});

test("nothing outside saveTo is written through a link that stands in a file's place", async () => {
  const { service } = await withPictures(emulator, ["whole"]);
  const own = put(folder(), "notes.txt", "mine");
  mkdirSync("covers");
  for (const name of [`.${pictureFile}.part`, pictureFile]) symlinkSync(own, join("covers", name));
  await newOperation(service).image.create(inputs());
  expect(readFileSync(own, "utf8")).toBe("mine");
  expect(lstatSync(join("covers", pictureFile)).isFile()).toBe(true);
});

test("a named pipe in a file's place is replaced, and hangs neither a create nor a refresh nor a move", async () => {
  const { service } = await withPictures(emulator, ["whole"]);
  mkdirSync("covers");
  const file = join("covers", pictureFile);
  const pipe = () => execFileSync("mkfifo", [file]);
  pipe();
  const { image } = newOperation(service);
  const { id, outs } = await image.create(inputs());
  expect(lstatSync(file).isFile()).toBe(true);

  rmSync(file);
  pipe();
  await image.read(id, outs);
  expect(lstatSync(file).isFile()).toBe(true);

  rmSync(file);
  pipe();
  const { outs: moved } = await image.update(id, outs, inputs({ saveTo: "elsewhere" }));
  expect(fileOf(moved)).toBe(`elsewhere/${pictureFile}`);
});

test("a create says where the images are not kept, and under which id the task can be taken over", async () => {
  const { image, lines } = newOperation(emulator);
  const { id } = await image.create(inputs({ saveTo: undefined }));
  expect(lines).toEqual([
    expect.stringMatching(
      /cover: saveTo is not set, so the images are kept nowhere, and their URLs expire in a day.*s3:/,
    ),
    `cloudvoice: cover: submitted as the task ${id}`,
    expect.stringMatching(/SUCCEEDED/),
  ]);
  process.env.CI = "true";
  const pipeline = newOperation(emulator);
  await pipeline.image.create(inputs({ triggers: [1] }));
  expect(pipeline.lines[0]).toMatch(/saveTo is a folder of this machine, .* set saveTo to a bucket: s3:\/\//);
});

describe("of a task whose response has the picture itself, in base64,", () => {
  const base64 = picture.toString("base64");
  const onlyFile = () => readFileSync(join(saveTo, files().join()));
  // test/corpus/task has other forms of such a picture.
  let work: () => ReturnType<typeof newOperation>;
  beforeEach(async () => {
    const service = await inFrontOf(emulator, ({ answer }) => ({
      answer: answer.replace(/"url":"[^"]*"/, `"url":"${base64}"`),
    }));
    work = () => newOperation(service);
  });

  test("it is saved where saveTo says, and neither the state nor a log line has it", async () => {
    const { image, lines } = work();
    const { id, outs } = await image.create(inputs());
    expect(onlyFile()).toEqual(picture);
    expect(outs.images).toMatchObject([{ width: 64, height: 48, file: expect.stringMatching(/^covers\//) as string }]);
    expect((outs.images as object[])[0]).not.toHaveProperty("url");
    expect(JSON.stringify([outs, lines])).not.toContain(base64.slice(0, 60));
    expect(lines.join()).not.toMatch(/warning: cover: the picture/);
    expect(await work().image.diff(id, outs, inputs(), none)).toEqual({ replaces: [], updates: false });
  });

  test("a refresh saves it again if its file is lost, from another look-up of the task", async () => {
    const { id, outs } = await work().image.create(inputs());
    rmSync("covers", { recursive: true });
    const before = emulator.summary().calls.poll ?? 0;
    expect(await work().image.read(id, outs)).toEqual(outs);
    expect([onlyFile(), emulator.summary().calls.poll, submissions()]).toEqual([picture, before + 1, 1]);
  });

  test("without saveTo there is one warning, and setting it saves the picture at no cost", async () => {
    const { image, lines } = work();
    const { id, outs } = await image.create(inputs({ saveTo: undefined }));
    expect(lines.filter((line) => line.includes("came in the response itself"))).toEqual([
      expect.stringMatching(/warning: cover: .*no URL\. Set saveTo within a day.*at no cost/),
    ]);
    expect(await work().image.diff(id, outs, inputs(), none)).toMatchObject({ replaces: [], updates: true });
    const { outs: saved } = await work().image.update(id, outs, inputs());
    expect(saved.images).toMatchObject([{ file: expect.stringMatching(/^covers\//) as string }]);
    expect([onlyFile(), submissions()]).toEqual([picture, 1]);
  });
});

describe("adoptTask", () => {
  test("takes a task over that another machine submitted, and is read at creation only", async () => {
    const { id: task } = await newOperation(emulator).image.create(inputs());
    const { image, lines } = newOperation(emulator);
    const adopting = inputs({ label: "other-0123456789abcdef", adoptTask: task });
    const { id, outs } = await image.create(adopting);
    expect(id).toBe(task);
    expect(fileOf(outs)).toMatch(/^covers\/other-1-[0-9a-f]{12}\.png$/);
    expect(lines).toContain(
      `cloudvoice: other: takes over the task ${task}, as adoptTask says, instead of paying for another`,
    );
    const { adoptTask: _, ...without } = adopting;
    expect((await image.diff(id, outs, without, none)).replaces).toEqual([]);
    expect(submissions()).toBe(1);
  });

  test("of a task that the service does not know is an error, and nothing is submitted or saved", async () => {
    const work = newOperation(emulator, { settleSeconds: "0.05" }).image.create(inputs({ adoptTask: "0-0" }));
    await expect(work).rejects.toThrow(
      /adoptTask: the service reports the image task 0-0 as UNKNOWN.*Remove adoptTask/,
    );
    await expect(work).rejects.not.toHaveProperty("outs");
    expect(submissions()).toBe(0);
  });

  test("refuses a change at preview whose replacement would take over the same task", async () => {
    const { image } = newOperation(emulator);
    const olds = inputs({ adoptTask: "a" });
    const identity = { urn: "urn:pulumi:dev::p::t::cover" };
    const { failures } = await image.check(olds, { ...olds, prompt: "A boat", identity }, none);
    expect(failures).toEqual([
      { property: "adoptTask", reason: expect.stringMatching(/is set, and prompt changed/) as string },
    ]);
  });
});
