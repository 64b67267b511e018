import { RejectedError } from "../../errors";
import { loadedAfterCall } from "../../once";
import type { Clock } from "../clock";
import type { VoiceClient } from "./client";
import { type Listing, pageSizes, readListing } from "./listing";

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
