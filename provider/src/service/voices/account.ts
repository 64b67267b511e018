import { CloudVoiceError, QuotaError, RejectedError, UnexpectedAnswerError } from "../../errors";
import { loadedAfterCall, once, onceSuccessful } from "../../once";
import type { ListedVoice, VoiceClient } from "./client";
import { type Listing, listAll, listUntilStable, pageSizes } from "./list-all";
import { mayCarryName, voiceCarriesName } from "../../rules/naming";
import { describeHolders } from "../../rules/quota";
import type { Settings } from "../../rules/settings";
import { accountFull, mayMeanFull } from "../classify-refusal";
import { VoiceIndex } from "./voice-index";

export interface NamedVoices {
  preferredName: string;
  targetModel: string;
  /** Whether this package generated the name, so that its hash identifies the voice. */
  generated: boolean;
}

/**
 * The account's voices as one operation sees them: the list, read once, plus what the operation itself created and
 * deleted since. A listed voice is certain to exist. Whether an unlisted one is absent is only certain once the list
 * was stable. A response without a recognised place for voices is the list of an empty account only if nothing says that
 * there are voices.
 */
export class Account {
  /** Every index read so far. Own creates and deletes are added to each. */
  private readonly indexes: VoiceIndex[] = [];
  private readonly created = new Map<string, ListedVoice>();
  private readonly deleted = new Set<string>();
  /** Voices of which something says that they exist: a state, a create, an earlier list. */
  private readonly expected = new Set<string>();
  private totalsCountAll = false;
  /** The smallest surplus of a list so far. A greater one may be a voice that was made since, and is not listed yet. */
  private leastSurplus = Infinity;
  /** The largest page size that the service has not refused. */
  private pageSize: number = pageSizes[0];

  constructor(
    private readonly client: Pick<VoiceClient, "listPage">,
    private readonly settings: Partial<Pick<Settings, "voiceQuota" | "acceptMissing">> = {},
  ) {}

  /** Records that a state or a person names this voice: then a response without a list is no empty account. */
  expectVoice(voice: string): void {
    if (!this.deleted.has(voice)) this.expected.add(voice);
  }

  /** All voices, from the list that the operation reads once. */
  async voices(): Promise<ListedVoice[]> {
    return (await this.readFirst()).index.all();
  }

  /**
   * How many voices there were when the operation first looked. Asked once, even if that fails: otherwise a preview
   * of a thousand voices would try a thousand times.
   */
  readonly countAtStart = once(async () => (await this.readFirst()).listing.voices.length);

  /** All voices, from a list read now. */
  async voicesNow(): Promise<ListedVoice[]> {
    return this.recognised(await this.listNow()).voices;
  }

  /** The same, with those that the operation created. A voice that is not among them certainly does not exist. */
  async allNow(): Promise<ListedVoice[]> {
    const listed = await this.stable(await this.listNow());
    return [...new Map([...this.created.values(), ...listed].map((row) => [row.voice, row])).values()];
  }

  /** The voice with this id. Undefined means that it certainly does not exist. */
  async find(voice: string): Promise<ListedVoice | undefined> {
    this.expectVoice(voice);
    const { listing, index } = await this.readFirst();
    return index.get(voice) ?? (listing.singlePage ? undefined : (await this.stableList()).get(voice));
  }

  /** The voices created under this generated name for this model. An empty list means that there certainly are none. */
  async named(preferredName: string, targetModel: string): Promise<ListedVoice[]> {
    const { listing, index } = await this.readFirst();
    const found = index.named(preferredName, targetModel);
    return found.length > 0 || listing.singlePage ? found : (await this.stableList()).named(preferredName, targetModel);
  }

  /**
   * The voices created under any name, from a list read now: for what may have happened since the first list. With a name
   * that is not generated, also those whose longer name ends with it: the service does not promise how its prefix ends.
   */
  async namedNow({ preferredName, targetModel, generated }: NamedVoices): Promise<ListedVoice[]> {
    return (await this.allNow()).filter(
      (row) =>
        row.targetModel === targetModel &&
        !this.deleted.has(row.voice) &&
        (generated ? voiceCarriesName(row.voice, preferredName, true) : mayCarryName(row.voice, preferredName)),
    );
  }

  /**
   * The error of a create in a full account, which also names what fills it. Undefined if the account is not known to be
   * full: the code for it is not in the contract, so after an unknown one, or without a response, the list decides.
   */
  async errorIfFull(error: unknown): Promise<CloudVoiceError | undefined> {
    if (!CloudVoiceError.is(error)) return undefined;
    const isSaid = error instanceof QuotaError;
    if (!isSaid && error.billed !== "unknown" && !mayMeanFull(error)) return undefined;
    const voices = await this.voicesNow().catch(() => []);
    const isFull = voices.length >= (this.settings.voiceQuota ?? Infinity);
    if (voices.length === 0 || !(isSaid || isFull)) return undefined;
    const full = isSaid || error.billed === "unknown" ? error : accountFull(error);
    const holds = `${isFull ? "The account is full: it" : "It"} holds ${voices.length} voices: ${describeHolders(voices)}.`;
    return full.advice?.includes(holds) ? full : full.amend({ advice: `${holds} ${full.advice ?? ""}`.trim() });
  }

  /** Whether the service lists the voice now, also one that this operation deletes. */
  async isListedNow(voice: string): Promise<boolean> {
    this.expected.add(voice);
    try {
      return (await this.allNow()).some((row) => row.voice === voice);
    } finally {
      if (this.deleted.has(voice)) this.expected.delete(voice);
    }
  }

  add(voice: ListedVoice): void {
    this.created.set(voice.voice, voice);
    this.expectVoice(voice.voice);
    for (const index of this.indexes) index.add(voice);
  }

  remove(voice: string): void {
    this.deleted.add(voice);
    this.created.delete(voice);
    this.expected.delete(voice);
    for (const index of this.indexes) index.remove(voice);
  }

  private readonly firstList = onceSuccessful(async () => {
    const listing = await this.listNow();
    return { listing, index: this.keepCurrent(listing.voices) };
  });

  private async readFirst() {
    const first = await this.firstList();
    this.recognised(first.listing, () => this.expectedAtFirst());
    return first;
  }

  /** Throws if the listing has no recognised place for voices, although something says that there are some. */
  private recognised(listing: Listing, expectedThen = () => this.expected): Listing {
    // With the setting a person says that the voices are gone.
    if (listing.unrecognised === undefined || this.settings.acceptMissing === "all") return listing;
    const expected = expectedThen();
    if (expected.size === 0) return listing;
    const [voice] = expected;
    throw new UnexpectedAnswerError(
      `the response names no voices, and ${expected.size === 1 ? `the voice ${voice ?? ""}` : `${expected.size} voices`} ` +
        `should exist: it has ${listing.unrecognised}`,
      {
        purpose: "listing the account's voices",
        advice:
          "Nothing was changed. Run the command again; if it fails again, report the names of these fields. If the account " +
          "is empty, set CLOUDVOICE_ACCEPT_MISSING=all (or cloudvoice:acceptMissing) for one run.",
      },
    );
  }

  /** Read once per operation, however many voices are missing. */
  private readonly stableList = onceSuccessful(async () =>
    this.keepCurrent(await this.stable((await this.firstList()).listing, () => this.expectedAtFirst())),
  );

  /** The first list is older than the voices that this operation creates. */
  private expectedAtFirst(): Set<string> {
    return new Set([...this.expected].filter((voice) => !this.created.has(voice)));
  }

  private stable(listing: Listing, expectedThen?: () => Set<string>): Promise<ListedVoice[]> {
    const first = this.recognised(listing, expectedThen);
    return listUntilStable(async () => this.recognised(await this.listNow()), first, this.deleted);
  }

  private keepCurrent(voices: ListedVoice[]): VoiceIndex {
    const index = new VoiceIndex(voices);
    for (const row of this.created.values()) index.add(row);
    for (const voice of this.deleted) index.remove(voice);
    this.indexes.push(index);
    return index;
  }

  /** A listing that begins after this call. Callers that come while one is being read share the next. */
  private readonly listNow = loadedAfterCall(() => this.listInPages(this.pageSize));

  /** The contract allows pages of any size. A service that refuses a large one is asked for smaller ones. */
  private async listInPages(pageSize: number): Promise<Listing> {
    try {
      const listing = await listAll(this.client.listPage, { pageSize, totalsCountAll: this.totalsCountAll });
      this.pageSize = pageSize;
      this.totalsCountAll ||= listing.totalsCountAll;
      if (listing.surplus > this.leastSurplus) listing.surplus = Infinity;
      else this.leastSurplus = listing.surplus;
      for (const { voice } of listing.voices) this.expectVoice(voice);
      return listing;
    } catch (error) {
      const smaller = pageSizes.find((size) => size < pageSize);
      if (!(error instanceof RejectedError) || smaller === undefined) throw error;
      // If the service refuses every size, the size is not the reason, and the first error describes it best.
      return this.listInPages(smaller).catch(() => Promise.reject(error));
    }
  }
}
