import type { ListedVoice, VoiceClient } from "./client";
import { Listing } from "./listing";
import { walkVoices } from "./walk";

interface Looked {
  listing: Listing;
  countAtStart: number;
  atOnce: boolean;
}

/**
 * The account's voices as this process knows them: one walk of the list, plus what this process itself made, took and deleted
 * since. One provider process serves one operation of the engine, so this view is as old as the operation at most.
 */
export class Account {
  private first: Promise<Looked> | undefined;
  private second: Promise<Looked> | undefined;
  private counting: Promise<number> | undefined;
  /** What was looked up so far, to be kept up with this process's own doings. */
  private readonly listings: Listing[] = [];
  private readonly made = new Map<string, ListedVoice>();
  private readonly deleted = new Set<string>();
  private readonly live = new Set<string>();

  constructor(private readonly client: Pick<VoiceClient, "listPage">) {}

  /** All voices, from the process's one walk. */
  async voices(): Promise<ListedVoice[]> {
    return (await this.look()).listing.all();
  }

  /** How many there were when this process first looked. Asked once, also when that failed: a preview of a thousand goes on without. */
  countAtStart(): Promise<number> {
    return (this.counting ??= this.look().then((looked) => looked.countAtStart));
  }

  /** All voices, from a list fetched now. */
  async voicesNow(): Promise<ListedVoice[]> {
    return (await walkVoices(this.client.listPage)).voices;
  }

  /** The voice of this name. An absence that a walk in several pages reports is confirmed by one more walk for the whole process. */
  async find(voice: string): Promise<ListedVoice | undefined> {
    const first = await this.look();
    return first.listing.get(voice) ?? (first.atOnce ? undefined : (await this.lookAgain()).listing.get(voice));
  }

  /** Voices created under this preferred name, for this model. Absence is confirmed as in {@link find}. */
  async named(preferredName: string, targetModel: string): Promise<ListedVoice[]> {
    const first = await this.look();
    const found = first.listing.named(preferredName, targetModel);
    return found.length > 0 || first.atOnce ? found : (await this.lookAgain()).listing.named(preferredName, targetModel);
  }

  /** The same from a list fetched now: for what may have happened since the walk. */
  async namedNow(preferredName: string, targetModel: string): Promise<ListedVoice[]> {
    return this.withOwnDoings(new Listing(await this.voicesNow())).named(preferredName, targetModel);
  }

  /** This process created the voice, or took it for a resource of its own. */
  noteMade(voice: ListedVoice): void {
    this.made.set(voice.voice, voice);
    this.live.add(voice.voice);
    for (const listing of this.listings) listing.add(voice);
  }

  /** Whether this process created the voice, or took it for a resource. */
  isMadeHere(voice: string): boolean {
    return this.made.has(voice);
  }

  /** The engine keeps the resource that holds this voice. */
  noteLive(voice: string): void {
    this.live.add(voice);
  }

  noteDeleted(voice: string): void {
    this.deleted.add(voice);
    this.made.delete(voice);
    for (const listing of this.listings) listing.remove(voice);
  }

  /** Whether a resource that stays holds this voice, as far as this process was told. */
  isLive(voice: string): boolean {
    return this.live.has(voice);
  }

  private look(): Promise<Looked> {
    // A walk that failed is not the last word: the next who asks tries again.
    return (this.first ??= this.walk().catch((error: unknown) => {
      this.first = undefined;
      throw error;
    }));
  }

  private lookAgain(): Promise<Looked> {
    return (this.second ??= this.walk().catch((error: unknown) => {
      this.second = undefined;
      throw error;
    }));
  }

  private async walk(): Promise<Looked> {
    const { voices, atOnce } = await walkVoices(this.client.listPage);
    const listing = this.withOwnDoings(new Listing(voices));
    this.listings.push(listing);
    return { listing, countAtStart: voices.length, atOnce };
  }

  private withOwnDoings(listing: Listing): Listing {
    for (const row of this.made.values()) listing.add(row);
    for (const voice of this.deleted) listing.remove(voice);
    return listing;
  }
}
