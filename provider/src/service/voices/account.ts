import type { ListedVoice } from "../../rules/voice";
import { CloudVoiceError, QuotaError, RejectedError } from "../../errors";
import { loadedAfterCall, oncePer, onceSuccessful } from "../../once";
import { hasClonedShape, looksGenerated, hashIn, hashInVoice, nameMatch } from "../../rules/naming";
import type { Settings } from "../../rules/settings";
import { type Clock, systemClock } from "../clock";
import { sentAsId } from "../redact";
import { accountFull, isAboutQuota, mayMeanFull } from "../responses/error";
import type { VoiceClient } from "./client";
import { type Listing, ListReader } from "./listing";

/** The waits between the lists that `until` reads. */
const firstWaitMs = 500;
const longestWaitMs = 5000;

/**
 * Listed voices, indexed by generated name. Without the index, each of a thousand resources would search a thousand
 * rows.
 */
class VoiceIndex {
  private readonly rows = new Map<string, ListedVoice>();
  private readonly byHash = new Map<string, ListedVoice[]>();

  constructor(rows: Iterable<ListedVoice>) {
    for (const row of rows) this.add(row);
  }

  add(row: ListedVoice): void {
    if (this.rows.has(row.voice)) return;
    this.rows.set(row.voice, row);
    const hash = hashInVoice(row.voice);
    const sameHash = this.byHash.get(hash);
    // An array takes a quarter of the memory of a set. An account may have a hundred thousand voices.
    if (sameHash) sameHash.push(row);
    else this.byHash.set(hash, [row]);
  }

  get voices(): readonly ListedVoice[] {
    return [...this.rows.values()];
  }

  get(voice: string): ListedVoice | undefined {
    return this.rows.get(voice);
  }

  /** The voices with this preferred name. */
  named(name: string): readonly ListedVoice[] {
    const rows = looksGenerated(name) ? (this.byHash.get(hashIn(name)) ?? []) : this.voices;
    return rows.filter(({ voice }) => nameMatch(voice, name) === "yes");
  }

  /** The voices that may have this preferred name: their ids leave that open. */
  perhapsNamed(name: string): readonly ListedVoice[] {
    return looksGenerated(name) ? [] : this.voices.filter(({ voice }) => nameMatch(voice, name) === "perhaps");
  }
}

/** One reading of the account's list. */
export class VoiceList extends VoiceIndex {
  constructor(
    /** When the reading began. */
    readonly atMs: number,
    readonly listing: Listing,
  ) {
    super(listing.voices);
  }

  /** Why voices may be missing in the list. Undefined if it was understood, and is whole. */
  get doubt(): string | undefined {
    return this.listing.doubt;
  }

  /** Throws for an id that this package would write differently: the look-up could miss a listed voice. */
  override get(voice: string): ListedVoice | undefined {
    sentAsId(voice);
    return super.get(voice);
  }
}

/**
 * Reads the account's list, which may lag, or lack a voice once. Where it matters whether a voice exists, a second
 * list, read `settleSeconds` later, must agree. Calls that need the same list share one reading.
 */
export class Account {
  /** The voices of all lists that were read. */
  readonly seen = new VoiceIndex([]);
  private first: Promise<VoiceList> | undefined;
  private last: { atMs: number; list: Promise<VoiceList> } | undefined;
  /** The voices that this operation created or deleted. Such a voice may be in one list and not in the next. */
  private readonly changed = new Set<string>();
  private readonly reader: ListReader;

  constructor(
    client: Pick<VoiceClient, "listPage">,
    private readonly settings: Partial<Pick<Settings, "voiceQuota" | "settleMs">> = {},
    private readonly clock: Pick<Clock, "now" | "sleep"> = systemClock,
  ) {
    this.reader = new ListReader(client, clock, (voice) => this.changed.has(voice));
  }

  /** The first list of the operation. */
  atStart(): Promise<VoiceList> {
    this.first ??= this.readFirst().catch((error: unknown) => {
      this.first = undefined;
      throw error;
    });
    return this.first;
  }

  /** A list that is read at this time or later. Waits for the time. */
  async since(ms: number): Promise<VoiceList> {
    const waitMs = ms - this.clock.now();
    if (waitMs > 0) await this.clock.sleep(waitMs);
    return this.startedSince(ms);
  }

  /** A second list, read `settleSeconds` after the first. Only if the first is endless, the first itself. */
  async second(first: VoiceList): Promise<VoiceList> {
    // Another reading of an endless list would take as long, and prove nothing either.
    if (first.listing.isEndless) return first;
    const list = await this.since(first.atMs + Math.max(1, this.settings.settleMs ?? 0));
    return this.reader.confirms(first.listing, list.listing) ? list : this.stableOf(list)();
  }

  /** Looks for a voice. `last`: a second list if the first one lacks the voice, else the first. */
  async lookFor(voice: string): Promise<{ first: VoiceList; last: VoiceList; row: ListedVoice | undefined }> {
    const first = await this.atStart();
    const last = first.get(voice) ? first : await this.second(first);
    return { first, last, row: last.get(voice) };
  }

  /**
   * Reads lists until `find` returns something: at once, then at growing intervals, and for the last time at `ms` or
   * later. Always reads one list, even if no time is left, because an earlier list may be out of date. `list`: the last
   * list.
   */
  async until<T>(
    ms: number,
    find: (list: VoiceList) => Promise<T | undefined>,
  ): Promise<{ row: T | undefined; list: VoiceList }> {
    let list = await this.now();
    let remainingMs = ms - list.atMs;
    let row = await find(list);
    for (let waitMs = firstWaitMs; row === undefined && remainingMs > 0; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      await this.clock.sleep(Math.min(waitMs, remainingMs));
      remainingMs -= waitMs;
      list = await this.now();
      row = await find(list);
    }
    return { row, list };
  }

  /** Records that this operation created or deleted the voice. */
  recordChange(voice: string): void {
    this.changed.add(voice);
  }

  /**
   * Adds the number of the account's voices to the error of a create, if the account is full or the error is about a
   * quota. Otherwise undefined. The contract has no code for a full account, so the number of listed voices decides
   * after a lost response or an unknown code.
   */
  async errorIfFull(error: unknown): Promise<CloudVoiceError | undefined> {
    if (!CloudVoiceError.is(error)) return undefined;
    const isReported = error instanceof QuotaError;
    if (!isReported && error.billed !== "unknown" && !mayMeanFull(error)) return undefined;
    const listed = await this.now().catch(() => undefined);
    const voices = clonedVoices(listed?.voices ?? []);
    const isFull = voices.length >= (this.settings.voiceQuota ?? Infinity);
    const isQuota = mayMeanFull(error) && error instanceof RejectedError && isAboutQuota(error);
    if (voices.length === 0 || !(isReported || isFull || isQuota)) return undefined;
    const full = isReported || error.billed === "unknown" || !isFull ? error : accountFull(error);
    const holds = `The account ${isFull ? "is full: it holds" : "holds"} ${voices.length} voices (${howToList}).`;
    return full.advice?.includes(holds) ? full : full.amend({ advice: `${holds} ${full.advice ?? ""}`.trim() });
  }

  private async readFirst(): Promise<VoiceList> {
    const list = await this.startedSince(-Infinity);
    // An empty list that proves nothing may be an error in an unknown form, so read the list again.
    return list.voices.length > 0 || list.doubt === undefined ? list : this.stableOf(list)();
  }

  /** A list of several pages can lack a voice, so its reading must agree with the next one. */
  private readonly stableOf = oncePer(
    ({ atMs, listing }: VoiceList) =>
      onceSuccessful(async () => new VoiceList(atMs, await this.reader.stable(listing))),
    new WeakMap<VoiceList, () => Promise<VoiceList>>(),
  );

  private startedSince(ms: number): Promise<VoiceList> {
    if (this.last !== undefined && this.last.atMs >= ms) return this.last.list;
    return this.now();
  }

  /** A list whose reading begins after the call. */
  readonly now = loadedAfterCall(() => {
    const atMs = this.clock.now();
    const list = this.listAt(atMs);
    this.last = { atMs, list };
    list.catch(() => {
      if (this.last?.list === list) this.last = undefined;
    });
    return list;
  });

  private async listAt(atMs: number): Promise<VoiceList> {
    const listing = await this.reader.now();
    for (const row of listing.voices) this.seen.add(row);
    return new VoiceList(atMs, listing);
  }
}

const howToList = "`npx --no-install pulumi-cloudvoice voices` lists them";

/** Why voices may exist that all these lists lack. Undefined if each list was understood, and is whole. */
export const doubtOf = (...lists: VoiceList[]) => lists.find(({ doubt }) => doubt !== undefined)?.doubt;

/** A list without any voice never proves that a voice of a state is gone. */
export const haveVoices = (...lists: VoiceList[]) => lists.every(({ voices }) => voices.length > 0);

/** Leaves out the service's built-in voices, which do not count towards the quota, if names show which voices these are. */
export function clonedVoices<T extends { voice: string }>(voices: readonly T[]): readonly T[] {
  const cloned = voices.filter(({ voice }) => hasClonedShape(voice));
  return cloned.length === 0 ? voices : cloned;
}
