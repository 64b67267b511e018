import { NotFoundError, RejectedError } from "../../errors";
import { isAboutQuota } from "../responses/refusal";
import type { ListedVoice, ListPage } from "./client";

/** What was read of the account's list. */
export interface Listing {
  voices: ListedVoice[];
  /** Why voices may exist that are not in it. Undefined if the list is understood completely. */
  doubt: string | undefined;
  /** All texts of its pages except the names of voices, in lower case. */
  texts: string;
  /** A single response had all voices, so none can have moved to another page during the reading. */
  isOneResponse: boolean;
  /** The list did not end within the bounds. Reading it again would take as long. */
  isEndless?: true;
}

type ReadPage = (pageIndex: number, pageSize: number) => Promise<ListPage>;

/** What an operation has learnt about the service's lists. */
export interface ListHabits {
  /**
   * Whether a total counts all voices, and not only those of a page. True once it was right for a list that was read to
   * an empty page.
   */
  totalsCountAll: boolean;
}

/**
 * The page sizes to request. The first is the service's quota of voices, so one page is enough if the service gives as
 * many rows as requested. The others are for a service that refuses such large pages.
 */
export const pageSizes = [1000, 100, 10] as const;
/** These bounds end the reading of an endless list. The quota of an account is 1,000 voices: 100 pages of ten. */
const maxPages = 1000;
const maxVoices = 100_000;
const maxListingMs = 600_000;
/** All pages are searched at once, and each may have 8 MB. */
const maxTextMb = 32;

/**
 * Reads the list to its end, once. The contract leaves open how many rows a page holds, whether there is a total, and
 * what it counts. So a list ends with an empty page, or at a total that was right before.
 */
export async function readListing(
  readPage: ReadPage,
  pageSize: number,
  habits: ListHabits,
  now: () => number = Date.now,
): Promise<Listing> {
  const untilMs = now() + maxListingMs;
  const found = new Map<string, ListedVoice>();
  const doubts: string[] = [];
  const texts: string[] = [];
  let textLength = 0;
  let total: number | undefined;
  let more: string | undefined;
  const add = (page: ListPage): number => {
    const before = found.size;
    for (const row of page.voices) found.set(row.voice, row);
    texts.push(page.texts ?? "");
    textLength += page.texts?.length ?? 0;
    if (page.doubt !== undefined) doubts.push(page.doubt);
    if (page.total !== undefined && found.size > page.total) habits.totalsCountAll = false;
    total = page.total;
    more = page.more;
    return found.size - before;
  };
  const listing = (isOneResponse = false): Listing => {
    const missing =
      (total ?? 0) > found.size ? `it states a total of ${total} voices, but lists ${found.size}` : undefined;
    const doubt = doubts[0] ?? missing ?? (more && `${more} says that there are more`);
    return { voices: [...found.values()], doubt, texts: texts.join("\n"), isOneResponse };
  };

  const first = await readPage(0, pageSize);
  add(first);
  if (first.voices.length === 0) return listing(true);
  let rows = first.voices.length;
  let last = first;
  const isBounded = () => found.size <= maxVoices && textLength <= maxTextMb * 2 ** 20 && now() < untilMs;
  for (let index = 1; index < maxPages && isBounded(); index++) {
    if (habits.totalsCountAll && total === found.size) return listing(index === 1);
    const page = await readPage(index, pageSize).catch((error: unknown) =>
      refusedEnd(error, rows < Math.min(pageSize, index > 1 ? first.voices.length : pageSize), total),
    );
    rows = page.voices.length;
    if (rows === 0) return ended(page, index);
    const added = add(page);
    const isAgain = isSamePage(page, first) || isSamePage(page, last);
    last = page;
    if (added === rows) continue;
    if (added === 0 && isAgain && (await isFirstUnchanged())) {
      more ??= page.mayHaveMore;
      return listing();
    }
    doubts.push("a voice came twice on its pages");
  }
  const bounds = `${maxPages} pages, ${maxVoices} voices, ${maxTextMb} MB or ${maxListingMs / 60_000} minutes`;
  doubts.unshift(`it did not end within ${bounds}`);
  return { ...listing(), isEndless: true };

  /**
   * Handles the page after the last one. If it lacks the place of the voices, a correct total shows that the list has
   * ended.
   */
  async function ended(page: ListPage, pages: number): Promise<Listing> {
    const isRight = page.total === found.size;
    texts.push(page.texts ?? "");
    // Page 1 was empty, after a page with fewer rows than requested. The server may limit the rows of a page and
    // compute offsets from the requested size. Requesting as many rows as it gave makes both sizes equal.
    if (pages === 1 && first.voices.length < pageSize && !isRight) {
      const next = await readPage(1, first.voices.length).catch((error: unknown) => refusedEnd(error, true, total));
      if (next.voices.length > 0 && next.voices.some(({ voice }) => !found.has(voice)))
        return readListing(readPage, first.voices.length, habits, now);
    }
    if (isRight && page.doubt === undefined && page.total !== pages) habits.totalsCountAll = true;
    if (page.doubt !== undefined && !(isRight && total === page.total)) doubts.push(page.doubt);
    if (page.more !== undefined || more !== undefined) more = page.more;
    // The page may come from another replica, or voices were deleted meanwhile: rows may have moved past the reader.
    const counted = first.total ?? 0;
    if (counted > first.voices.length && counted > found.size && found.size > (page.total ?? Infinity))
      doubts.push(`its first page counts ${counted} voices, and its last one ${page.total}`);
    total = page.total ?? (page.doubt === undefined ? undefined : total);
    return listing(habits.totalsCountAll && pages === 1 && first.total === found.size);
  }

  /**
   * Reads the first page again. If it shows nothing new, the server ignores the index of the page, or repeats its last
   * page. Otherwise new voices at the head of the list have moved rows to later pages.
   */
  async function isFirstUnchanged(): Promise<boolean> {
    return add(await readPage(0, pageSize)) === 0;
  }
}

function isSamePage({ voices }: ListPage, other: ListPage): boolean {
  const names = new Set(other.voices.map(({ voice }) => voice));
  return voices.length === names.size && voices.every(({ voice }) => names.has(voice));
}

/** The service itself may refuse a page after the last one; a gateway may not. Rejects with any other refusal. */
function refusedEnd(error: unknown, isBehindLast: boolean, total: number | undefined): ListPage {
  const isRefusal = error instanceof NotFoundError || error instanceof RejectedError;
  if (!isRefusal || !isBehindLast || (error.code ?? error.requestId) === undefined) throw error;
  // Another refusal may come from a firewall, concern the plan, or concern any call.
  const isOfPage = [400, 404, 410, 416, 422].includes(error.status ?? 0) && !isAboutQuota(error);
  const doubt = isOfPage || error instanceof NotFoundError ? undefined : `a page was refused: ${error.reason}`;
  return { voices: [], total, doubt, more: undefined };
}
