import type { ListedVoice, ListPage } from "../../provider/src/service/voices/client";

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
export function pages({ rows, largestPage, totals, offsetsAsRequested = false, before }: Server) {
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

/** The names of so many voices. */
export const names = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);

/** A server whose total is not the number of its rows. */
export function otherTotals(
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
