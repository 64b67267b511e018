import type * as fs from "node:fs";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../provider/src/service/clock";
import {
  journalInBucket,
  lostJournalHint,
  openJournalStore,
  stateFolder,
} from "../../provider/src/service/journal/open";
import { journalInFolder } from "../../provider/src/service/journal/folder";
import { Journal } from "../../provider/src/service/journal/journal";
import type { JournalStore } from "../../provider/src/service/journal/note";
import { Seal } from "../../provider/src/service/seal";
import { put, temporaryFolder } from "../support/files";
import { journalIn } from "../support/journal";
import { fakeClock } from "../support/service";
import { until } from "../support/until";

const dayMs = 24 * 3600 * 1000;
const nowMs = Date.parse("2026-06-01T12:00:00Z");
const aa = "a".repeat(32);
const bb = "b".repeat(32);
const cc = "c".repeat(32);
const fileOf = (key: string) => `cloudvoice-${key}.json`;
const account = { apiKey: "sk-one", voiceBaseUrl: "https://voices.example" };
const noteOf = (sentAtMs: number) => JSON.stringify({ note: "pulumi-cloudvoice journal", sentAtMs });

/** A journal in a folder, or in another store, as one operation of the engine opens it. */
function open(where: string | JournalStore, atMs = nowMs, of = account, clock: Clock = fakeClock(atMs)) {
  const warnings: string[] = [];
  const store = typeof where === "string" ? journalInFolder(where) : where;
  return { journal: new Journal(store, clock, (line) => warnings.push(line), of), warnings };
}

test("what an operation noted is found by the next one, and by another attempt of its own", async () => {
  const folder = join(temporaryFolder(), "journal");
  const first = open(folder);
  await first.journal.write(aa, { sentAtMs: nowMs });
  await first.journal.write(aa, { sentAtMs: nowMs, id: "v" });
  expect(await first.journal.find(aa)).toEqual({ sentAtMs: nowMs, id: "v" });

  const next = open(folder);
  expect(await next.journal.find(aa)).toEqual({ sentAtMs: nowMs, id: "v" });
  await next.journal.remove(aa);
  expect(readdirSync(folder)).toEqual([]);
  expect([...first.warnings, ...next.warnings]).toEqual([]);
});

test("the note of a voice does not expire, and with another key it counts as none", async () => {
  const folder = temporaryFolder();
  const note = { sentAtMs: nowMs, label: "narrator", before: [], bytes: 0, id: "v" };
  await open(folder).journal.write(aa, note);
  expect(await open(folder, nowMs + 400 * dayMs).journal.find(aa)).toEqual(note);
  const other = open(folder, nowMs, { ...account, apiKey: "sk-two" });
  expect(await other.journal.find(aa)).toBeUndefined();
  expect([other.warnings, readdirSync(folder)]).toEqual([[], [fileOf(aa)]]);
});

test("a note is forgotten after two days, with its file, and so is one from a clock that is far ahead", async () => {
  const folder = temporaryFolder();
  await open(folder).journal.write(aa, { sentAtMs: nowMs });
  await open(folder).journal.write(bb, { sentAtMs: nowMs + dayMs });
  await open(folder).journal.write(cc, { sentAtMs: nowMs + 365 * dayMs });
  const later = open(folder, nowMs + 2 * dayMs).journal;
  expect(await later.find(aa)).toBeUndefined();
  expect(await later.find(bb)).toEqual({ sentAtMs: nowMs + dayMs });
  await until(() => readdirSync(folder).length === 1);
  expect(readdirSync(folder)).toEqual([fileOf(bb)]);
});

test("a note that can't be read hides none of the others, and its own request is asked about", async () => {
  const folder = temporaryFolder();
  await open(folder).journal.write(aa, { sentAtMs: nowMs, id: "other" });
  await open(folder).journal.write(bb, { sentAtMs: nowMs, id: "mine" });
  chmodSync(folder, 0o755);
  chmodSync(join(folder, fileOf(aa)), 0o000);
  chmodSync(join(folder, fileOf(bb)), 0o644);
  const { journal, warnings } = open(folder);
  // For root no file is unreadable.
  const user = process.getuid?.();
  if (user === 0) process.seteuid?.("nobody");
  try {
    expect(await journal.find(bb)).toEqual({ sentAtMs: nowMs, id: "mine" });
    expect(await journal.find(aa)).toEqual({ sentAtMs: nowMs, unproven: true });
  } finally {
    if (user === 0) process.seteuid?.(0);
  }
  expect(warnings.join()).toContain("some notes of the journal can't be read");
});

test("a note that is written while the one before it is removed stays", async () => {
  const store = journalInFolder(temporaryFolder());
  let removeNow: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => (removeNow = resolve));
  const remove = (key: string) => slow.then(() => store.remove(key));
  const { journal } = open({ ...store, remove });
  await journal.write(aa, { sentAtMs: nowMs, id: "v" });
  void journal.forgetId("v");
  await new Promise(setImmediate);
  const writing = journal.write(aa, { sentAtMs: nowMs });
  removeNow();
  await writing;
  expect([...(await store.readAll()).keys()]).toEqual([aa]);
});

test("a disk that fills up while a note is written keeps no part of it", async () => {
  const folder = temporaryFolder();
  const { journal, warnings } = open(folder);
  const full = jest.spyOn(jest.requireActual<typeof fs>("node:fs"), "writeFileSync").mockImplementationOnce((path) => {
    appendFileSync(path, "{");
    throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
  });
  await journal.write(aa, { sentAtMs: nowMs });
  full.mockRestore();
  expect(readdirSync(folder)).toEqual([]);
  expect(warnings.join()).toContain("(ENOSPC)");
});

test("what is known next of a request replaces its note, whole or not at all", async () => {
  const folder = temporaryFolder();
  const { journal, warnings } = open(folder);
  await journal.write(aa, { sentAtMs: nowMs }, true);
  const full = jest.spyOn(jest.requireActual<typeof fs>("node:fs"), "writeFileSync").mockImplementationOnce((path) => {
    appendFileSync(path, "{");
    throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
  });
  await journal.write(aa, { sentAtMs: nowMs, id: "v" });
  full.mockRestore();
  expect(await open(folder).journal.find(aa)).toEqual({ sentAtMs: nowMs });
  expect(warnings.join()).toContain("(ENOSPC)");
  await journal.write(aa, { sentAtMs: nowMs, id: "v" });
  expect(await open(folder).journal.find(aa)).toEqual({ sentAtMs: nowMs, id: "v" });
});

/** What a folder of a project may hold: nothing of it is a note. */
const files: [name: string, content: string][] = [
  ["index.ts", "new CloudVoice()"],
  [".env", "KEY=1"],
  ["id_rsa", "private"],
  ["deadbeef.json", '{"sentAtMs":1}'],
  [`${aa}.json`, noteOf(1)],
  [fileOf("beef"), noteOf(1)],
  [fileOf(aa), '{"sentAtMs":1}'],
  [fileOf(bb), '{ "name": "mine" }'],
  [fileOf(cc), "half {"],
  [".cloudvoice-0123456789abcdef.part", "half {"],
  [`${fileOf(aa)}.12345678`, noteOf(1)],
];

test("nothing in the folder is removed except notes of the journal, however old it is", async () => {
  const folder = temporaryFolder();
  const old = new Date(Date.now() - 3 * dayMs);
  for (const [name, content] of files) utimesSync(put(folder, name, content), old, old);
  const before = readdirSync(folder).sort();
  const { journal, warnings } = open(folder);
  expect(await journal.find(aa)).toBeUndefined();
  await journal.forgetId("v");
  await journal.remove(bb);
  expect(readdirSync(folder).sort()).toEqual(before);
  for (const [name, content] of files) expect(readFileSync(join(folder, name), "utf8")).toBe(content);
  expect(warnings).toEqual([]);
});

test("a whole note that a killed run did not rename is removed after two days", async () => {
  const folder = temporaryFolder();
  const [fresh, old] = [".cloudvoice-0000000000000001.part", ".cloudvoice-0000000000000002.part"];
  put(folder, fresh, noteOf(nowMs));
  const before = new Date(Date.now() - 3 * dayMs);
  utimesSync(put(folder, old, noteOf(nowMs)), before, before);
  await open(folder).journal.find(aa);
  expect(readdirSync(folder)).toEqual([fresh]);
});

test.each<[what: string, found: object | undefined, make: (note: string, own: string) => unknown]>([
  // Its content may be copied, too: without a seal it proves nothing.
  ["file with another name", { sentAtMs: nowMs, unproven: true }, (note, own) => linkSync(own, note)],
  ["link", undefined, (note, own) => symlinkSync(own, note)],
  ["named pipe", undefined, (note) => execFileSync("mkfifo", [note])],
  ["folder", undefined, (note) => mkdirSync(note)],
])(
  "a %s in the place of a note proves nothing, hangs nothing, and is never written into",
  async (what, found, make) => {
    const folder = temporaryFolder();
    const own = put(temporaryFolder(), "own", noteOf(nowMs));
    make(join(folder, fileOf(aa)), own);
    expect(await open(folder).journal.find(aa)).toEqual(found);
    await open(folder).journal.write(aa, { sentAtMs: nowMs, id: "v" });
    if (what !== "folder") expect(await open(folder).journal.find(aa)).toEqual({ sentAtMs: nowMs, id: "v" });
    expect(readFileSync(own, "utf8")).toBe(noteOf(nowMs));
  },
);

test("nothing in a bucket is removed except notes of the journal", async () => {
  const objects = new Map(files);
  objects.set(fileOf("d".repeat(32)), noteOf(1));
  const bucket = {
    deadline: () => new AbortController().signal,
    keys: () => Promise.resolve([...objects.keys()]),
    get: (key: string) => Promise.resolve(objects.has(key) ? Buffer.from(objects.get(key) ?? "") : undefined),
    remove: (key: string) => Promise.resolve(void objects.delete(key)),
    put: () => Promise.resolve(),
  };
  await open(journalInBucket(bucket)).journal.find(aa);
  expect([...objects]).toEqual(files);
});

test("a folder that can't be read or written is a warning that states what is lost, and not an error", async () => {
  const { journal, warnings } = open(put(temporaryFolder(), "journal", "not a folder"));
  await journal.write(aa, { sentAtMs: nowMs });
  expect(await journal.find(bb)).toBeUndefined();
  expect(warnings).toEqual([
    expect.stringMatching(/journal can't be read \(ENOTDIR\)/) as string,
    expect.stringMatching(/journal can't be written \(E\w+\).*may pay again.*cloudvoice:journal/),
  ]);
});

test("only the owner can read the notes", async () => {
  const folder = join(temporaryFolder(), "journal");
  await open(folder).journal.write(aa, { sentAtMs: nowMs });
  expect([statSync(folder).mode & 0o777, statSync(join(folder, fileOf(aa))).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(JSON.parse(readFileSync(join(folder, fileOf(aa)), "utf8"))).toEqual({
    ...(JSON.parse(noteOf(nowMs)) as object),
    seal: expect.any(String) as string,
  });
});

test("the key of a note tells nothing about its parts to whoever lacks the API key, in whatever order they come", () => {
  const [one, two] = ["sk-one", "sk-two"].map((apiKey) => open("/nowhere", nowMs, { ...account, apiKey }).journal);
  expect(one!.keyOf({ a: 1, b: 2 })).toBe(one!.keyOf({ b: 2, a: 1 }));
  const keys = [one!.keyOf("a"), two!.keyOf("a"), one!.keyOf("a", "b"), one!.keyOf("ab")];
  expect(new Set(keys).size).toBe(4);
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
});

test("the folder follows XDG", () => {
  expect(stateFolder({ XDG_STATE_HOME: "/state" })).toBe("/state/pulumi-cloudvoice");
  expect(stateFolder({})).toMatch(/\.local\/state\/pulumi-cloudvoice$/);
  const options = { requestTimeoutMs: 0, maxRetries: 0, programFolder: "." };
  expect(openJournalStore(undefined, options).place).toBe(join(stateFolder(), "journal"));
});

test("a seal whose tag has four bytes proves nothing: it would be guessed in an afternoon", () => {
  const seal = new Seal("sk-one");
  const sealed = Buffer.from(seal.close("", "a gate"), "base64");
  expect([seal.open(sealed.toString("base64"), "a gate"), sealed.length]).toEqual(["", 28]);
  expect(seal.open(sealed.subarray(0, 16).toString("base64"), "a gate")).toBeUndefined();
});

describe("whoever can write the journal, without the key", () => {
  const sealedBy = async (key: string, of = account, id = "v") => {
    const folder = temporaryFolder();
    await open(folder, nowMs, of).journal.write(key, { sentAtMs: nowMs, id });
    return readFileSync(join(folder, fileOf(key)), "utf8");
  };

  test.each<[what: string, forge: () => string | Promise<string>]>([
    ["writes a note without a seal, with an id", () => JSON.stringify({ ...JSON.parse(noteOf(nowMs)), id: "v" })],
    ["puts the note of another request in its place", () => sealedBy(bb)],
    ["seals a note with another key", () => sealedBy(aa, { ...account, apiKey: "sk-two" })],
    ["makes a note younger", async () => (await sealedBy(aa)).replace(`${nowMs}`, `${nowMs - 1}`)],
    [
      "takes the seal off",
      async () => JSON.stringify({ ...JSON.parse(await sealedBy(aa)), seal: undefined, gaveUp: true }),
    ],
    ["damages the seal", async () => (await sealedBy(aa)).replace(/"seal":"..../, '"seal":"AAAA')],
  ])("%s: it shows nothing, and stays until it expires", async (_, forge) => {
    const folder = temporaryFolder();
    put(folder, fileOf(aa), await forge());
    const { journal, warnings } = open(folder);
    expect(await journal.find(aa)).toMatchObject({ unproven: true });
    expect(await journal.awaitOutcome(aa, 60_000, () => undefined)).toMatchObject({ unproven: true });
    await journal.write(bb, { sentAtMs: nowMs }, true);
    expect([warnings, readdirSync(folder)]).toEqual([[], expect.arrayContaining([fileOf(aa), fileOf(bb)])]);
    await open(folder, nowMs + 2 * dayMs).journal.find(aa);
    await until(() => readdirSync(folder).length === 0);
  });
});

test.each([
  ["in a folder that Git tracks", "journal", undefined],
  ["behind a link of the repository", "link", undefined],
  ["under another spelling, on a file system that ignores case,", "journal", `Journal/${fileOf(aa).toUpperCase()}`],
])("a note %s came with a change, and shows nothing; one that Git does not track counts", async (_, name, tracked) => {
  const top = temporaryFolder();
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: top });
  git("init", "--quiet");
  const folder = join(top, "journal");
  await open(folder).journal.write(aa, { sentAtMs: nowMs, id: "v" });
  symlinkSync("journal", join(top, "link"));
  git("add", "--all");
  if (tracked !== undefined) mkdirSync(join(top, "Journal"));
  if (tracked !== undefined) git("mv", `journal/${fileOf(aa)}`, tracked);
  // Such a file system opens the committed file.
  if (tracked !== undefined) renameSync(join(top, tracked), join(folder, fileOf(aa)));
  await open(folder).journal.write(bb, { sentAtMs: nowMs, id: "w" });
  const { journal } = open(join(top, name));
  expect(await journal.find(aa)).toEqual({ sentAtMs: nowMs, unproven: true });
  expect(await journal.find(bb)).toEqual({ sentAtMs: nowMs, id: "w" });
});

test("of a folder that somebody fills, no more is read than of a bucket, and it is said", async () => {
  const folder = temporaryFolder();
  const long = JSON.stringify({ ...JSON.parse(noteOf(nowMs)), seal: "x".repeat(60_000) });
  for (let at = 0; at < 1500; at++) put(folder, fileOf(at.toString(16).padStart(32, "0")), long);
  const texts = [...(await journalInFolder(folder).readAll()).values()];
  expect(texts.reduce((sum, text) => sum + text.length, 0)).toBeLessThan(66 * 2 ** 20);
  const { journal, warnings } = open(folder);
  await journal.find(aa);
  expect(new Set(warnings)).toEqual(new Set([expect.stringContaining("some notes of the journal can't be read")]));
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;
asRoot("Git is also asked about a repository of another user, as in a container", async () => {
  const top = temporaryFolder();
  execFileSync("git", ["init", "--quiet"], { cwd: top });
  const folder = join(top, "journal");
  await open(folder).journal.write(aa, { sentAtMs: nowMs, id: "v" });
  execFileSync("git", ["add", "--all"], { cwd: top });
  await open(folder).journal.write(bb, { sentAtMs: nowMs, id: "w" });
  const [nobody] = [65534];
  for (const path of [top, join(top, ".git")]) chownSync(path, nobody, nobody);
  const { journal, warnings } = open(folder);
  expect(await journal.find(aa)).toEqual({ sentAtMs: nowMs, unproven: true });
  expect(await journal.find(bb)).toEqual({ sentAtMs: nowMs, id: "w" });
  expect(warnings).toEqual([]);
});

describe("if Git can't say whether notes came with a change, they show nothing, and a warning says why", () => {
  const { PATH } = process.env;
  afterEach(() => {
    process.env.PATH = PATH;
  });
  test.each<[string, RegExp, (top: string) => void]>([
    ["the repository is elsewhere", /not a git repository/, (top) => void put(top, ".git", "gitdir: /nowhere\n")],
    ["Git is not installed", /it is not installed/, () => (process.env.PATH = temporaryFolder())],
  ])("%s", async (_, reason, spoil) => {
    const top = temporaryFolder();
    const folder = join(top, "journal");
    await open(folder).journal.write(aa, { sentAtMs: nowMs, id: "v" });
    put(top, ".git", "");
    spoil(top);
    const { journal, warnings } = open(folder);
    expect(await journal.find(aa)).toEqual({ sentAtMs: nowMs, unproven: true });
    expect(warnings).toEqual([expect.stringMatching(reason)]);
  });
});

test("an outcome that the provider process of an interrupted run notes later is waited for, and no longer than asked", async () => {
  const folder = temporaryFolder();
  const orphan = open(folder).journal;
  await orphan.write(aa, { sentAtMs: nowMs });
  const time = fakeClock(nowMs);
  const sleep = async (ms: number) => {
    await time.sleep(ms);
    if (time.now() >= nowMs + 6000) await orphan.write(aa, { sentAtMs: nowMs, id: "task" });
  };
  const { journal } = open(folder, nowMs, account, { ...time, sleep });
  expect(await journal.awaitOutcome(aa, 5000, () => undefined)).toEqual({ sentAtMs: nowMs });
  expect(time.now()).toBe(nowMs + 5000);
  expect(await journal.awaitOutcome(aa, 60_000, () => undefined)).toEqual({ sentAtMs: nowMs, id: "task" });
  expect(time.now()).toBeLessThan(nowMs + 9000);
});

test("a request counts the bodies that were sent after it, because all of a killed run shared one line", async () => {
  const stored = new Map<string, string>();
  const run = open(journalIn(stored));
  const note = (key: string, atMs: number, bytesUnderWay: number) =>
    run.journal.write(key, { sentAtMs: nowMs + atMs, bytesUnderWay });
  await note(aa, -3, 500_000);
  await note(bb, -2, 8_000_000);
  await note(cc, -1, 300_000);
  const next = open(journalIn(stored));
  const counted = await Promise.all([aa, bb, cc].map((key) => next.journal.find(key)));
  expect(counted.map((found) => found?.bytesUnderWay)).toEqual([8_000_000, 8_000_000, 300_000]);
  const waits: number[] = [];
  await next.journal.awaitOutcome(aa, 60_000, (leftMs) => waits.push(leftMs));
  expect(waits).toEqual([60_000 + 160_000 - 3]);
});

test("a store that can't be read for a moment does not end the wait: the note is still there", async () => {
  const notes = new Map<string, string>();
  let polls = 0;
  const killed = open(journalIn(notes)).journal;
  await killed.write(aa, { sentAtMs: nowMs });
  const read = async (key: string) => {
    if (++polls === 1) throw new Error("503");
    if (polls === 2) return "can't be read";
    await killed.write(aa, { sentAtMs: nowMs, id: "task" });
    return notes.get(key);
  };
  const { journal } = open({ ...journalIn(notes), read });
  expect(await journal.awaitOutcome(aa, 60_000, () => undefined)).toMatchObject({ id: "task" });
});

test("a note from a clock that is ahead is waited for no longer than others, and each wait is announced", async () => {
  const folder = temporaryFolder();
  await open(folder).journal.write(aa, { sentAtMs: nowMs + dayMs });
  const clock = fakeClock(nowMs);
  const waits: number[] = [];
  await open(folder, nowMs, account, clock).journal.awaitOutcome(aa, 60_000, (ms) => waits.push(ms));
  expect(clock.now()).toBe(nowMs + 60_000);
  expect(waits).toEqual([60_000]);
});

test("a journal that a pipeline throws away is warned of once, with the first note, and names two lines that mend it", async () => {
  const lines: string[] = [];
  const hint = lostJournalHint(undefined, { CI: "true" });
  const journal = new Journal(journalIn(new Map()), fakeClock(), (line) => lines.push(line), account, hint);
  await journal.find(aa);
  expect(lines).toEqual([]);
  for (const key of [aa, bb]) await journal.write(key, { sentAtMs: 1 });
  expect(lines).toEqual([expect.stringMatching(/CLOUDVOICE_JOURNAL=s3:.*CLOUDVOICE_JOURNAL=\.cloudvoice-journal/)]);
  expect(lostJournalHint("s3://bucket", { CI: "true" })).toBeUndefined();
  expect(lostJournalHint(undefined, {})).toBeUndefined();
});

test("a note of a request that is about to be sent is on the disk first, with one look at the folder for all that wait", async () => {
  const folder = temporaryFolder();
  const system = jest.requireActual<typeof fs>("node:fs");
  const file = jest.spyOn(system, "fsync");
  const names = jest.spyOn(system.promises, "open");
  const store = journalInFolder(folder);
  const keys = Array.from({ length: 20 }, (_, index) => index.toString().padStart(32, "0"));
  await Promise.all(keys.map((key) => store.write(key, "note", true)));
  expect(file).toHaveBeenCalledTimes(keys.length);
  expect(names.mock.calls.map(([path]) => path)).toEqual([folder, folder].slice(0, names.mock.calls.length));
  for (const spied of [file, names]) spied.mockClear();
  await store.write(aa, "a note of an outcome", false);
  for (const spied of [file, names]) expect(spied).not.toHaveBeenCalled();
  for (const spied of [file, names]) spied.mockRestore();
});
