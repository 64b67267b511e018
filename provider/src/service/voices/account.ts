import { CloudVoiceError, QuotaError, RejectedError, UnexpectedAnswerError } from "../../errors";
import { once, onceSuccessful } from "../../once";
import { hasClonedShape, mayCarryName, voiceCarriesName } from "../../rules/naming";
import { describeVoices } from "../../rules/describe-voices";
import type { Settings } from "../../rules/settings";
import { invisible } from "../../rules/visible";
import { sentAsId } from "../redact";
import { accountFull, isAboutQuota, mayMeanFull } from "../responses/refusal";
import { type Clock, systemClock } from "../clock";
import { folded, isNamedIn } from "../responses/voice-list";
import type { ListedVoice, VoiceClient } from "./client";
import { ListReader } from "./list-reader";
import type { Listing } from "./listing";
import { VoiceIndex } from "./voice-index";

export interface NamedVoices {
  preferredName: string;
  targetModel: string;
  /** Whether pulumi-cloudvoice generated the name. Then the hash in the name identifies the voice. */
  generated: boolean;
}

/** Thrown if the list lacks a voice that a state or a note names, but does not prove that the voice is gone. */
export class UncertainListError extends UnexpectedAnswerError {
  constructor(readonly doubt: string) {
    super(`the list may be incomplete: ${doubt}`, {
      purpose: "listing the account's voices",
      advice:
        "Nothing was changed. Run the command again. `npx --no-install pulumi-cloudvoice doctor` shows which parts of the " +
        "service's responses are understood, and how to set the paths of the other parts.",
    });
  }
}

/**
 * The account's voices as one operation sees them: the list, which is read once, with the creates and deletes of this
 * operation applied. A listed voice exists. An unlisted voice is absent only if lists that are understood completely
 * prove it: either a list that is one single response, or two lists in a row that agree.
 */
export class Account {
  /** Every index that was built. The creates and deletes of this operation are applied to each. */
  private readonly indexes: VoiceIndex[] = [];
  private readonly created = new Map<string, ListedVoice>();
  private readonly deleted = new Set<string>();
  /** For each call of `lookNow`: the voices of its list and of all later lists. */
  private readonly looks: Set<string>[] = [];
  private readonly list: ListReader;

  constructor(
    client: Pick<VoiceClient, "listPage">,
    private readonly settings: Partial<Pick<Settings, "voiceQuota">> = {},
    clock: Pick<Clock, "now"> = systemClock,
  ) {
    this.list = new ListReader(client, clock, {
      wasChangedHere: (voice) => this.created.has(voice) || this.deleted.has(voice),
      onListing: ({ voices }) => {
        for (const listed of this.looks) for (const { voice } of voices) listed.add(voice);
      },
    });
  }

  async voices(): Promise<ListedVoice[]> {
    return (await this.firstList()).index.all();
  }

  /** Returns the listed voices. `doubt`: why one of the `expected` voices may exist although it is not listed. */
  async voicesBeside(expected: Iterable<string>): Promise<{ voices: ListedVoice[]; doubt?: string }> {
    try {
      for (const voice of expected)
        if ((await this.find(voice)) === undefined) return { voices: (await this.wholeList()).index.all() };
    } catch (error) {
      if (!(error instanceof UncertainListError)) throw error;
      return { voices: await this.voices(), doubt: error.doubt };
    }
    return { voices: await this.voices() };
  }

  /**
   * The number of voices in the first list that the operation read. Not read again after a failure, because a preview
   * of a thousand voices would otherwise read the list a thousand times.
   */
  readonly countAtStart = once(async () => clonedVoices((await this.firstList()).listing.voices).length);

  async voicesNow(): Promise<ListedVoice[]> {
    return (await this.list.now()).voices;
  }

  /** The voices of a list, and those that this operation created. */
  private withCreated({ voices }: Listing): ListedVoice[] {
    return [...new Map([...this.created.values(), ...voices].map((row) => [row.voice, row])).values()];
  }

  /**
   * Reads the list. The returned function looks a voice up in this list and in all later lists, because a voice may
   * become visible later. `doubt`: why a voice may exist although it is not listed.
   */
  async lookNow(): Promise<(voice: string) => { isListed: boolean; doubt?: string | undefined }> {
    const listing = await this.list.stable(await this.list.now());
    const listed = new Set([...this.created.keys(), ...listing.voices.map(({ voice }) => voice)]);
    // Later lists add their voices to this set (`onListing`).
    this.looks.push(listed);
    return (voice) => (listed.has(voice) ? { isListed: true } : { isListed: false, doubt: doubtOf(voice, listing) });
  }

  /** Undefined if the voice certainly does not exist. Rejects with an `UncertainListError` if it may exist. */
  async find(voice: string): Promise<ListedVoice | undefined> {
    sentAsId(voice);
    const row = (await this.firstList()).index.get(voice);
    if (row !== undefined) return row;
    const { index, listing } = await this.wholeList();
    if (index.get(voice) === undefined && !this.deleted.has(voice)) assertNowhere(voice, listing);
    return index.get(voice);
  }

  /** The listed voices with this generated name. */
  async named(preferredName: string, targetModel: string): Promise<ListedVoice[]> {
    return (await this.firstList()).index.named(preferredName, targetModel);
  }

  /** The voices that may have this name (see `mayCarryName`), in a list that is read now. */
  async namedNow(named: NamedVoices): Promise<ListedVoice[]> {
    return this.namedAmong(this.withCreated(await this.list.now()), named);
  }

  /** Like `namedNow`, for many names, in a list as conclusive as possible. `doubt`: why there may be further voices. */
  async certainNow(): Promise<(named: NamedVoices) => { found: ListedVoice[]; doubt?: string | undefined }> {
    const listing = await this.list.stable(await this.list.now());
    const all = this.withCreated(listing);
    const isElsewhere = ({ preferredName, generated }: NamedVoices) =>
      generated && listing.texts.includes(folded(preferredName));
    return (named) => ({
      found: this.namedAmong(all, named),
      doubt: listing.doubt ?? (isElsewhere(named) ? elsewhere : undefined),
    });
  }

  private namedAmong(rows: ListedVoice[], { preferredName, targetModel, generated }: NamedVoices): ListedVoice[] {
    return rows.filter(
      (row) =>
        row.targetModel === targetModel &&
        !this.deleted.has(row.voice) &&
        (generated ? voiceCarriesName(row.voice, preferredName, true) : mayCarryName(row.voice, preferredName)),
    );
  }

  /**
   * Adds a description of the account's voices to the error of a create, if the account is full or the error is about a
   * quota. Otherwise undefined. The contract has no code for a full account, so the number of listed voices decides
   * after a lost response or an unknown code.
   */
  async errorIfFull(error: unknown): Promise<CloudVoiceError | undefined> {
    if (!CloudVoiceError.is(error)) return undefined;
    const isReported = error instanceof QuotaError;
    if (!isReported && error.billed !== "unknown" && !mayMeanFull(error)) return undefined;
    const voices = clonedVoices(await this.voicesNow().catch(() => []));
    const isFull = voices.length >= (this.settings.voiceQuota ?? Infinity);
    const isQuota = mayMeanFull(error) && error instanceof RejectedError && isAboutQuota(error);
    if (voices.length === 0 || !(isReported || isFull || isQuota)) return undefined;
    const full = isReported || error.billed === "unknown" || !isFull ? error : accountFull(error);
    const holds = `The account ${isFull ? "is full: it holds" : "holds"} ${voices.length} voices: ${describeVoices(voices)}.`;
    return full.advice?.includes(holds) ? full : full.amend({ advice: `${holds} ${full.advice ?? ""}`.trim() });
  }

  /** Ignores the creates and deletes of this operation. Rejects if the list does not prove the voice's absence. */
  async isListedNow(voice: string): Promise<boolean> {
    const isIn = ({ voices }: Listing) => voices.some((row) => row.voice === voice);
    const listing = await this.list.now();
    if (isIn(listing)) return true;
    const stable = await this.list.stable(listing);
    if (isIn(stable)) return true;
    assertNowhere(voice, stable);
    return false;
  }

  add(voice: ListedVoice): void {
    this.created.set(voice.voice, voice);
    for (const index of this.indexes) index.add(voice);
  }

  remove(voice: string): void {
    this.deleted.add(voice);
    this.created.delete(voice);
    for (const index of this.indexes) index.remove(voice);
  }

  private readonly firstList = onceSuccessful(async () => {
    const first = await this.list.now();
    // An empty list that proves nothing may be an error in an unknown form, so read the list again.
    const isClear = first.voices.length > 0 || first.doubt === undefined;
    const listing = isClear ? first : await this.list.stable(first);
    return { listing, index: this.keepCurrent(listing.voices) };
  });

  private readonly wholeList = onceSuccessful(async () => {
    const listing = await this.list.stable((await this.firstList()).listing);
    if (listing.doubt !== undefined) throw new UncertainListError(listing.doubt);
    return { listing, index: this.keepCurrent(listing.voices) };
  });

  private keepCurrent(voices: ListedVoice[]): VoiceIndex {
    const index = new VoiceIndex(voices);
    for (const row of this.created.values()) index.add(row);
    for (const voice of this.deleted) index.remove(voice);
    this.indexes.push(index);
    return index;
  }
}

const elsewhere = "the list contains the voice's name, but not in a field that names voices";

/** Why an unlisted voice may exist, e.g. because a text of the list that is not read as a name contains its name. */
function doubtOf(voice: string, { voices, texts, doubt }: Listing): string | undefined {
  const name = invisible(voice);
  const isNamed = isNamedIn(texts, name) || voices.some((row) => folded(invisible(row.voice)) === folded(name));
  return doubt ?? (isNamed ? elsewhere : undefined);
}

function assertNowhere(voice: string, listing: Listing): void {
  const doubt = doubtOf(voice, listing);
  if (doubt !== undefined) throw new UncertainListError(doubt);
}

/** Leaves out the service's built-in voices, which do not count towards the quota, if names show which voices these are. */
export function clonedVoices<T extends { voice: string }>(voices: T[]): T[] {
  const cloned = voices.filter(({ voice }) => hasClonedShape(voice));
  return cloned.length === 0 ? voices : cloned;
}
