import { voiceCarriesName } from "../../decide/naming";
import type { ListedVoice, VoiceClient } from "./client";
import { type Walk, walkVoices } from "./walk";

/**
 * The account's voices as this process knows them: one walk of the list, plus what this process itself made, took and deleted
 * since. One provider process serves one operation of the engine, so this view is as old as the operation at most.
 */
export class Account {
  private walking: Promise<Walk> | undefined;
  private confirming: Promise<Walk> | undefined;
  private readonly made = new Map<string, ListedVoice>();
  private readonly deleted = new Set<string>();
  private readonly live = new Set<string>();

  constructor(private readonly client: Pick<VoiceClient, "listPage">) {}

  /** All voices, from the process's one walk. */
  async voices(): Promise<ListedVoice[]> {
    return this.withOwnDoings((await this.walk()).voices);
  }

  /** How many there were when this process first looked. */
  async countAtStart(): Promise<number> {
    return (await this.walk()).voices.length;
  }

  /** All voices, from a list fetched now. */
  async voicesNow(): Promise<ListedVoice[]> {
    return (await walkVoices(this.client.listPage)).voices;
  }

  /** The voice of this name. An absence that a walk in several pages reports is confirmed by one more walk for the whole process. */
  async find(voice: string): Promise<ListedVoice | undefined> {
    return (await this.matching((row) => row.voice === voice))[0];
  }

  /** Voices created under this preferred name, for this model. Absence is confirmed as in {@link find}. */
  named(preferredName: string, targetModel: string): Promise<ListedVoice[]> {
    return this.matching(bears(preferredName, targetModel));
  }

  /** The same from a list fetched now: for what may have happened since the walk. */
  async namedNow(preferredName: string, targetModel: string): Promise<ListedVoice[]> {
    return this.withOwnDoings(await this.voicesNow()).filter(bears(preferredName, targetModel));
  }

  /** This process created the voice, or took it for a resource of its own. */
  noteMade(voice: ListedVoice): void {
    this.made.set(voice.voice, voice);
    this.live.add(voice.voice);
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
  }

  /** Whether a resource that stays holds this voice, as far as this process was told. */
  isLive(voice: string): boolean {
    return this.live.has(voice);
  }

  private async matching(matches: (row: ListedVoice) => boolean): Promise<ListedVoice[]> {
    const first = (await this.voices()).filter(matches);
    if (first.length > 0 || (await this.walk()).atOnce) return first;
    this.confirming ??= walkVoices(this.client.listPage);
    return this.withOwnDoings((await this.confirming).voices).filter(matches);
  }

  private walk(): Promise<Walk> {
    return (this.walking ??= walkVoices(this.client.listPage));
  }

  private withOwnDoings(listed: ListedVoice[]): ListedVoice[] {
    const all = new Map(listed.map((row) => [row.voice, row]));
    for (const [name, row] of this.made) all.set(name, all.get(name) ?? row);
    for (const name of this.deleted) all.delete(name);
    return [...all.values()];
  }
}

function bears(preferredName: string, targetModel: string): (row: ListedVoice) => boolean {
  return (row) => row.targetModel === targetModel && voiceCarriesName(row.voice, preferredName);
}
