import { NotFoundError, RejectedError, ServiceError, UnexpectedAnswerError } from "../../errors";
import type { ListedVoice, ListPage } from "./client";

export interface Listing {
  voices: ListedVoice[];
  /** One response held the whole account, so a voice that it does not contain does not exist. */
  singlePage: boolean;
  /** How many more its total counts: not voices, if that never changes. Infinite if voices may be missing. */
  surplus: number;
  /** The totals of this service count all voices, and not only those of a page. */
  totalsCountAll: boolean;
  /** Set if the first page has no place for voices that was recognised: the names of its fields. */
  unrecognised?: string | undefined;
}

interface ListOptions {
  pageSize?: number;
  totalsCountAll?: boolean;
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
 * Reads the whole list. The contract leaves open how many rows a page holds, whether there is a total, and what it
 * counts, so this handles servers that give fewer rows than requested, give no total or one of each page, or repeat
 * rows. A total may also count pages, so it is believed once it was right at the end of a list that was read to an empty
 * page. So a list that one page holds takes a second request, but only until a total was believed.
 * `totalsCountAll`: an earlier listing has shown that the totals count all voices.
 */
export async function listAll(readPage: ReadPage, options: ListOptions = {}, attempts = 3): Promise<Listing> {
  try {
    return await readAll(readPage, options);
  } catch (error) {
    if (!(error instanceof ContradictionError) || attempts === 1) throw error;
    return listAll(readPage, options, attempts - 1);
  }
}

async function readAll(
  readPage: ReadPage,
  { pageSize = pageSizes[0], totalsCountAll = false }: ListOptions,
): Promise<Listing> {
  const reader = new Reader(readPage, totalsCountAll);
  const { first, pages } = await reader.readPages(pageSize, 0);
  // Page 1 was empty, after a page 0 with fewer rows than requested. Either the list ends here, or the server limits
  // the rows of a page but computes offsets from the requested size, so that page 1 began behind rows that page 0 did
  // not give. In that case, requesting as many rows as the server gave makes both sizes equal.
  const mayHaveMore = pages === 2 && reader.found.size === first.rows && first.rows > 0 && first.rows < pageSize;
  if (mayHaveMore && !reader.holdsTotal) await reader.readPages(first.rows, 1);
  const voices = [...reader.found.values()];
  const isWhole =
    first.rows === 0 ? first.unrecognised === undefined : reader.totalsCountAll && first.rows === first.total;
  const surplus = Math.max(0, (reader.total ?? 0) - voices.length);
  return {
    voices,
    singlePage: isWhole && voices.length === first.rows,
    surplus: reader.hasEnded || surplus === 0 ? surplus : Infinity,
    totalsCountAll: reader.totalsCountAll,
    unrecognised: first.unrecognised,
  };
}

/** A list that changes while it is read may contradict itself. */
class ContradictionError extends UnexpectedAnswerError {}

type ReadPageResult = Omit<ListPage, "voices"> & { rows: number };

class Reader {
  readonly found = new Map<string, ListedVoice>();
  /** The total of the page that was read last, and whether that was an empty list. */
  total: number | undefined;
  hasEnded = false;

  constructor(
    private readonly readPage: ReadPage,
    public totalsCountAll: boolean,
  ) {}

  /** Whether all voices that the total counts were found. */
  get holdsTotal(): boolean {
    return this.totalsCountAll && this.total !== undefined && this.found.size >= this.total;
  }

  /** Reads pages from `startIndex` on until the list ends. */
  async readPages(size: number, startIndex: number): Promise<{ first: ReadPageResult; pages: number }> {
    const first = await this.read(startIndex, size, startIndex > 0);
    let last = first;
    let pagesWithoutNewRows = 0;
    for (let pages = 1; ; pages++) {
      if (this.hasEnded)
        this.totalsCountAll ||= this.total === this.found.size && this.total !== startIndex + pages - 1;
      if (this.holdsTotal || last.rows === 0 || pages >= maxPages) return { first, pages };
      const before = this.found.size;
      last = await this.read(startIndex + pages, size, last.rows < (last === first ? size : first.rows));
      pagesWithoutNewRows = this.found.size > before ? 0 : pagesWithoutNewRows + 1;
      if (pagesWithoutNewRows < 2 || last.rows === 0) continue;
      // Two pages of repeated rows: the server ignores the page index, or new voices at the head of the list shift rows
      // to later pages. Those voices would be on the first page. Without any there, the list has no more rows.
      const known = this.found.size;
      await this.read(0, size);
      if (this.found.size === known) return { first, pages: pages + 1 };
      pagesWithoutNewRows = 0;
    }
  }

  /** The service itself, and no gateway, may refuse a page behind the last one. Then the page proves no total. */
  private async read(pageIndex: number, pageSize: number, isBehindLast = false): Promise<ReadPageResult> {
    const { voices, total, unrecognised } = await this.readPage(pageIndex, pageSize).catch((error: unknown) => {
      const isRefusal = error instanceof NotFoundError || error instanceof RejectedError;
      if (!isBehindLast || !isRefusal || (error.code ?? error.requestId) === undefined) throw error;
      return { voices: [], total: this.total, unrecognised: error.reason };
    });
    // Without a place for voices, a page is the end only if its total, if any, is that of the pages before it.
    const isContradiction = (total ?? 0) > 0 && (total !== this.total || this.found.size < (total ?? 0));
    if (unrecognised !== undefined && isContradiction)
      throw new ContradictionError(
        `the response names no voices, and ${total} should exist: it has ${unrecognised}`,
        unchanged,
      );
    const before = this.found.size;
    for (const voice of voices) this.found.set(voice.voice, voice);
    const rows = before === 0 ? this.found.size : voices.length;
    this.total = total;
    this.hasEnded = rows === 0 && unrecognised === undefined;
    if (total !== undefined && this.found.size > total) this.totalsCountAll = false;
    return { rows, total, unrecognised };
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
    if (previous.surplus === next.surplus && next.surplus < Infinity && nothingLost) return [...found.values()];
    previous = next;
  }
  const reason = previous.surplus
    ? "the list contains fewer voices than its own count"
    : `other programs deleted voices during each of ${maxListings} attempts to read the list`;
  throw new ServiceError(reason, unchanged);
}

const unchanged = { purpose: "listing the account's voices", advice: "Nothing was changed. Run the command again." };
