import { ServiceError } from "../../errors";
import type { ListedVoice, ListPage } from "./client";

/** The result of reading the whole list once. */
export interface Listing {
  voices: ListedVoice[];
  /** One response held the whole account, so a voice that it does not contain does not exist. */
  singlePage: boolean;
  /** The list held at least as many voices as its own count says. True if it has no count. */
  complete: boolean;
}

type ReadPage = (pageIndex: number, pageSize: number) => Promise<ListPage>;

/**
 * The rows of a page to request. The first is the service's quota of voices, so that one page is enough if the service
 * gives as many rows as requested. The others are for a service that refuses such large pages.
 */
export const pageSizes = [1000, 100, 10] as const;
/** More than any account needs, even with one row a page. It ends the reading of a list that never ends. */
const maxPages = 5000;
const maxListings = 6;

/**
 * Reads the whole list. The contract leaves open how many rows a page holds and whether there is a total, so this
 * handles servers that give fewer rows than requested, give no total, or repeat rows.
 */
export async function listAll(readPage: ReadPage, pageSize: number = pageSizes[0]): Promise<Listing> {
  const found = new Map<string, ListedVoice>();
  const { firstPageRows, pages, total } = await readPages(readPage, found, pageSize, 0);
  if (total !== undefined && pages === 1 && found.size >= total)
    return { voices: [...found.values()], singlePage: true, complete: true };
  // Page 1 was empty, after a page 0 with fewer rows than requested. Either the list ends here, or the server limits
  // the rows of a page but computes offsets from the requested size, so that page 1 began behind rows that page 0 did
  // not give. In that case, requesting as many rows as the server gave makes both sizes equal.
  const mayHaveMore = pages === 2 && found.size === firstPageRows && firstPageRows > 0 && firstPageRows < pageSize;
  const last = mayHaveMore ? await readPages(readPage, found, firstPageRows, 1) : { total };
  const complete = last.total === undefined || found.size >= last.total;
  return { voices: [...found.values()], singlePage: false, complete };
}

/** Reads pages from `startIndex` on into `found` until the list ends. */
async function readPages(readPage: ReadPage, found: Map<string, ListedVoice>, size: number, startIndex: number) {
  const addPage = async (pageIndex: number) => {
    const before = found.size;
    const { voices, total } = await readPage(pageIndex, size);
    for (const voice of voices) found.set(voice.voice, voice);
    return { rows: voices.length, total, hasNewRows: found.size > before };
  };
  let firstPageRows = 0;
  let pagesWithoutNewRows = 0;
  for (let pages = 1; ; pages++) {
    const { rows, total, hasNewRows } = await addPage(startIndex + pages - 1);
    if (pages === 1) firstPageRows = rows;
    pagesWithoutNewRows = hasNewRows ? 0 : pagesWithoutNewRows + 1;
    const ended = (total !== undefined && found.size >= total) || rows === 0 || pages >= maxPages;
    if (ended) return { firstPageRows, pages, total };
    if (pagesWithoutNewRows < 2) continue;
    // Two pages of repeated rows. Either the server ignores the page index, or new voices at the head of the list
    // shift known rows to later pages. New voices would appear on the first page, so without any there, the list has
    // no more rows.
    if (!(await addPage(0)).hasNewRows) return { firstPageRows, pages, total };
    pagesWithoutNewRows = 0;
  }
}

/**
 * All voices of an account, safe against concurrent deletions. If a voice is deleted while a list of several pages is
 * read, later rows move to pages that were already read, so an existing voice can be missing from the result.
 * Therefore the list is read until the second of two consecutive listings contains every voice of the first. Then
 * nothing was deleted in between, so no row moved past the reader. Voices in `deletedByUs` are expected to disappear.
 */
export async function listUntilStable(
  readList: () => Promise<Listing>,
  first: Listing,
  deletedByUs: ReadonlySet<string>,
): Promise<ListedVoice[]> {
  if (first.singlePage) return first.voices;
  const found = new Map(first.voices.map((row) => [row.voice, row]));
  let previous = first;
  for (let listings = 1; listings < maxListings; listings++) {
    const next = await readList();
    for (const row of next.voices) found.set(row.voice, row);
    if (next.singlePage) return next.voices;
    const names = new Set(next.voices.map((row) => row.voice));
    const nothingLost = previous.voices.every(({ voice }) => names.has(voice) || deletedByUs.has(voice));
    if (previous.complete && next.complete && nothingLost) return [...found.values()];
    previous = next;
  }
  const reason = previous.complete
    ? `other programs deleted voices during each of ${maxListings} attempts to read the list`
    : "the list contains fewer voices than its own count";
  throw new ServiceError(reason, {
    purpose: "listing the account's voices",
    advice: "Nothing was changed. Run the command again.",
  });
}
