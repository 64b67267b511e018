import fc from "fast-check";
import { AuthenticationError, NotFoundError, RejectedError, ServiceError } from "../../provider/src/errors";
import type { ListedVoice, ListPage } from "../../provider/src/service/voices/client";
import { Account } from "../../provider/src/service/voices/account";
import { listAll } from "../../provider/src/service/voices/list-all";

interface Server {
  rows: string[];
  largestPage: number;
  totals: boolean;
  /** Limits the rows of a page, but computes its offset from the requested size. */
  offsetsAsRequested?: boolean;
  /** Called before the n-th page is read, to change the account. */
  before?: (page: number, rows: string[]) => void;
}

function pages({ rows, largestPage, totals, offsetsAsRequested = false, before }: Server) {
  let calls = 0;
  const listPage = (index: number, size: number): Promise<ListPage> => {
    before?.(calls, rows);
    calls++;
    const given = Math.min(size, largestPage);
    const voices: ListedVoice[] = rows
      .slice(index * (offsetsAsRequested ? size : given))
      .slice(0, given)
      .map((voice) => ({ voice, targetModel: "m" }));
    return Promise.resolve({ voices, total: totals ? rows.length : undefined });
  };
  return { listPage, calls: () => calls };
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);

test.each<[what: string, count: number, largestPage: number, totals: boolean, calls: number, singlePage: boolean]>([
  ["an empty account", 0, 1000, true, 1, true],
  ["an empty account without totals", 0, 1000, false, 1, true],
  ["a thousand voices in one page", 1000, 1_000_000, true, 2, true],
  ["a thousand voices without totals", 1000, 1_000_000, false, 2, false],
  ["a server that gives at most 100 rows", 250, 100, true, 4, false],
  ["a server that gives at most 100 rows, without totals", 250, 100, false, 4, false],
  ["an account that fills its last page", 200, 100, false, 3, false],
  ["a server that gives at most 10 rows", 35, 10, true, 5, false],
  ["an account above the requested page size", 2500, 1_000_000, true, 4, false],
])("lists %s completely", async (_, count, largestPage, totals, calls, singlePage) => {
  const server = pages({ rows: names(count), largestPage, totals });
  const listing = await listAll(server.listPage);
  expect(listing.voices.map((row) => row.voice)).toEqual(names(count));
  expect(server.calls()).toBe(calls);
  expect(listing.singlePage).toBe(singlePage);
});

test("finds every voice once while new voices shift rows to later pages", async () => {
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

test.each([true, false])("lists an account that grows by a page with each page read (totals: %s)", async (totals) => {
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
});

test.each([true, false])(
  "lists an account whose server gives ten rows but computes offsets from the requested size (totals: %s)",
  async (totals) => {
    const server = pages({ rows: names(50), largestPage: 10, totals, offsetsAsRequested: true });
    expect((await listAll(server.listPage)).voices).toHaveLength(50);
  },
);

/** A server whose total is not the number of its rows. */
function otherTotals(
  rows: string[],
  largestPage: number,
  total: (page: number) => number,
  end: Partial<ListPage> = {},
) {
  const { listPage, calls } = pages({ rows, largestPage, totals: false });
  const counting = async (index: number, size: number): Promise<ListPage> => {
    const page = await listPage(index, size);
    return { ...page, ...(page.voices.length === 0 && end), total: total(calls()) };
  };
  return { listPage: counting, calls };
}

const fewer =
  /^listing the account's voices failed: the list contains fewer voices than its own count\. Nothing was changed/;

test.each([
  [3, 1000],
  [25, 10],
  [20, 10],
])("a total that always counts more than the list has stops nothing: %i voices in pages of %i", async (count, size) => {
  const rows = names(count);
  const account = new Account({ listPage: otherTotals(rows, size, () => rows.length + 2).listPage });
  expect(await account.find("none")).toBeUndefined();
  // Voices come and go, and it counts them too.
  rows.push("v-new");
  rows.splice(0, 1);
  account.remove("v0");
  expect(await account.isListedNow("v0")).toBe(false);
  expect(await account.isListedNow("v-new")).toBe(true);
});

test.each<[string, (page: number) => number]>([
  ["grows while the list does not", (page) => 2 + page],
  ["shrinks while the list does not", (page) => 100 - page],
  ["was right before", (page) => (page < 3 ? 3 : 4)],
])("reports no voice as deleted if the list contains fewer voices than a count that %s", async (_, total) => {
  const account = new Account({ listPage: otherTotals(names(3), 1000, total).listPage });
  await account.voices();
  await expect(account.isListedNow("v-lost")).rejects.toThrow(fewer);
});

test("reports no voice as deleted if its total counts more, and no page is empty", async () => {
  const voices = names(3).map((voice) => ({ voice, targetModel: "m" }));
  const account = new Account({ listPage: () => Promise.resolve({ voices, total: 5 }) });
  await expect(account.find("v-lost")).rejects.toThrow(fewer);
  const leftOut = otherTotals(names(3), 1000, () => 5, { unrecognised: "request_id, count" });
  await expect(new Account(leftOut).find("v-lost")).rejects.toThrow(/names no voices, and 5 should exist/);
});

test("reports a voice whose create was lost as absent only if its total does not count it", async () => {
  const rows = names(3);
  let total = 5;
  const account = new Account({ listPage: otherTotals(rows, 1000, () => total).listPage });
  expect(await account.named("bob_1234567", "m")).toEqual([]);
  const lost = { preferredName: "bob_1234567", targetModel: "m", generated: true };
  expect(await account.namedNow(lost)).toEqual([]);
  // The service counts the new voice, and does not list it yet.
  total = 6;
  await expect(account.namedNow(lost)).rejects.toThrow(fewer);
  rows.push("x-bob_1234567-voice-1");
  expect(await account.namedNow(lost)).toHaveLength(1);
});

/** A server that refuses pages behind its last one. */
function refusing(rows: string[], largestPage: number, error: Error, totals = false) {
  const { listPage, calls } = pages({ rows, largestPage, totals });
  const refuse = async (index: number, size: number): Promise<ListPage> => {
    const page = await listPage(index, size);
    if (index > 0 && page.voices.length === 0) throw error;
    return page;
  };
  return { listPage: refuse, calls };
}

test.each([
  [3, 1000],
  [25, 10],
  [100, 100],
])("a refused page behind the last one ends a list of %i voices in pages of %i", async (count, largestPage) => {
  for (const totals of [false, true])
    for (const error of [
      new RejectedError("no such page", { status: 404, code: "InvalidPage" }),
      new RejectedError("no such page", { status: 400, requestId: "r" }),
      new NotFoundError("no such page", { status: 404, requestId: "r" }),
    ]) {
      const account = new Account(refusing(names(count), largestPage, error, totals));
      expect(await account.voicesNow()).toHaveLength(count);
      expect(await account.find("none")).toBeUndefined();
    }
});

test("a refused page ends no list whose pages were full, or whose total counts more, and no other error ends one", async () => {
  const gone = new RejectedError("no such page", { status: 404, requestId: "r" });
  const full = refusing(names(30), 10, gone);
  await expect(new Account(full).voices()).rejects.toBe(gone);
  await expect(new Account(refusing(names(1000), 1000, gone)).voices()).rejects.toBe(gone);
  const counting = otherTotals(names(3), 1000, () => 5);
  const cut = (index: number, size: number) => (index > 0 ? Promise.reject(gone) : counting.listPage(index, size));
  await expect(new Account({ listPage: cut }).voices()).rejects.toThrow(/names no voices, and 5 should exist/);
  const first = new Account({ listPage: () => Promise.reject(gone) });
  await expect(first.voices()).rejects.toBe(gone);
  for (const error of [
    new AuthenticationError("the key", { status: 400, requestId: "r" }),
    new ServiceError("busy", { status: 404, requestId: "r" }),
    // A page of a gateway has neither a code nor a request id.
    new RejectedError("not found", { status: 404 }),
  ])
    await expect(new Account(refusing(names(3), 1000, error)).voices()).rejects.toBe(error);
});

test("reports no voice as deleted while other programs delete voices at every page", async () => {
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
    if (found instanceof Error)
      expect(found.message).toMatch(/other programs deleted voices during each of 6 attempts/);
    else expect(found).toMatchObject({ voice: name });
  }
});

test.each([6, 8, 9, 20])("a total that counts pages ends no list: %i voices", async (count) => {
  for (const size of [1, 2, 3, 4, 5]) {
    const server = pages({ rows: names(count), largestPage: size, totals: false });
    const total = Math.ceil(count / size);
    const listPage = async (...page: Parameters<typeof server.listPage>) => ({
      ...(await server.listPage(...page)),
      total,
    });
    const account = new Account({ listPage });
    expect(await account.find(`v${count - 1}`)).toBeDefined();
    expect(await account.voicesNow()).toHaveLength(count);
    expect(await account.voicesNow()).toHaveLength(count);
  }
});

test("a total that counts pages is believed of no account, also of one with a voice, and with whatever pages it has", async () => {
  for (const count of [1, 2, 3, 4, 5, 6])
    for (const largestPage of [1, 2, 3, 5, 50]) {
      const server = pages({ rows: names(count), largestPage, totals: false });
      const listPage = async (index: number, size: number) => ({
        ...(await server.listPage(index, size)),
        total: Math.ceil(count / Math.min(size, largestPage)),
      });
      const { voices, totalsCountAll } = await listAll(listPage);
      expect({ count, largestPage, found: voices.length, totalsCountAll }).toEqual({
        ...{ count, largestPage, found: count, totalsCountAll: false },
      });
    }
});

test("deletions by this process cause no further list calls", async () => {
  const rows = names(30);
  const server = pages({ rows, largestPage: 10, totals: true });
  const account = new Account({ listPage: server.listPage });
  await account.voices();
  account.remove("v3");
  rows.splice(3, 1);
  expect(await account.find("none")).toBeUndefined();
  // The first listing reads to the empty page, which confirms the total, and the second stops at the total.
  expect(server.calls()).toBe(7);
});

test("concurrent look-ups share one list call", async () => {
  const server = pages({ rows: names(3), largestPage: 10, totals: true });
  const account = new Account({ listPage: server.listPage });
  await Promise.all(
    Array.from({ length: 100 }, () => account.namedNow({ preferredName: "bob", targetModel: "m", generated: false })),
  );
  // The second request shows that the total counts all voices. From then on one is enough.
  expect(server.calls()).toBe(2);
  await account.namedNow({ preferredName: "bob", targetModel: "m", generated: false });
  expect(server.calls()).toBe(3);
});

// The guarantee does not cover voices that appear and disappear during one listing, so new voices stay here.
test("never reports an existing voice as deleted, whatever other programs create and delete meanwhile", async () => {
  const changes = fc.record({
    ours: fc.integer({ min: 1, max: 25 }),
    foreign: fc.integer({ min: 0, max: 40 }),
    largestPage: fc.integer({ min: 1, max: 10 }),
    totals: fc.boolean(),
    offsetsAsRequested: fc.boolean(),
    acts: fc.array(
      fc.record({ adds: fc.integer({ min: 0, max: 3 }), deletes: fc.integer({ min: 0, max: 3 }), at: fc.nat() }),
      { maxLength: 40 },
    ),
    shuffle: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(changes, async ({ ours, foreign, largestPage, totals, offsetsAsRequested, acts, shuffle }) => {
      const rows = [...names(ours), ...Array.from({ length: foreign }, (_, index) => `foreign${index}`)].sort(
        (a, b) => hash(a, shuffle) - hash(b, shuffle),
      );
      const before = (page: number) => {
        const act = acts[page];
        if (!act) return;
        for (let times = 0; times < act.deletes; times++) {
          const deletable = rows.filter((row) => /^foreign\d/.test(row));
          const deleted = deletable[act.at % Math.max(1, deletable.length)];
          if (deleted !== undefined) rows.splice(rows.indexOf(deleted), 1);
        }
        for (let times = 0; times < act.adds; times++) rows.unshift(`new-foreign${page}-${times}`);
      };
      const account = new Account({
        listPage: pages({ rows, largestPage, totals, offsetsAsRequested, before }).listPage,
      });
      for (const name of names(ours)) {
        const found = await account.find(name).catch((error: unknown) => error);
        if (found === undefined) throw new Error(`${name} was reported as deleted`);
      }
    }),
    { numRuns: 2000 },
  );
});

/** A reproducible shuffle. */
function hash(text: string, seed: number): number {
  return Buffer.from(text).reduce((sum, byte) => (sum * 31 + byte) % 1_000_003, seed % 1_000_003);
}

test("ends if the server ignores the page index", async () => {
  const listing = await listAll(() => Promise.resolve({ voices: [{ voice: "v", targetModel: "m" }] }));
  expect(listing.voices).toHaveLength(1);
});

test.each([true, false])(
  "finds a voice that a concurrent deletion moved to a page already read (totals: %s)",
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

test("confirms any number of absent voices with one more listing", async () => {
  const server = pages({ rows: names(30), largestPage: 10, totals: true });
  const account = new Account({ listPage: server.listPage });
  for (let index = 30; index < 60; index++) expect(await account.find(`v${index}`)).toBeUndefined();
  expect(server.calls()).toBe(7);
});

test("knows the voices that this process created and deleted since the listing", async () => {
  const server = pages({ rows: names(2), largestPage: 10, totals: true });
  const account = new Account({ listPage: server.listPage });
  account.add({ voice: "x-bob_1234567-voice-1", targetModel: "m" });
  account.remove("v0");
  expect((await account.voices()).map((row) => row.voice)).toEqual(["v1", "x-bob_1234567-voice-1"]);
  expect(await account.named("bob_1234567", "m")).toHaveLength(1);
  expect(await account.named("bob_1234567", "another model")).toEqual([]);
  expect(await account.find("v0")).toBeUndefined();
  account.remove("x-bob_1234567-voice-1");
  expect(await account.named("bob_1234567", "m")).toEqual([]);
});

/** A server whose total counts the rows of the page only. */
function pageTotals(rows: string[], largestPage: number) {
  const { listPage, calls } = pages({ rows, largestPage, totals: false });
  const counting = async (index: number, size: number): Promise<ListPage> => {
    const page = await listPage(index, size);
    return { ...page, total: page.voices.length };
  };
  return { listPage: counting, calls };
}

test.each([
  [5, 1000],
  [100, 100],
  [250, 100],
  [35, 10],
])("a total that counts the page only ends no list: %i voices in pages of %i", async (count, largestPage) => {
  const server = pageTotals(names(count), largestPage);
  const listing = await listAll(server.listPage);
  expect(listing.voices.map((row) => row.voice)).toEqual(names(count));
  expect(listing.singlePage).toBe(false);
  const account = new Account({ listPage: pageTotals(names(count), largestPage).listPage });
  expect(await account.find(`v${count - 1}`)).toBeDefined();
  expect(await account.find("none")).toBeUndefined();
});

test("a page without a recognised place ends a list, and is no proof that an account is empty", async () => {
  const unrecognised = { voices: [], unrecognised: "request_id, count" };
  const listed = { voices: [{ voice: "v0", targetModel: "m" }] };
  let isLost = false;
  const account = new Account({ listPage: (index) => Promise.resolve(index === 0 && !isLost ? listed : unrecognised) });
  expect(await account.voicesNow()).toHaveLength(1);
  isLost = true;
  await expect(account.voicesNow()).rejects.toThrow(
    /names no voices, and the voice v0 should exist: it has request_id, count/,
  );
});

test("a list that grows while it is read is read again, also if the service leaves out what is empty", async () => {
  const rows = names(2);
  let calls = 0;
  const listPage = (index: number) => {
    if (++calls === 2) rows.unshift("v-new");
    const voices = rows.slice(index * 2, index * 2 + 2).map((voice) => ({ voice, targetModel: "m" }));
    return Promise.resolve({ voices, total: rows.length, ...(voices.length === 0 && { unrecognised: "count" }) });
  };
  expect(await new Account({ listPage }).voices()).toHaveLength(3);
});
