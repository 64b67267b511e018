import { ServiceError } from "../../errors";
import type { ListedVoice, ListPage } from "./client";

/** What one walk of the list saw. */
export interface Listing {
  voices: ListedVoice[];
  /** One answer held the whole account: what it does not name is not there. */
  singlePage: boolean;
  /** The list gave as many as it counts, where it counts. */
  complete: boolean;
}

type ListPages = (pageIndex: number, pageSize: number) => Promise<ListPage>;

/** Above the service's quota, so that one page is enough wherever the service gives as many rows as it is asked for. */
export const pageSize = 1000;
/** Beyond any account, even of one row a page: a list that has no end. */
const mostPages = 5000;
const mostWalks = 6;

/** The whole list, right for a server that gives fewer rows than asked, counts or does not count, and repeats rows. */
export async function listAll(listPage: ListPages): Promise<Listing> {
  const seen = new Map<string, ListedVoice>();
  const { firstRows, pages, total } = await listPages(listPage, seen, pageSize, 0);
  if (total !== undefined && pages === 1 && seen.size >= total)
    return { voices: [...seen.values()], singlePage: true, complete: true };
  // A server that gives fewer rows than asked may count its pages in rows asked all the same: then page 1 lies beyond its end.
  const mayHaveMore = pages === 2 && seen.size === firstRows && firstRows > 0 && firstRows < pageSize;
  const end = mayHaveMore ? await listPages(listPage, seen, firstRows, 1) : { total };
  return { voices: [...seen.values()], singlePage: false, complete: end.total === undefined || seen.size >= end.total };
}

/** Reads pages into `seen` until the list ends. */
async function listPages(listPage: ListPages, seen: Map<string, ListedVoice>, size: number, from: number) {
  const read = async (pageIndex: number) => {
    const before = seen.size;
    const { voices, total } = await listPage(pageIndex, size);
    for (const voice of voices) seen.set(voice.voice, voice);
    return { rows: voices.length, total, isNews: seen.size > before };
  };
  let firstRows = 0;
  let barrenPages = 0;
  for (let pages = 1; ; pages++) {
    const { rows, total, isNews } = await read(from + pages - 1);
    if (pages === 1) firstRows = rows;
    barrenPages = isNews ? 0 : barrenPages + 1;
    const ended = (total !== undefined && seen.size >= total) || rows === 0 || pages >= mostPages;
    // Pages of repeats alone: a server that ignores the page's number, or rows pushed on by new voices, which the first page shows.
    const repeats = !ended && barrenPages > 1;
    if (ended || (repeats && !(await read(0)).isNews)) return { firstRows, pages, total };
    if (repeats) barrenPages = 0;
  }
}

/**
 * The voices of an account whose list comes in several pages: a deletion between two pages pushes others past the walk, so what a walk
 * did not see may be there. Where the second of two walks misses nothing of the first, nothing that the first saw was deleted
 * meanwhile, so nothing was pushed past it.
 * `mayGo` are voices that we delete ourselves.
 */
export async function listUntilStable(
  walk: () => Promise<Listing>,
  first: Listing,
  mayGo: ReadonlySet<string>,
): Promise<ListedVoice[]> {
  if (first.singlePage) return first.voices;
  const seen = new Map(first.voices.map((row) => [row.voice, row]));
  let last = first;
  for (let walks = 1; walks < mostWalks; walks++) {
    const next = await walk();
    for (const row of next.voices) seen.set(row.voice, row);
    if (next.singlePage) return next.voices;
    const still = new Set(next.voices.map((row) => row.voice));
    if (last.complete && next.complete && last.voices.every(({ voice }) => still.has(voice) || mayGo.has(voice)))
      return [...seen.values()];
    last = next;
  }
  throw new ServiceError(
    "the account's voices could not be told: " +
      (last.complete
        ? `others delete voices while the list is read, ${mostWalks} times over`
        : "the list counts more voices than it gives") +
      ". Nothing was changed; run it again",
  );
}
