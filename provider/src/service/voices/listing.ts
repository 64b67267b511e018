import type { ListedVoice } from "../../rules/voice";
import { NotFoundError, RejectedError } from "../../errors";
import { loadedAfterCall } from "../../once";
import type { Clock } from "../clock";
import { isAboutQuota } from "../responses/error";
import type { ListPage, VoiceClient } from "./client";

export interface Listing extends Required<Pick<ListPage, "voices" | "doubt">> {
  /** Whether one response had all voices, so that none was missed by moving to another page between two requests. */
  isOneResponse: boolean;
  /** Whether the list exceeded the bounds. Reading it again would take as long. */
  isEndless?: true;
}

type ReadPage = (pageIndex: number, pageSize: number) => Promise<ListPage>;

/**
 * The page sizes to request, in this order. The first is the usual quota of voices: if the service allows it, one page
 * is enough. The others are for a service that refuses such large pages.
 */
export const pageSizes = [1000, 100, 10] as const;
/** The sizes of pages are multiples of this number. The service's usual size is 10. */
const roundSize = 10;
/** The bounds against an endless list. With a quota of 1,000 voices and ten voices per page, a list has 100 pages. */
const maxPages = 1000;
const maxVoices = 100_000;
const maxListingMs = 600_000;
/** How often a list is read again that changes meanwhile. */
const maxListings = 6;

/** Reads the account's list, with the largest page size that the service accepts. */
export class ListReader {
  /** The page size of the last successful reading. At first, the largest size. */
  private pageSize: number = pageSizes[0];

  constructor(
    private readonly client: Pick<VoiceClient, "listPage">,
    private readonly clock: Pick<Clock, "now">,
    /** Whether this operation created or deleted the voice. Such a voice may be in one list and not in the next. */
    private readonly wasChangedHere: (voice: string) => boolean,
  ) {}

  /** Reads the list. If the list is being read already, waits and shares the next reading with the other calls. */
  readonly now = loadedAfterCall(() => this.listInPages(this.pageSize));

  /** Reads the list. If the service refuses pages of this size, which its contract allows, tries the next smaller size. */
  private async listInPages(pageSize: number): Promise<Listing> {
    try {
      const { listPage } = this.client;
      const listing = await readListing(listPage, pageSize, () => this.clock.now());
      this.pageSize = pageSize;
      return listing;
    } catch (error) {
      const smaller = pageSizes.find((size) => size < pageSize);
      if (!(error instanceof RejectedError) || smaller === undefined) throw error;
      // If the service refuses the smaller sizes too, the size is not the reason. Report the first error.
      return this.listInPages(smaller).catch(() => Promise.reject(error));
    }
  }

  /**
   * Reads the list until it is one complete response, or has all voices of the reading before. Voices that this
   * operation created or deleted do not count. The second reading is needed because a list of several pages can lack a
   * voice, e.g. if another voice was deleted between two pages.
   */
  async stable(first: Listing): Promise<Listing> {
    if (first.isEndless || (first.isOneResponse && first.doubt === undefined)) return first;
    let previous = first;
    for (let listings = 1; listings < maxListings; listings++) {
      const next = await this.now();
      if (next.isEndless) return next;
      if (next.doubt === undefined && (next.isOneResponse || this.confirms(previous, next))) return next;
      // Another reading would not remove a doubt that two readings have in common.
      if (next.doubt !== undefined && next.doubt === previous.doubt && listings > 1) return next;
      previous = next;
    }
    const doubt = `voices were added or deleted during each of ${maxListings} attempts to read it`;
    return { ...previous, doubt: previous.doubt ?? doubt };
  }

  /**
   * Whether both are whole, and `next` has all voices of `previous`. It may have more, because an added voice can't hide
   * another one.
   */
  confirms(previous: Listing, next: Listing): boolean {
    if (previous.doubt !== undefined || next.doubt !== undefined) return false;
    const listed = new Set(next.voices.map(({ voice }) => voice));
    return previous.voices.every(({ voice }) => listed.has(voice) || this.wasChangedHere(voice));
  }
}

class PagesRead {
  private readonly voices = new Map<string, ListedVoice>();
  /** The first reason why voices may be missing. */
  doubt: string | undefined;
  /** The largest total of a page. A total may count one page only, but never more voices than there are. */
  total = 0;
  private more: string | undefined;

  has = ({ voice }: ListedVoice): boolean => this.voices.has(voice);

  /** Whether a page's total counts all voices that were read. */
  isTotal(total: number | undefined): boolean {
    return total === this.voices.size;
  }

  isBounded(): boolean {
    return this.voices.size <= maxVoices;
  }

  /** Adds a page. Returns how many of its voices are new. */
  add(page: ListPage): number {
    const before = this.voices.size;
    for (const row of page.voices) this.voices.set(row.voice, row);
    this.doubt ??= page.doubt;
    this.total = Math.max(this.total, page.total ?? 0);
    this.more = page.more;
    return this.voices.size - before;
  }

  listing(isOneResponse = false): Listing {
    const { total, more, voices } = this;
    const missing = total > voices.size ? `it states a total of ${total} voices, but lists ${voices.size}` : undefined;
    const open = more && `${more} says that more voices follow`;
    return { voices: [...voices.values()], doubt: this.doubt ?? missing ?? open, isOneResponse };
  }

  endless(): Listing {
    const bounds = `${maxPages} pages, ${maxVoices} voices or ${maxListingMs / 60_000} minutes`;
    return { ...this.listing(), doubt: `it did not end within ${bounds}`, isEndless: true };
  }
}

/**
 * Reads the list once, to its end. The contract does not state how many rows a page has, whether there is a total, and
 * what the total counts. So only an empty page ends the list.
 */
export async function readListing(readPage: ReadPage, pageSize: number, now: () => number): Promise<Listing> {
  const untilMs = now() + maxListingMs;
  const first = await readPage(0, pageSize);
  const pages = new PagesRead();
  pages.add(first);
  if (first.voices.length === 0) return pages.listing(true);
  let last = first;
  for (let index = 1; index < maxPages && pages.isBounded() && now() < untilMs; index++) {
    const isBehindLast = last.voices.length < Math.min(pageSize, index > 1 ? first.voices.length : pageSize);
    const page = await readPage(index, pageSize).catch((error: unknown) =>
      refusedEnd(error, isBehindLast, pages.total),
    );
    if (page.voices.length === 0) {
      const isWhole = pages.isTotal(page.total);
      const size = index === 1 && !isWhole ? await rowsLimit(readPage, pageSize, first, pages) : 0;
      if (size > 0) return readListing(readPage, size, now);
      // If a page after the last one states the right total, the list is whole, even if this page has no list.
      pages.add(isWhole ? { ...page, doubt: undefined } : page);
      return pages.listing(index === 1 && isWhole && pages.isTotal(first.total));
    }
    const added = pages.add(page);
    const [isFirst, isLast] = [isSamePage(page, first), isSamePage(page, last)];
    last = page;
    if (added === page.voices.length) continue;
    // The server may count its pages from 1, and give the first page for 0 too.
    if (index === 1 && isFirst) continue;
    // If the first page has no new voices either, the server repeats its pages after the last one. Otherwise new voices
    // at the head of the list have moved other voices to later pages.
    if (added === 0 && (isFirst || isLast) && pages.add(await readPage(0, pageSize)) === 0) {
      // A server that ignores the page number may ignore the page size too, and then never lists the voices beyond its
      // own page size.
      const mayBeLimited = first.voices.length % roundSize === 0 && !pages.isTotal(page.total);
      if (isFirst && isLast && mayBeLimited) pages.doubt ??= "each of its pages repeats the first one";
      return pages.listing();
    }
    pages.doubt ??= "two of its pages list the same voice";
  }
  return pages.endless();
}

/**
 * Some servers limit the rows of a page, but compute the offset of a page from the requested size: page 0 then has
 * fewer rows than requested, and page 1 is empty. Returns the size to request instead. Returns 0 if this is not such a
 * server.
 */
async function rowsLimit(readPage: ReadPage, pageSize: number, first: ListPage, pages: PagesRead): Promise<number> {
  const size = first.voices.length;
  if (size >= pageSize) return 0;
  const next = await readPage(1, size).catch((error: unknown) => refusedEnd(error, true, pages.total));
  return next.voices.every(pages.has) ? 0 : size;
}

function isSamePage({ voices }: ListPage, other: ListPage): boolean {
  const names = new Set(other.voices.map(({ voice }) => voice));
  return voices.length === names.size && voices.every(({ voice }) => names.has(voice));
}

/** Treats the service's refusal of a page after the last one as an empty page. Rejects with any other error. */
function refusedEnd(error: unknown, isBehindLast: boolean, total: number): ListPage {
  const isRefusal = error instanceof NotFoundError || error instanceof RejectedError;
  if (!isRefusal || !isBehindLast || (error.code ?? error.requestId) === undefined) throw error;
  // These statuses mean that the page does not exist. Any other refusal may come from a firewall, or concern the
  // account's subscription or every call, so it does not prove the end of the list.
  const isOfPage = [400, 404, 410, 416, 422].includes(error.status ?? 0) && !isAboutQuota(error);
  const doubt = isOfPage || error instanceof NotFoundError ? undefined : `a page was refused: ${error.reason}`;
  return { voices: [], total, doubt, more: undefined };
}
