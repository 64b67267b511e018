import { RejectedError } from "../../errors";
import { onceSuccessful } from "../../once";
import type { ListedVoice, VoiceClient } from "./client";
import { type Listing, listAll, listUntilStable, pageSizes } from "./list-all";
import { VoiceIndex } from "./voice-index";

interface FirstList {
  listing: Listing;
  index: VoiceIndex;
}

/**
 * The account's voices as one operation sees them: the list, read once, plus what the operation itself created and
 * deleted since. A listed voice is certain to exist. Whether an unlisted one is absent is only certain once the list
 * was stable.
 */
export class Account {
  private counting: Promise<number> | undefined;
  /** Every index read so far. Own creates and deletes are added to each. */
  private readonly indexes: VoiceIndex[] = [];
  private readonly created = new Map<string, ListedVoice>();
  private readonly deleted = new Set<string>();
  private listing: Promise<unknown> = Promise.resolve();
  private nextListing: Promise<Listing> | undefined;
  /** The largest page size that the service has not refused. */
  private pageSize: number = pageSizes[0];

  constructor(private readonly client: Pick<VoiceClient, "listPage">) {}

  /** All voices, from the list that the operation reads once. */
  async voices(): Promise<ListedVoice[]> {
    return (await this.firstList()).index.all();
  }

  /**
   * How many voices there were when the operation first looked. Asked once, even if that fails: otherwise a preview
   * of a thousand voices would try a thousand times.
   */
  countAtStart(): Promise<number> {
    return (this.counting ??= this.firstList().then(({ listing }) => listing.voices.length));
  }

  /** All voices, from a list read now. */
  async voicesNow(): Promise<ListedVoice[]> {
    return (await this.listNow()).voices;
  }

  /** The voice with this id. Undefined means that it certainly does not exist. */
  async find(voice: string): Promise<ListedVoice | undefined> {
    const { listing, index } = await this.firstList();
    return index.get(voice) ?? (listing.singlePage ? undefined : (await this.stableList()).get(voice));
  }

  /** The voices created under this generated name for this model. An empty list means that there certainly are none. */
  async named(preferredName: string, targetModel: string): Promise<ListedVoice[]> {
    const { listing, index } = await this.firstList();
    const found = index.named(preferredName, targetModel, true);
    return found.length > 0 || listing.singlePage
      ? found
      : (await this.stableList()).named(preferredName, targetModel, true);
  }

  /** The voices created under any name, from a list read now: for what may have happened since the first list. */
  async namedNow(preferredName: string, targetModel: string, generated: boolean): Promise<ListedVoice[]> {
    const index = this.withOwnChanges(new VoiceIndex(await this.stable(await this.listNow())));
    return index.named(preferredName, targetModel, generated);
  }

  /** Whether the service lists the voice now. */
  async isListedNow(voice: string): Promise<boolean> {
    return (await this.stable(await this.listNow())).some((row) => row.voice === voice);
  }

  /** Records a voice that this operation created or found. */
  add(voice: ListedVoice): void {
    this.created.set(voice.voice, voice);
    for (const index of this.indexes) index.add(voice);
  }

  /** Records a voice that this operation deletes. */
  remove(voice: string): void {
    this.deleted.add(voice);
    this.created.delete(voice);
    for (const index of this.indexes) index.remove(voice);
  }

  private readonly firstList = onceSuccessful(async (): Promise<FirstList> => {
    const listing = await this.listNow();
    return { listing, index: this.keepCurrent(listing.voices) };
  });

  /** Read once per operation, however many voices are missing. */
  private readonly stableList = onceSuccessful(async () =>
    this.keepCurrent(await this.stable((await this.firstList()).listing)),
  );

  private stable(listing: Listing): Promise<ListedVoice[]> {
    return listUntilStable(() => this.listNow(), listing, this.deleted);
  }

  private keepCurrent(voices: ListedVoice[]): VoiceIndex {
    const index = this.withOwnChanges(new VoiceIndex(voices));
    this.indexes.push(index);
    return index;
  }

  /** A listing that begins after this call. Callers that come while one is being read share the next. */
  private listNow(): Promise<Listing> {
    return (this.nextListing ??= this.listing.then(() => {
      this.nextListing = undefined;
      const listing = this.listInPages(this.pageSize);
      this.listing = listing.catch(() => undefined);
      return listing;
    }));
  }

  /** The contract allows pages of any size. A service that refuses a large one is asked for smaller ones. */
  private async listInPages(pageSize: number): Promise<Listing> {
    try {
      const listing = await listAll(this.client.listPage, pageSize);
      this.pageSize = pageSize;
      return listing;
    } catch (error) {
      const smaller = pageSizes.find((size) => size < pageSize);
      if (!(error instanceof RejectedError) || error.status !== 400 || smaller === undefined) throw error;
      // If the service refuses every size, the size is not the reason, and the first error describes it best.
      return this.listInPages(smaller).catch(() => Promise.reject(error));
    }
  }

  private withOwnChanges(index: VoiceIndex): VoiceIndex {
    for (const row of this.created.values()) index.add(row);
    for (const voice of this.deleted) index.remove(voice);
    return index;
  }
}
