import type { ListedVoice } from "../../provider/src/rules/voice";
import fc from "fast-check";
import { AuthenticationError, NotFoundError, RejectedError, ServiceError } from "../../provider/src/errors";
import type { ListPage } from "../../provider/src/service/voices/client";
import { Account as Views } from "../../provider/src/service/voices/account";
import { readListing } from "../../provider/src/service/voices/listing";

interface Server {
  rows: string[];
  largestPage: number;
  totals: boolean;
  /** Limits the rows of a page, but computes its offset from the requested size. */
  offsetsAsRequested?: boolean;
  /** Called before the n-th page is read, to change the account. */
  before?: (page: number, rows: string[]) => void;
}

/** A server that lists these rows in pages. */
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
    return Promise.resolve({ voices, total: totals ? rows.length : undefined, doubt: undefined, more: undefined });
  };
  return { listPage, calls: () => calls };
}

let ticks = 0;

/** The account as a refresh looks at it: a voice is gone if two lists lack it, and prove that they lack none. */
class Account extends Views {
  constructor(client: ConstructorParameters<typeof Views>[0], now = () => ++ticks) {
    super(client, { settleMs: 0 }, { now, sleep: () => Promise.resolve() });
  }

  voices = async () => (await this.atStart()).voices;
  voicesNow = async () => (await this.since(Infinity)).voices;

  async find(voice: string): Promise<ListedVoice | undefined> {
    const first = await this.atStart();
    const second = first.get(voice) ? first : await this.second(first);
    const found = second.get(voice);
    if (found === undefined && (first.doubt ?? second.doubt) !== undefined)
      throw new Error(`the list may be incomplete: ${first.doubt ?? second.doubt}`);
    return found;
  }
}

/** The names of so many voices. */
const names = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);

const read = (listPage: Parameters<typeof readListing>[0]) => readListing(listPage, 1000, () => 0);

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
  const listing = await read(server.listPage);
  expect(listing.voices.map((row) => row.voice)).toEqual(names(count));
  expect(server.calls()).toBe(calls);
  expect(listing.isOneResponse).toBe(singlePage);
});

test.each([true, false])(
  "lists an account whose server gives ten rows but computes offsets from the requested size (totals: %s)",
  async (totals) => {
    const server = pages({ rows: names(50), largestPage: 10, totals, offsetsAsRequested: true });
    expect((await read(server.listPage)).voices).toHaveLength(50);
  },
);

test.each([true, false])("reads a server that counts its pages from 1 to its end (totals: %s)", async (totals) => {
  for (const [count, largestPage] of [
    [3, 10],
    [10, 10],
    [35, 10],
    [250, 100],
  ] as const) {
    const { listPage } = pages({ rows: names(count), largestPage, totals });
    const account = new Account({ listPage: (index, size) => listPage(Math.max(0, index - 1), size) });
    expect(await account.voicesNow()).toHaveLength(count);
    expect(await account.find(`v${count - 1}`)).toBeDefined();
    expect(await account.find("none")).toBeUndefined();
  }
});

test("if a server lists the same round number of rows on each page, only a total shows that it leaves out none", async () => {
  const accountOf = (count: number, total?: number) =>
    new Account({ listPage: () => Promise.resolve({ ...nothing, voices: voicesOf(...names(count)), total }) });
  expect(await accountOf(10, 10).find("none")).toBeUndefined();
  expect(await accountOf(9).find("none")).toBeUndefined();
  for (const total of [undefined, 12]) {
    await expect(accountOf(10, total).find("none")).rejects.toThrow(/each of its pages repeats the first one/);
    expect(await accountOf(10, total).voices()).toHaveLength(10);
  }
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
  const { listPage } = pages({ rows: names(3), largestPage: 1000, totals: true });
  const cut = async (index: number, size: number) =>
    index > 0 ? Promise.reject(gone) : { ...(await listPage(index, size)), total: 5 };
  await expect(new Account({ listPage: cut }).find("none")).rejects.toThrow(
    /it states a total of 5 voices, but lists 3/,
  );
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
    if (found instanceof Error) expect(found.message).toMatch(/it states a total of \d+ voices, but lists \d+/);
    else expect(found).toMatchObject({ voice: name });
  }
});

test("deletions by this process cause no further list calls", async () => {
  const rows = names(30);
  const server = pages({ rows, largestPage: 10, totals: true });
  const account = new Account({ listPage: server.listPage });
  await account.voices();
  account.recordChange("v3");
  rows.splice(3, 1);
  expect(await account.find("none")).toBeUndefined();
  // Two readings, each of three pages and an empty one.
  expect(server.calls()).toBe(8);
});

test("concurrent look-ups share one list call", async () => {
  const server = pages({ rows: names(3), largestPage: 10, totals: true });
  const account = new Account({ listPage: server.listPage });
  await Promise.all(Array.from({ length: 100 }, () => account.voices()));
  expect(server.calls()).toBe(2);
  await account.voicesNow();
  expect(server.calls()).toBe(4);
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

test("confirms any number of absent voices with one more listing", async () => {
  const server = pages({ rows: names(30), largestPage: 10, totals: true });
  const account = new Account({ listPage: server.listPage });
  for (let index = 30; index < 60; index++) expect(await account.find(`v${index}`)).toBeUndefined();
  expect(server.calls()).toBe(8);
});

const voicesOf = (...some: string[]) => some.map((voice) => ({ voice, targetModel: "m" }));
const nothing = { total: undefined, doubt: undefined, more: undefined };
const doubtful = { ...nothing, voices: [], doubt: "it has no place for voices" };

describe("a voice that something says exists is not concluded to be gone", () => {
  const held = "v-held";
  const find = (listPage: (index: number) => Partial<ListPage>) =>
    new Account({ listPage: (index) => Promise.resolve({ ...nothing, voices: [], ...listPage(index) }) }).find(held);

  test.each<[string, (index: number) => Partial<ListPage>, RegExp]>([
    ["if the first response is not understood whole", () => doubtful, /no place for voices/],
    [
      "if the page behind the last one is not",
      (index) => (index === 0 ? { voices: voicesOf("v-1") } : doubtful),
      /no place/,
    ],
    [
      "if its total counts more",
      (index) => ({ voices: index === 0 ? voicesOf("v-1") : [], total: 2 }),
      /it states a total of 2 voices, but lists 1/,
    ],
    [
      "if the response says that there are more",
      (index) => ({ voices: index === 0 ? voicesOf("v-1") : [], more: "has_more" }),
      /has_more says/,
    ],
    [
      "if a voice comes twice on its pages",
      (index) => ({ voices: [voicesOf("v-1", "v-2"), voicesOf("v-2", "v-3"), []][index] ?? [] }),
      /two of its pages list the same voice/,
    ],
  ])("%s", async (_, listPage, reason) => {
    await expect(find(listPage)).rejects.toThrow(reason);
  });

  test("if the pages have no stable order, and a row is never shown", async () => {
    let reading = 0;
    const orders = [
      [["a", "b"], ["b", "c"], []],
      [["c", "a"], ["a", "b"], []],
      [["a", "b"], ["c", "v-held"], []],
    ];
    const account = new Account({
      listPage: (index) => {
        if (index === 0) reading++;
        const order = orders[Math.min(reading, orders.length) - 1] ?? [];
        return Promise.resolve({ ...nothing, voices: voicesOf(...(order[index] ?? [])) });
      },
    });
    expect(await account.find(held)).toMatchObject({ voice: held });
  });
});

test("a page that leaves out its place ends a list whose total is right", async () => {
  const listPage = (index: number) =>
    Promise.resolve(index === 0 ? { ...nothing, voices: voicesOf("v-1", "v-2"), total: 2 } : { ...doubtful, total: 2 });
  expect(await new Account({ listPage }).find("none")).toBeUndefined();
});

test("an empty account is enough for a first voice, whatever the list looks like", async () => {
  const account = new Account({ listPage: () => Promise.resolve(doubtful) });
  expect(await account.voices()).toEqual([]);
  expect((await account.atStart()).named("bob_1a34567")).toEqual([]);
});

test.each<[what: string, totalOf: (page: string[], count: number, largestPage: number) => number]>([
  ["the pages", (_, count, largestPage) => Math.ceil(count / largestPage)],
  ["the voices of its page", (page) => page.length],
])("a total that counts %s ends no list", async (_, totalOf) => {
  const sizes = [6, 8, 9, 20].flatMap((count) => [1, 2, 3, 4, 5].map((largestPage) => [count, largestPage] as const));
  for (const [count, largestPage] of [...sizes, [5, 1000], [100, 100], [250, 100], [35, 10]] as const) {
    const { listPage } = pages({ rows: names(count), largestPage, totals: false });
    const counting = async (index: number, size: number) => {
      const page = await listPage(index, size);
      const voices = page.voices.map(({ voice }) => voice);
      return { ...page, total: totalOf(voices, count, largestPage) };
    };
    const account = new Account({ listPage: counting });
    expect(await account.find(`v${count - 1}`)).toBeDefined();
    expect(await account.find("none")).toBeUndefined();
    expect(await account.voicesNow()).toHaveLength(count);
  }
});

test.each([
  ["pages", 1, 0, 1000],
  ["voices", 1000, 0, 101],
  ["minutes", 10, 5000, 120],
])("a list without end is read up to so many %s, once, and proves nothing", async (...[, rows, msEach, calls]) => {
  let asked = 0;
  const listPage = (): Promise<ListPage> => {
    const voices = Array.from({ length: rows }, (_, row) => ({ voice: `svc-${asked}-${row}`, targetModel: "m" }));
    asked++;
    return Promise.resolve({ ...nothing, voices });
  };
  const account = new Account({ listPage }, () => asked * msEach);
  for (const name of ["none", "nobody"])
    await expect(account.find(name)).rejects.toThrow(/the list may be incomplete: it did not end within 1000 pages/);
  expect(await account.find("svc-0-0")).toBeDefined();
  expect(asked).toBeLessThanOrEqual(calls);
});

test("a list is doubted if any of its pages counts more voices than were read", async () => {
  const page = (voices: string[], total: number): ListPage => ({
    voices: voices.map((voice) => ({ voice, targetModel: "m", createdAt: "" })),
    ...{ total, doubt: undefined, more: undefined },
  });
  const listed = (totals: number[]) =>
    read((index) => Promise.resolve(page(index < 2 ? [`a${index}`, `b${index}`] : [], totals[index] ?? 0)));
  expect(await listed([6, 6, 0])).toMatchObject({ doubt: "it states a total of 6 voices, but lists 4" });
  // Totals of a page, and of a list that ends as it began.
  expect((await listed([2, 2, 0])).doubt).toBeUndefined();
  expect((await listed([4, 4, 4])).doubt).toBeUndefined();
});
