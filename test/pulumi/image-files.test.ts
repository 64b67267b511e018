import type * as fsPromises from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Emulator } from "../../provider/emulator";
import type { Props } from "../../provider/src/lifecycle/lifecycle";
import { planVariable } from "../../provider/src/rules/plan-line";
import { emulate } from "../support/emulate";
import { kept } from "../support/kept";
import { newOperation } from "../support/operation";
import { inProgramFolder } from "../support/program-folder";

/** A file belongs to its content: nothing that was paid for is overwritten, and what lies in its place already is taken. */

inProgramFolder();
let emulator: Emulator;
beforeEach(async () => {
  emulator = await emulate();
});
afterEach(() => {
  delete process.env.CI;
});

const none: ReadonlySet<string> = new Set();
const inputs = (changes: Props = {}): Props => ({
  model: "svc-image",
  prompt: "A whale",
  size: "64*48",
  label: "cover-0123456789abcdef",
  saveTo: "covers",
  ...changes,
});
const image = () => newOperation(emulator).image;
const imagesIn = (outs: Props) => outs.images as { file?: string; sha256: string }[];
const fileIn = (outs: Props) => String(imagesIn(outs)[0]?.file);
const hashOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
const downloads = () => emulator.summary().calls.download ?? 0;
const dayMs = 24 * 3600 * 1000;

/** The state two days later, when the URLs are dead. */
function later(outs: Props): Props {
  emulator.advance(2 * dayMs);
  return { ...outs, expiresAt: new Date(Date.now() - 1000).toISOString() };
}

/** Every file that a state names has the hash that the state says. */
function expectAgreement(...states: Props[]): void {
  for (const { file, sha256 } of states.flatMap(imagesIn)) {
    expect(hashOf(String(file))).toBe(sha256);
    expect(basename(String(file))).toContain(sha256.slice(0, 12));
  }
}

test.each<[what: string, make: () => void]>([
  ["is a file", () => writeFileSync("covers", "")],
  ["is in a file", () => writeFileSync("pictures", "")],
  ["is a named pipe", () => void execFileSync("mkfifo", ["covers"])],
  ["is a link to nothing", () => symlinkSync("nowhere", "covers")],
])("a folder that %s is refused before anything is paid for", async (_, make) => {
  make();
  const saveTo = existsSync("pictures") ? "pictures/covers" : "covers";
  const reason = "saving the picture to saveTo failed: a part of the path is not a folder";
  await expect(image().create(inputs({ saveTo }))).rejects.toThrow(reason);
  expect(emulator.summary().tasks).toBe(0);

  // The preview of a new image, and of one that moves there, fails already. That of one that stays asks no folder.
  const failuresAfter = async (olds: Props) => (await image().check(olds, inputs({ saveTo }), none)).failures;
  for (const olds of [{}, inputs({ saveTo: "elsewhere" })])
    expect(await failuresAfter(olds)).toEqual([{ property: "", reason: expect.stringContaining(reason) as string }]);
  expect(await failuresAfter(inputs({ saveTo }))).toEqual([]);
});

test("a preview fails if the disk has no room for the pictures of all its images", async () => {
  const files = jest.requireActual<typeof fsPromises>("node:fs/promises");
  const about = { bavail: 2 * 64 * 48 * 4, blocks: 1, bsize: 1 } as Awaited<ReturnType<typeof fsPromises.statfs>>;
  const statfs = jest.spyOn(files, "statfs").mockImplementation(() => Promise.resolve(about));
  const { image: ofOneOperation } = newOperation(emulator);
  const failures = async (changes: Props) => (await ofOneOperation.check({}, inputs(changes), none)).failures;
  expect(await failures({ label: "one-0123456789abcdef" })).toEqual([]);
  expect(await failures({ label: "two-0123456789abcdef" })).toEqual([]);
  const [failure] = await failures({ label: "three-0123456789abcdef" });
  expect(failure?.reason).toMatch(
    /saving the picture to saveTo failed: the pictures may need 1 MB, .* disk of saveTo has only 1 MB left/,
  );
  // Not every file system counts.
  about.blocks = 0;
  expect(await failures({ label: "four-0123456789abcdef" })).toEqual([]);
  statfs.mockRestore();
});

test("a folder that can't be written is refused before anything is paid for, and a link to one that can be is not", async () => {
  mkdirSync("elsewhere");
  symlinkSync("elsewhere", "link");
  const { outs } = await image().create(inputs({ saveTo: "link" }));
  expectAgreement(outs);
  mkdirSync("covers");
  // Root, who may run this, can write everywhere.
  const files = jest.requireActual<typeof fsPromises>("node:fs/promises");
  const access = jest.spyOn(files, "access").mockRejectedValueOnce(Object.assign(new Error(), { code: "EROFS" }));
  await expect(image().create(inputs({ prompt: "A boat" }))).rejects.toThrow("files can't be written there (EROFS)");
  access.mockRestore();
  expect(emulator.summary().tasks).toBe(1);
});

test("what somebody put in the place of a picture is not overwritten when saveTo comes back to it", async () => {
  const { id, outs } = await image().create(inputs());
  const { outs: moved } = await image().update(id, outs, inputs({ saveTo: "elsewhere" }));
  writeFileSync(fileIn(outs), "edited");
  const { image: again, lines } = newOperation(emulator);
  const { outs: back } = await again.update(id, moved, inputs());
  expect(readFileSync(fileIn(outs), "utf8")).toBe("edited");
  expect(lines.join()).toContain("was changed on this machine: it is not the image that was generated");
  rmSync(fileIn(outs));
  expectAgreement((await image().read(id, back)) as Props);
});

test("saveTo that is taken out and put back after the URLs have died names the same file again, without a download", async () => {
  const { id, outs } = await image().create(inputs());
  const { outs: out } = await image().update(id, later(outs), inputs({ saveTo: undefined }));
  expect(imagesIn(out)[0]).not.toHaveProperty("file");
  expect(existsSync(fileIn(outs))).toBe(true);
  const { outs: back } = await image().update(id, out, inputs());
  expect(back.images).toEqual(outs.images);
  expect(downloads()).toBe(1);
});

test("a picture that lies in the new place already is taken, although this machine does not have the old file", async () => {
  const { id, outs } = await image().create(inputs());
  const moved = join("shared", basename(fileIn(outs)));
  mkdirSync("shared");
  copyFileSync(fileIn(outs), moved);
  rmSync("covers", { recursive: true });
  const { image: work, lines } = newOperation(emulator);
  const { outs: whole } = await work.update(id, later(outs), inputs({ saveTo: "shared" }));
  expect(fileIn(whole)).toBe(moved);
  expect([lines, downloads()]).toEqual([[], 1]);
});

test("a picture that was nowhere when it moved is named by a warning, and taken by a refresh once it is there", async () => {
  const { id, outs } = await image().create(inputs());
  const name = basename(fileIn(outs));
  mkdirSync("other-machine");
  copyFileSync(fileIn(outs), join("other-machine", name));
  rmSync("covers", { recursive: true });
  const { image: work, lines } = newOperation(emulator);
  const { outs: lost } = await work.update(id, later(outs), inputs({ saveTo: "shared" }));
  expect(lines).toEqual([
    expect.stringMatching(
      new RegExp(`can't be downloaded: .*If you have the image, put it into saveTo as ${name}, and refresh`),
    ),
  ]);

  mkdirSync("shared");
  writeFileSync(join("shared", name), "something else");
  expect(imagesIn((await image().read(id, lost)) ?? {})[0]).not.toHaveProperty("file");
  copyFileSync(join("other-machine", name), join("shared", name));
  const found = (await image().read(id, lost)) ?? {};
  expect(fileIn(found)).toBe(`shared/${name}`);
  expect(await image().diff(id, found, inputs({ saveTo: "shared" }), none)).toEqual({ replaces: [], updates: false });
});

test("another folder that could not be filled is tried again by the next update", async () => {
  const { id, outs } = await image().create(inputs({ saveTo: "one" }));
  rmSync("one", { recursive: true });
  emulator.setFaults([{ kind: "500", on: ["download"] }]);
  const { outs: half } = await kept(image().update(id, outs, inputs({ saveTo: "two" })));
  expect(half).toMatchObject({ saveTo: "one", images: outs.images });

  emulator.setFaults([]);
  expect(await image().diff(id, half, inputs({ saveTo: "two" }), none)).toEqual({ replaces: [], updates: true });
  const { outs: whole } = await image().update(id, half, inputs({ saveTo: "two" }));
  expect(whole.images).toEqual([expect.objectContaining({ file: `two/${basename(fileIn(outs))}` })]);
  expect(existsSync(join("two", basename(fileIn(outs))))).toBe(true);
  expect(emulator.summary().calls.submit).toBe(1);
});

test("a picture that can't be read in its old place, and whose URL is dead, stays named by the state", async () => {
  const { id, outs: made } = await image().create(inputs({ saveTo: "one" }));
  const outs = later(made);
  const name = basename(fileIn(made));
  renameSync(join("one", name), "kept.png");
  mkdirSync(join("one", name));
  const { outs: half, message } = await kept(image().update(id, outs, inputs({ saveTo: "two" })));
  expect(message).toMatch(/reading the picture from saveTo failed: at the picture's path, there is no regular file/);
  expect(half).toMatchObject({ saveTo: "one", images: outs.images });

  rmSync("one", { recursive: true });
  mkdirSync("one");
  renameSync("kept.png", join("one", name));
  const { outs: whole } = await image().update(id, half, inputs({ saveTo: "two" }));
  expect(whole.images).toEqual([expect.objectContaining({ file: `two/${name}` })]);
  expect(existsSync(join("two", name))).toBe(true);
});

describe("a refresh", () => {
  test.each<[how: string, lose: (file: string) => void]>([
    ["removed", (file) => rmSync(file)],
    ["emptied", (file) => writeFileSync(file, "")],
  ])("saves a file again that was %s, while its URL works; to a preview it is no difference", async (_, lose) => {
    const { id, outs } = await image().create(inputs());
    lose(fileIn(outs));
    const calls = emulator.ledger().length;
    expect(await image().diff(id, outs, inputs(), none)).toEqual({ replaces: [], updates: false });
    expect(emulator.ledger()).toHaveLength(calls);
    const { image: work, lines } = newOperation(emulator);
    expect(await work.read(id, outs)).toEqual(outs);
    expect(lines).toEqual([`cloudvoice: cover: ${basename(fileIn(outs))} was missing and is saved again`]);
    expectAgreement(outs);
  });

  const planOf = async (id: string, outs: Props) => {
    const { image: work, lines } = newOperation(emulator, {}, { environment: { [planVariable]: "1" } });
    expect(await work.read(id, outs)).toEqual(outs);
    expect(downloads()).toBe(1);
    return lines.join("\n");
  };

  test("in a pipeline, whose runner has no files of earlier runs, a review finds no missing file in a folder", async () => {
    const { id, outs } = await image().create(inputs());
    const name = basename(fileIn(outs));
    rmSync(fileIn(outs));
    expect(await planOf(id, outs)).toContain(name);
    process.env.CI = "true";
    expect(await planOf(id, outs)).not.toContain(name);
    // A refresh saves it there again, as everywhere.
    const { image: work, lines } = newOperation(emulator);
    expect(await work.read(id, outs)).toEqual(outs);
    expect(lines).toEqual([`cloudvoice: cover: ${name} was missing and is saved again`]);
    expectAgreement(outs);
  });

  test.each([
    ["another size", (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("more")])],
    ["the same size", (bytes: Buffer) => Buffer.from(bytes.map((byte) => byte ^ 1))],
  ])("reports a file that somebody changed to another content of %s, and leaves it as it is", async (_, change) => {
    const { id, outs } = await image().create(inputs());
    const changed = change(readFileSync(fileIn(outs)));
    writeFileSync(fileIn(outs), changed);
    const { image: work, lines } = newOperation(emulator);
    expect(await work.read(id, outs)).toEqual(outs);
    expect(lines).toEqual([
      expect.stringMatching(/warning: cover: .* was changed on this machine.*move the file away/),
    ]);
    expect(readFileSync(fileIn(outs)).equals(changed)).toBe(true);
    expect(downloads()).toBe(1);
  });
});

describe("a state that somebody else wrote", () => {
  const forged = (outs: Props, image: Props, more: Props = {}): Props => ({
    ...outs,
    ...more,
    images: [{ ...(outs.images as Props[])[0], ...image }],
  });

  // test/rules/image.test.ts has other names.
  test.each([
    ["outside the folder", "../outside/.bash_profile"],
    ["with the name of another picture", "covers/cover-1-0123456789ab.png"],
  ])("makes neither a refresh nor an update write a file %s", async (_, file) => {
    const { id, outs } = await image().create(inputs());
    const state = forged(outs, { file });
    for (const attempt of [
      () => image().read(id, state),
      () => image().update(id, state, inputs({ saveTo: "elsewhere" })),
    ])
      await expect(attempt()).rejects.toThrow(
        /for image 1, the state names a file that this package would not write.*backup/,
      );
    expect([existsSync(file), existsSync("../outside"), existsSync("elsewhere")]).toEqual([false, false, false]);
    expect(downloads()).toBe(1);
  });

  test("can't lead out of the folder by its hash", async () => {
    const { id, outs } = await image().create(inputs());
    writeFileSync("priv.png", "mine");
    const { image: work, lines } = newOperation(emulator);
    const sha256 = "/../../priv";
    const found = (await work.read(id, forged(outs, { sha256, file: undefined }))) ?? {};
    await work.update(id, forged(outs, { sha256, file: undefined }), inputs({ saveTo: "elsewhere" }));
    expect(`${JSON.stringify(found)} ${lines.join()}`).not.toMatch(/"file":|was changed/);
  });

  test("of a renamed resource is no such state", async () => {
    const { id, outs } = await image().create(inputs());
    const file = `covers/former-${basename(fileIn(outs)).replace(/^cover-/, "")}`;
    copyFileSync(fileIn(outs), file);
    const state = forged(outs, { file });
    expect(await image().read(id, state)).toEqual(state);
  });

  test("has no content read through a link that leads out of the folder", async () => {
    const { id, outs } = await image().create(inputs());
    copyFileSync(fileIn(outs), "private.png");
    rmSync(fileIn(outs));
    symlinkSync(resolve("private.png"), fileIn(outs));
    const { image: work, lines } = newOperation(emulator);
    expect(await work.read(id, outs)).toEqual(outs);
    expect(lines.join()).toContain("path leads out of saveTo, e.g. by a link");
  });
});

test("an absolute saveTo names a folder that is relative to the provider's, so the program may run in another", async () => {
  const { inputs: checked } = await image().check({}, inputs({ saveTo: resolve("..", "pictures") }), none);
  expect(checked.saveTo).toBe("../pictures");
  const { outs } = await image().create(checked);
  expect(existsSync(join(resolve("..", "pictures"), basename(fileIn(outs))))).toBe(true);
});

test("no line repeats a saveTo, which may be secret", async () => {
  const { image: work, lines } = newOperation(emulator);
  const { id, outs } = await work.create(inputs({ saveTo: "canary" }));
  writeFileSync(fileIn(outs), "changed");
  await work.read(id, outs);
  rmSync("canary", { recursive: true });
  await work.read(id, outs);
  rmSync("canary", { recursive: true });
  await work.read(id, later(outs));
  writeFileSync("canary", "a file");
  await work.read(id, outs);
  expect(lines.join("\n")).toMatch(/was changed[^]*is saved again[^]*has expired/);
  expect(lines.join("\n")).not.toContain("canary");
});
