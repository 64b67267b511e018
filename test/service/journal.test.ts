import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultJournalFolder, folderStore, Journal, journalKey } from "../../provider/src/service/journal";
import { seal, unseal } from "../../provider/src/service/seal";
import { put, temporaryFolder } from "../support/files";

const dayMs = 24 * 3600 * 1000;
const nowMs = Date.parse("2026-06-01T12:00:00Z");

/** A journal as one operation of the engine opens it. */
function open(folder: string, atMs = nowMs) {
  const warnings: string[] = [];
  const journal = new Journal(folderStore(folder), { now: () => atMs, sleep: () => Promise.resolve() }, (line) =>
    warnings.push(line),
  );
  return { journal, warnings };
}

test("the next operation finds what one noted, and the operation itself takes its own notes for no evidence", async () => {
  const folder = join(temporaryFolder(), "journal");
  const first = open(folder);
  await first.journal.write("aa", { sentAtMs: nowMs });
  await first.journal.write("aa", { sentAtMs: nowMs, id: "v" });
  expect(await first.journal.find("aa")).toBeUndefined();

  const next = open(folder);
  expect(await next.journal.find("aa")).toEqual({ sentAtMs: nowMs, id: "v" });
  await next.journal.remove("aa");
  expect(readdirSync(folder)).toEqual([]);
  expect([...first.warnings, ...next.warnings]).toEqual([]);
});

test("a note is forgotten after two days, with its file, and so is one from a clock that is far ahead", async () => {
  const folder = temporaryFolder();
  await open(folder).journal.write("aa", { sentAtMs: nowMs });
  await open(folder).journal.write("bb", { sentAtMs: nowMs + dayMs });
  await open(folder).journal.write("cc", { sentAtMs: nowMs + 365 * dayMs });
  const later = open(folder, nowMs + 2 * dayMs).journal;
  expect(await later.find("aa")).toBeUndefined();
  expect(await later.find("bb")).toEqual({ sentAtMs: nowMs + dayMs });
  expect(readdirSync(folder)).toEqual(["bb.json"]);
});

test("what a killed run left half written is ignored, and removed after two days", async () => {
  const folder = temporaryFolder();
  put(folder, "aa.json", "{ half");
  const fresh = put(folder, "cc.json.12345678", "half");
  const old = put(folder, "dd.json.12345678", "half");
  utimesSync(old, new Date(Date.now() - 3 * dayMs), new Date(Date.now() - 3 * dayMs));
  expect(await open(folder).journal.find("aa")).toBeUndefined();
  expect(readdirSync(folder)).toEqual([fresh.split("/").at(-1)]);
});

test("a folder that can't be written is a warning that states what is lost, and not an error", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "journal");
  writeFileSync(file, "not a folder");
  const { journal, warnings } = open(file);
  await journal.write("aa", { sentAtMs: nowMs });
  expect(warnings).toEqual([
    expect.stringMatching(/journal can't be written \(E\w+\).*may pay again.*cloudvoice:journal/),
  ]);
});

test("only the owner can read the notes", async () => {
  const folder = join(temporaryFolder(), "journal");
  await open(folder).journal.write("aa", { sentAtMs: nowMs });
  expect([statSync(folder).mode & 0o777, statSync(join(folder, "aa.json")).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(readFileSync(join(folder, "aa.json"), "utf8")).toBe(`{"sentAtMs":${nowMs}}`);
});

test("the key of a note tells nothing about its parts, and does not depend on the order of an object's keys", () => {
  expect(journalKey("image", "account", { a: 1, b: 2 })).toMatch(/^[0-9a-f]{32}$/);
  expect(journalKey({ a: 1, b: 2 })).toBe(journalKey({ b: 2, a: 1 }));
  expect(journalKey("a", "b")).not.toBe(journalKey("ab"));
});

test("the folder follows XDG", () => {
  expect(defaultJournalFolder({ XDG_STATE_HOME: "/state" })).toBe("/state/pulumi-cloudvoice/journal");
  expect(defaultJournalFolder({})).toMatch(/\.local\/state\/pulumi-cloudvoice\/journal$/);
});

test("answers are readable with the same API key only", () => {
  const sealed = seal("the canary's answers", "sk-one");
  expect(sealed).not.toContain("canary");
  expect(unseal(sealed, "sk-one")).toBe("the canary's answers");
  expect(unseal(sealed, "sk-two")).toBeUndefined();
  expect(unseal(`${sealed.slice(0, -4)}AAAA`, "sk-one")).toBeUndefined();
  expect(unseal("", "sk-one")).toBeUndefined();
});

test("an outcome that the provider process of an interrupted run notes later is waited for, and no longer than asked", async () => {
  const folder = temporaryFolder();
  const orphan = open(folder).journal;
  await orphan.write("aa", { sentAtMs: nowMs });
  let time = nowMs;
  const clock = {
    now: () => time,
    async sleep(ms: number) {
      time += ms;
      if (time >= nowMs + 6000) await orphan.write("aa", { sentAtMs: nowMs, id: "task" });
    },
  };
  const next = new Journal(folderStore(folder), clock, () => undefined);
  expect(await next.awaitOutcome("aa", 5000)).toEqual({ sentAtMs: nowMs });
  expect(time).toBe(nowMs + 5000);
  expect(await next.awaitOutcome("aa", 60_000)).toEqual({ sentAtMs: nowMs, id: "task" });
  expect(time).toBeLessThan(nowMs + 9000);
});

test("a note from a clock that is ahead is waited for no longer than others, and each wait is announced", async () => {
  const folder = temporaryFolder();
  await open(folder).journal.write("aa", { sentAtMs: nowMs + dayMs });
  let time = nowMs;
  const clock = { now: () => time, sleep: (ms: number) => Promise.resolve(void (time += ms)) };
  const waits: number[] = [];
  await new Journal(folderStore(folder), clock, () => undefined).awaitOutcome("aa", 60_000, (ms) => waits.push(ms));
  expect(time).toBe(nowMs + 60_000);
  expect(waits).toEqual([60_000]);
});
