import { onceSuccessful } from "../../once";
import type { ListedVoice, VoiceClient } from "./client";
import { VoiceIndex } from "./voice-index";
import { listUntilStable, type Listing, listAll } from "./list-all";

interface Looked {
  walk: Listing;
  listing: VoiceIndex;
}

/**
 * The account's voices as this process knows them: one walk of the list, plus what this process itself made, took and deleted
 * since. One provider process serves one operation of the engine, so this view is as old as the operation at most.
 */
export class Account {
  private counting: Promise<number> | undefined;
  /** What was looked up so far, to be kept up with this process's own doings. */
  private readonly listings: VoiceIndex[] = [];
  private readonly made = new Map<string, ListedVoice>();
  private readonly deleted = new Set<string>();
  private readonly live = new Set<string>();
  private walking: Promise<unknown> = Promise.resolve();
  private nextWalk: Promise<Listing> | undefined;

  constructor(private readonly client: Pick<VoiceClient, "listPage">) {}

  /** All voices, from the process's one walk. */
  async voices(): Promise<ListedVoice[]> {
    return (await this.look()).listing.all();
  }

  /** How many there were when this process first looked. Asked once, also when that failed: a preview of a thousand goes on without. */
  countAtStart(): Promise<number> {
    return (this.counting ??= this.look().then(({ walk }) => walk.voices.length));
  }

  /** All voices, from a list fetched now. */
  async voicesNow(): Promise<ListedVoice[]> {
    return (await this.walk()).voices;
  }

  /** The voice of this name. An absence is certain. */
  async find(voice: string): Promise<ListedVoice | undefined> {
    const { walk, listing } = await this.look();
    return listing.get(voice) ?? (walk.singlePage ? undefined : (await this.settle()).get(voice));
  }

  /** Voices created under this generated name, for this model. An absence is certain. */
  async named(preferredName: string, targetModel: string): Promise<ListedVoice[]> {
    const { walk, listing } = await this.look();
    const found = listing.named(preferredName, targetModel, true);
    return found.length > 0 || walk.singlePage ? found : (await this.settle()).named(preferredName, targetModel, true);
  }

  /** Those of any name, from a list fetched now: for what may have happened since the walk. */
  async namedNow(preferredName: string, targetModel: string, generated: boolean): Promise<ListedVoice[]> {
    return this.withOwnDoings(new VoiceIndex(await this.settledFrom(await this.walk()))).named(
      preferredName,
      targetModel,
      generated,
    );
  }

  /** Whether the service still lists it, asked now. */
  async isListedNow(voice: string): Promise<boolean> {
    return (await this.settledFrom(await this.walk())).some((row) => row.voice === voice);
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

  private readonly look = onceSuccessful(async (): Promise<Looked> => {
    const walk = await this.walk();
    return { walk, listing: this.keptUp(walk.voices) };
  });

  /** Once for the whole process, however many voices are missing. */
  private readonly settle = onceSuccessful(async () => this.keptUp(await this.settledFrom((await this.look()).walk)));

  private settledFrom(walk: Listing): Promise<ListedVoice[]> {
    return listUntilStable(() => this.walk(), walk, this.deleted);
  }

  private keptUp(voices: ListedVoice[]): VoiceIndex {
    const listing = this.withOwnDoings(new VoiceIndex(voices));
    this.listings.push(listing);
    return listing;
  }

  /** A walk that begins after this call: whoever asks while one is under way shares the next with all others. */
  private walk(): Promise<Listing> {
    return (this.nextWalk ??= this.walking.then(() => {
      this.nextWalk = undefined;
      const walk = listAll(this.client.listPage);
      this.walking = walk.catch(() => undefined);
      return walk;
    }));
  }

  private withOwnDoings(listing: VoiceIndex): VoiceIndex {
    for (const row of this.made.values()) listing.add(row);
    for (const voice of this.deleted) listing.remove(voice);
    return listing;
  }
}
