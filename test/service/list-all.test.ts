import fc from "fast-check";
import type { ListedVoice, ListPage } from "../../provider/src/service/voices/client";
import { Account } from "../../provider/src/service/voices/account";
import { listAll } from "../../provider/src/service/voices/list-all";

interface Server {
  rows: string[];
  largestPage: number;
  totals: boolean;
  /** Gives fewer rows than asked, and counts its pages in rows asked. */
  offsetsAsAsked?: boolean;
  /** What happens to the account before the n-th page is read. */
  before?: (page: number, rows: string[]) => void;
}

function pages({ rows, largestPage, totals, offsetsAsAsked = false, before }: Server) {
  let calls = 0;
  const listPage = (index: number, size: number): Promise<ListPage> => {
    before?.(calls, rows);
    calls++;
    const given = Math.min(size, largestPage);
    const voices: ListedVoice[] = rows
      .slice(index * (offsetsAsAsked ? size : given))
      .slice(0, given)
      .map((voice) => ({ voice, targetModel: "m" }));
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
  const walk = await listAll(server.listPage);
  expect(walk.voices.map((row) => row.voice)).toEqual(names(count));
  expect(server.calls()).toBe(calls);
  expect(walk.singlePage).toBe(atOnce);
});

test("voices that come during the walk push rows down: none is missed, none counted twice", async () => {
  const server = pages({
    rows: names(30),
    largestPage: 10,
    totals: true,
    before: (page, rows) => {
      if (page > 0) rows.unshift(`new${page}`);
    },
  });
  const found = (await listAll(server.listPage)).voices.map((row) => row.voice);
  expect(found).toEqual(expect.arrayContaining(names(30)));
  expect(new Set(found).size).toBe(found.length);
});

test.each([true, false])(
  "an account that grows by a page with each page read is read to its end (totals: %s)",
  async (totals) => {
    const rows = names(12);
    const server = pages({
      rows,
      largestPage: 10,
      totals,
      before: (page) => {
        if (page > 0 && page < 20) rows.unshift(...Array.from({ length: 10 }, (_, index) => `new${page}-${index}`));
      },
    });
    const account = new Account({ listPage: server.listPage });
    for (const name of names(12)) expect(await account.find(name)).toBeDefined();
    expect(await account.find("none")).toBeUndefined();
  },
);

test.each([true, false])(
  "a server that gives ten rows and counts its pages in rows asked is read to its end (totals: %s)",
  async (totals) => {
    const server = pages({ rows: names(50), largestPage: 10, totals, offsetsAsAsked: true });
    expect((await listAll(server.listPage)).voices).toHaveLength(50);
  },
);

test("a list that counts more voices than it gives is an error, and nothing is gone", async () => {
  const account = new Account({
    listPage: (index) => Promise.resolve({ voices: index === 0 ? [{ voice: "v0", targetModel: "m" }] : [], total: 15 }),
  });
  expect(await account.find("v0")).toBeDefined();
  await expect(account.find("v1")).rejects.toThrow(
    /could not be told: the list counts more voices than it gives\. Nothing was changed/,
  );
});

test("while others delete at every page, nothing is called gone", async () => {
  const rows = [...names(30), ...Array.from({ length: 900 }, (_, index) => `foreign${index}`)].sort((a, b) =>
    a < b ? -1 : 1,
  );
  const server = pages({
    rows,
    largestPage: 10,
    totals: true,
    before: () => {
      if (rows.length > 32) rows.splice(0, 2);
    },
  });
  const account = new Account({ listPage: server.listPage });
  for (const name of names(30)) {
    const found = await account.find(name).catch((error: unknown) => error);
    if (found instanceof Error) expect(found.message).toMatch(/others delete voices while the list is read/);
    else expect(found).toMatchObject({ voice: name });
  }
});

test("what this process deletes itself does not unsettle the list", async () => {
  const rows = names(30);
  const server = pages({ rows, largestPage: 10, totals: true });
  const account = new Account({ listPage: server.listPage });
  await account.voices();
  account.remove("v3");
  rows.splice(3, 1);
  expect(await account.find("none")).toBeUndefined();
  expect(server.calls()).toBe(6);
});

test("whoever looks while a walk is under way shares the next one", async () => {
  const server = pages({ rows: names(3), largestPage: 10, totals: true });
  const account = new Account({ listPage: server.listPage });
  await Promise.all(Array.from({ length: 100 }, () => account.namedNow("bob", "m", false)));
  expect(server.calls()).toBe(1);
  await account.namedNow("bob", "m", false);
  expect(server.calls()).toBe(2);
});

// But for voices that come and go within one walk: what comes stays, and what goes was there.
test("with whatever churn, a voice that is there all the time is found, or the look-up fails: it is never gone", async () => {
  const churn = fc.record({
    ours: fc.integer({ min: 1, max: 25 }),
    foreign: fc.integer({ min: 0, max: 40 }),
    largestPage: fc.integer({ min: 1, max: 10 }),
    totals: fc.boolean(),
    offsetsAsAsked: fc.boolean(),
    acts: fc.array(
      fc.record({ adds: fc.integer({ min: 0, max: 3 }), deletes: fc.integer({ min: 0, max: 3 }), at: fc.nat() }),
      { maxLength: 40 },
    ),
    shuffle: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(churn, async ({ ours, foreign, largestPage, totals, offsetsAsAsked, acts, shuffle }) => {
      const rows = [...names(ours), ...Array.from({ length: foreign }, (_, index) => `foreign${index}`)].sort(
        (a, b) => hash(a, shuffle) - hash(b, shuffle),
      );
      const before = (page: number) => {
        const act = acts[page];
        if (!act) return;
        for (let times = 0; times < act.deletes; times++) {
          const strangers = rows.filter((row) => /^foreign\d/.test(row));
          const goes = strangers[act.at % Math.max(1, strangers.length)];
          if (goes !== undefined) rows.splice(rows.indexOf(goes), 1);
        }
        for (let times = 0; times < act.adds; times++) rows.unshift(`new-foreign${page}-${times}`);
      };
      const account = new Account({ listPage: pages({ rows, largestPage, totals, offsetsAsAsked, before }).listPage });
      for (const name of names(ours)) {
        const found = await account.find(name).catch((error: unknown) => error);
        if (found === undefined) throw new Error(`${name} was called gone`);
      }
    }),
    { numRuns: 2000 },
  );
});

/** An order that is arbitrary, and the same each time. */
function hash(text: string, seed: number): number {
  return Buffer.from(text).reduce((sum, byte) => (sum * 31 + byte) % 1_000_003, seed % 1_000_003);
}

test("a server that ignores the page number does not keep us for ever", async () => {
  const walk = await listAll(() => Promise.resolve({ voices: [{ voice: "v", targetModel: "m" }] }));
  expect(walk.voices).toHaveLength(1);
});

test.each([true, false])(
  "a voice pushed past the walk by a deletion is not called gone (totals: %s)",
  async (totals) => {
    const server = pages({
      rows: names(30),
      largestPage: 10,
      totals,
      before: (page, rows) => {
        if (page === 1) rows.shift();
      },
    });
    const account = new Account({ listPage: server.listPage });
    expect(await account.find("v10")).toMatchObject({ voice: "v10" });
  },
);

test("a voice that is gone is gone after one more walk for the whole process", async () => {
  const server = pages({ rows: names(30), largestPage: 10, totals: true });
  const account = new Account({ listPage: server.listPage });
  for (let index = 30; index < 60; index++) expect(await account.find(`v${index}`)).toBeUndefined();
  expect(server.calls()).toBe(6);
});

test("the view follows what this process makes and deletes", async () => {
  const server = pages({ rows: names(2), largestPage: 10, totals: true });
  const account = new Account({ listPage: server.listPage });
  account.add({ voice: "x-bob_12345678-voice-1", targetModel: "m" });
  account.remove("v0");
  expect((await account.voices()).map((row) => row.voice)).toEqual(["v1", "x-bob_12345678-voice-1"]);
  expect(await account.named("bob_12345678", "m")).toHaveLength(1);
  expect(await account.named("bob_12345678", "another model")).toEqual([]);
  expect(await account.find("v0")).toBeUndefined();
  account.remove("x-bob_12345678-voice-1");
  expect(await account.named("bob_12345678", "m")).toEqual([]);
});
