import type { ListedVoice, ListPage } from "./client";

export interface Walk {
  voices: ListedVoice[];
  /**
   * True when one answer held the whole account. Otherwise voices that came or went between two pages may have pushed others
   * past the walk, so that "not seen" is not yet "not there".
   */
  atOnce: boolean;
}

/** Above the service's quota, so that one page is enough wherever the service gives as many rows as it is asked for. */
export const pageSize = 1000;

/** The whole list, right for a server that gives fewer rows than asked, counts or does not count, and repeats rows. */
export async function walkVoices(listPage: (pageIndex: number, pageSize: number) => Promise<ListPage>): Promise<Walk> {
  const seen = new Map<string, ListedVoice>();
  for (let pageIndex = 0, barrenPages = 0; ; pageIndex++) {
    const before = seen.size;
    const { voices, total } = await listPage(pageIndex, pageSize);
    for (const voice of voices) seen.set(voice.voice, voice);

    const complete = total !== undefined && seen.size >= total;
    // A page of repeats alone is the end, or rows pushed down by new voices: the page after it tells.
    barrenPages = seen.size === before ? barrenPages + 1 : 0;
    if (complete || voices.length === 0 || barrenPages > 1) {
      return { voices: [...seen.values()], atOnce: complete && pageIndex === 0 };
    }
  }
}
