import fc from "fast-check";
import { AuthenticationError, NotFoundError, RejectedError, ServiceError } from "../../provider/src/errors";
import type { ListPage } from "../../provider/src/service/voices/client";
import { Account } from "../../provider/src/service/voices/account";
import { listAll } from "../../provider/src/service/voices/list-all";
import { names, otherTotals, pages } from "../support/voice-pages";

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
