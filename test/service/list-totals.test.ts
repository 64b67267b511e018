import { Account } from "../../provider/src/service/voices/account";
import type { ListPage } from "../../provider/src/service/voices/client";
import { listAll } from "../../provider/src/service/voices/list-all";
import { names, otherTotals, pages } from "../support/voice-pages";

/** Services whose total is not the number of the account's voices. */

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
