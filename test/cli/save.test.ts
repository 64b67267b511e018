import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describeThrown } from "../../provider/src/describe-thrown";
import { saveReview } from "../../provider/src/cli/review/command";
import { fakePulumi } from "../support/fake-pulumi";
import { put, temporaryFolder } from "../support/files";
import { run } from "./command";

afterEach(() => jest.restoreAllMocks());

const preview = { steps: [], changeSummary: { same: 1 }, diagnostics: [] };

test("review --save replaces a link or a named pipe in the file's place, and opens neither", async () => {
  fakePulumi([]);
  const folder = temporaryFolder();
  const own = put(folder, "notes.txt", "mine");
  const [linked, pipe] = [join(folder, "linked.md"), join(folder, "pipe.json")];
  symlinkSync(own, linked);
  execFileSync("mkfifo", [pipe]);
  const file = put(folder, "preview.json", JSON.stringify(preview));
  await run("review", file, "--save", linked, "--save", pipe);
  expect(readFileSync(own, "utf8")).toBe("mine");
  expect(readFileSync(linked, "utf8")).toMatch(/^<!-- cloudvoice-review/);
  expect(JSON.parse(readFileSync(pipe, "utf8"))).toMatchObject({ changes: [] });
  expect([linked, pipe].map((path) => lstatSync(path).isFile())).toEqual([true, true]);
  expect(readdirSync(folder).sort()).toEqual(["linked.md", "notes.txt", "pipe.json", "preview.json"]);
});

test("a folder of --save that does not exist is named before the stack is previewed", async () => {
  const calls = fakePulumi([]);
  const file = join(temporaryFolder(), "reviews", "review.md");
  await expect(run("review", "--save", file)).rejects.toThrow(
    `The folder of --save ${file} does not exist. Create the folder, or name another file.`,
  );
  expect(calls()).toEqual([""]);
});

test("an error of --save names the file that the user gave, and leaves no other", async () => {
  fakePulumi([]);
  const folder = temporaryFolder();
  const file = put(folder, "preview.json", JSON.stringify(preview));
  const taken = join(folder, "review.md");
  mkdirSync(taken);
  const error: unknown = await run("review", file, "--save", taken).catch((thrown: unknown) => thrown);
  expect(describeThrown(error).message).toMatch(`${taken}: illegal operation on a directory`);
  expect(readdirSync(folder).sort()).toEqual(["preview.json", "review.md"]);
});

test("a page with recordings can be read by its owner only, also if the file was there before", () => {
  const folder = temporaryFolder();
  const page = put(folder, "review.html", "before");
  saveReview(page, "with voices", { hasRecordings: true });
  saveReview(join(folder, "review.md"), "without", { hasRecordings: true });
  expect([statSync(page).mode & 0o777, statSync(join(folder, "review.md")).mode & 0o044]).toEqual([0o600, 0o044]);
  expect(readFileSync(page, "utf8")).toBe("with voices");
});
