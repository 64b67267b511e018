import { RejectedError } from "../../errors";
import { loadedAfterCall } from "../../once";
import type { Clock } from "../clock";
import type { VoiceClient } from "./client";
import { type ListHabits, type Listing, pageSizes, readListing } from "./listing";

const maxListings = 6;

/** The operation that reads the list. */
interface Observer {
  /** Whether the operation created or deleted the voice. Such a voice may come and go between lists. */
  wasChangedHere: (voice: string) => boolean;
  onListing: (listing: Listing) => void;
}

/** Reads the account's list, in the largest pages that the service accepts. */
export class ListReader {
  private readonly habits: ListHabits = { totalsCountAll: false };
  /** The largest page size that the service has not refused. */
  private pageSize: number = pageSizes[0];

  constructor(
    private readonly client: Pick<VoiceClient, "listPage">,
    private readonly clock: Pick<Clock, "now">,
    private readonly observer: Observer,
  ) {}

  /** A listing that begins after this call. Calls during a listing share the next listing. */
  readonly now = loadedAfterCall(async () => {
    const listing = await this.listInPages(this.pageSize);
    this.observer.onListing(listing);
    return listing;
  });

  /** The contract allows pages of any size. If a service refuses a large one, smaller pages are requested. */
  private async listInPages(pageSize: number): Promise<Listing> {
    try {
      const { listPage } = this.client;
      const listing = await readListing(listPage, pageSize, this.habits, () => this.clock.now());
      this.pageSize = pageSize;
      return listing;
    } catch (error) {
      const smaller = pageSizes.find((size) => size < pageSize);
      if (!(error instanceof RejectedError) || smaller === undefined) throw error;
      // If the service refuses every size, the size is not the reason, and the first error describes it best.
      return this.listInPages(smaller).catch(() => Promise.reject(error));
    }
  }

  /**
   * Reads the list until a listing is one complete response, or has all voices of the listing before. Voices that this
   * operation created or deleted do not count. A list of several pages can lack a voice, e.g. if another voice is
   * deleted between two pages.
   */
  async stable(first: Listing): Promise<Listing> {
    if (first.isEndless || (first.isOneResponse && first.doubt === undefined)) return first;
    let previous = first;
    for (let listings = 1; listings < maxListings; listings++) {
      const next = await this.now();
      if (next.isEndless) return next;
      if (
        next.doubt === undefined &&
        (next.isOneResponse || (previous.doubt === undefined && this.agree(previous, next)))
      )
        return next;
      // The same doubt again will not be resolved by another list.
      if (next.doubt !== undefined && next.doubt === previous.doubt && listings > 1) return next;
      previous = next;
    }
    const doubt = `voices were added or deleted during each of ${maxListings} attempts to read it`;
    return { ...previous, doubt: previous.doubt ?? doubt };
  }

  private agree(one: Listing, other: Listing): boolean {
    const names = (listing: Listing) =>
      new Set(listing.voices.flatMap(({ voice }) => (this.observer.wasChangedHere(voice) ? [] : [voice])));
    const [before, after] = [names(one), names(other)];
    // Voices may be new in the second list: an added voice can't hide another one.
    return [...before].every((voice) => after.has(voice));
  }
}
