import type { ListedVoice, ListPage } from "../../provider/src/service/voices/client";
import { Account } from "../../provider/src/service/voices/account";
import { walkVoices } from "../../provider/src/service/voices/walk";

interface Server {
  rows: string[];
  largestPage: number;
  totals: boolean;
  /** What happens to the account before the n-th page is read. */
  before?: (page: number, rows: string[]) => void;
}

function pages({ rows, largestPage, totals, before }: Server) {
  let calls = 0;
  const listPage = (index: number, size: number): Promise<ListPage> => {
    before?.(calls, rows);
    calls++;
    const given = Math.min(size, largestPage);
    const voices: ListedVoice[] = rows.slice(index * given, (index + 1) * given).map((voice) => ({ voice, targetModel: "m" }));
    return Promise.resolve({ voices, total: totals ? rows.length : undefined });
  };
  return { listPage, calls: () => calls };
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);

test.each<[what: string, count: number, largestPage: number, totals: boolean, calls: number, atOnce: boolean]>([
  ["an empty account", 0, 1000, true, 1, true],
  ["an empty account without totals", 0, 1000, false, 1, false],
  ["a thousand in one page", 1000, 1_000_000, true, 1, true],
  ["a thousand without totals", 1000, 1_000_000, false, 2, false],
  ["a server that gives a hundred at most", 250, 100, true, 3, false],
  ["the same without totals", 250, 100, false, 4, false],
  ["pages that end exactly", 200, 100, false, 3, false],
  ["a server that gives ten at most", 35, 10, true, 4, false],
  ["more than one page of ours", 2500, 1_000_000, true, 3, false],
])("%s", async (_, count, largestPage, totals, calls, atOnce) => {
  const server = pages({ rows: names(count), largestPage, totals });
  const walk = await walkVoices(server.listPage);
  expect(walk.voices.map((row) => row.voice)).toEqual(names(count));
  expect(server.calls()).toBe(calls);
  expect(walk.atOnce).toBe(atOnce);
});

test("voices that come during the walk push rows down: none is missed, none counted twice", async () => {
  const server = pages({ rows: names(30), largestPage: 10, totals: true, before: (page, rows) => {
      if (page > 0) rows.unshift(`new${page}`);
    } });
  const found = (await walkVoices(server.listPage)).voices.map((row) => row.voice);
  expect(found).toEqual(expect.arrayContaining(names(30)));
  expect(new Set(found).size).toBe(found.length);
});

test("a server that ignores the page number does not keep us for ever", async () => {
  const walk = await walkVoices(() => Promise.resolve({ voices: [{ voice: "v", targetModel: "m" }] }));
  expect(walk.voices).toHaveLength(1);
});

test.each([true, false])("a voice pushed past the walk by a deletion is not called gone (totals: %s)", async (totals) => {
  const server = pages({ rows: names(30), largestPage: 10, totals, before: (page, rows) => {
      if (page === 1) rows.shift();
    } });
  const account = new Account({ listPage: server.listPage });
  expect(await account.find("v10")).toMatchObject({ voice: "v10" });
});

test("a voice that is gone is gone after one more walk for the whole process", async () => {
  const server = pages({ rows: names(30), largestPage: 10, totals: true });
  const account = new Account({ listPage: server.listPage });
  for (let index = 30; index < 60; index++) expect(await account.find(`v${index}`)).toBeUndefined();
  expect(server.calls()).toBe(6);
});

test("the view follows what this process makes and deletes", async () => {
  const server = pages({ rows: names(2), largestPage: 10, totals: true });
  const account = new Account({ listPage: server.listPage });
  account.noteMade({ voice: "x-bob-voice-1", targetModel: "m" });
  account.noteDeleted("v0");
  expect((await account.voices()).map((row) => row.voice)).toEqual(["v1", "x-bob-voice-1"]);
  expect(await account.named("bob", "m")).toHaveLength(1);
  expect(await account.named("bob", "another model")).toEqual([]);
  expect(await account.find("v0")).toBeUndefined();
  expect(account.isLive("x-bob-voice-1")).toBe(true);
  account.noteDeleted("x-bob-voice-1");
  expect(await account.named("bob", "m")).toEqual([]);
});
