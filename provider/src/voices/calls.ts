import { nameKey } from "../rules/naming";
import { nameInUrn } from "../rules/resource-types";
import { type CheckedVoice, hasGeneratedName } from "../rules/voice";
import { labelOf, type VoiceHolder } from "./holder";

interface Called {
  name: string;
  label: string;
  identity?: { urn: string; declared?: string } | undefined;
}

type Named = Pick<Partial<CheckedVoice>, "adopt" | "preferredName" | "targetModel" | "nameVersion">;

/** What the calls of this operation say about one voice. */
export interface CallsOnVoice {
  /** Whether an expected create adopts the voice. */
  isToBeAdopted: boolean;
  keeper: Pick<Called, "name" | "label"> | undefined;
  /** The label of the resource whose create returned the voice: new, reused or adopted. */
  claimedBy: string | undefined;
  /** The label of the resource for which this operation created the voice. */
  madeFor: string | undefined;
}

/**
 * The engine's calls that this provider process has received in the current operation. Only this class keeps what a
 * call announces for later calls:
 * - `check`: the program has the resource, and these are its accepted inputs. A refresh and a `destroy` without a
 *   program call no `check`.
 * - `check` without old inputs: a create will follow. With `deleteBeforeReplace` a delete runs first. Without this
 *   record, the delete would remove a voice that the create is about to reuse or adopt.
 * - `diff` without a replacement: the resource keeps its voice. Workaround: a refresh, also within a `destroy`, calls
 *   `diff` too, with inputs from the state. The inputs are those of the program only after a `check` in the same
 *   operation.
 * - `create`: the resource now holds the voice that `create` made, reused or adopted.
 *
 * Only the saved states show all other resources: those that `--target` omits, those of other stacks and processes, and
 * those that an interrupted operation did not reach.
 */
export class Calls {
  private readonly declared = new Set<string>();
  /** The inputs that `check` accepted, by label, until they were compared with those of `diff` or `create`. */
  readonly accepted = new Map<string, object>();
  /** The URNs of the resources with an expected create, by `nameKey`. */
  private readonly expectedNames = new Map<string, Set<string | undefined>>();
  /** By voice: the label of the resource whose expected create adopts the voice. */
  private readonly adopters = new Map<string, string>();
  /** By voice: the name of the resource that deletes the voice before another resource can adopt it. */
  private readonly expectedDeletes = new Map<string, string>();
  private readonly paidReplacements = new Set<string>();
  private readonly keptForCreate = new Set<string>();
  private readonly keepers = new Map<string, Pick<Called, "name" | "label">>();
  private readonly claimers = new Map<string, string>();
  private readonly creators = new Map<string, string>();
  /**
   * How many entries of a resource hold a voice after this operation's removals, by label and voice. The states may
   * still show removed entries.
   */
  private readonly remainingEntries = new Map<string, number>();

  declare({ label }: Pick<Called, "label">): void {
    this.declared.add(label);
  }

  get programRuns(): boolean {
    return this.declared.size > 0;
  }

  /** Whether the program has the resource. A call of `diff` does not prove this, because a refresh calls `diff` too. */
  isDeclared({ label }: Pick<Called, "label">): boolean {
    return this.declared.has(label);
  }

  /**
   * Whether the program declares the holder, but `check` was not called for it: `--target` omits the holder, or the
   * engine will call `check` later.
   */
  isLeftOut(holder: VoiceHolder, { identity }: Pick<Called, "identity">): boolean {
    const isInProgram = identity?.declared?.includes(JSON.stringify(nameInUrn(holder.urn))) === true;
    return isInProgram && !holder.isOld && !this.isDeclared({ label: labelOf(holder) });
  }

  /** Records a `check` without old inputs, after which a create with these inputs follows. */
  expectCreate(inputs: Named, { identity, label }: Pick<Called, "identity" | "label">): void {
    if (inputs.adopt !== undefined) this.adopters.set(inputs.adopt, label);
    else if (hasGeneratedName(inputs)) {
      const urns = this.expectedNames.get(nameKey(inputs)) ?? new Set();
      this.expectedNames.set(nameKey(inputs), urns.add(identity?.urn));
    }
  }

  /** Records a delete after which no other resource can adopt the voice. */
  expectDelete(voice: string, { name }: Pick<Called, "name">): void {
    this.expectedDeletes.set(voice, name);
  }

  /** Records that the voice is deleted first, and that its resource then pays for another. */
  expectPaidReplacement(voice: string): void {
    this.paidReplacements.add(voice);
  }

  isReplacedForPay(voice: string): boolean {
    return this.paidReplacements.has(voice);
  }

  deletedFirstBy(voice: string): string | undefined {
    return this.adopters.has(voice) ? undefined : this.expectedDeletes.get(voice);
  }

  keep(voice: string, { name, label }: Pick<Called, "name" | "label">): void {
    this.keepers.set(voice, { name, label });
  }

  /** How many voices this operation has created. */
  get createdVoices(): number {
    return this.creators.size;
  }

  claimMade(voice: string, inputs: Named, resource: Pick<Called, "label" | "identity">): void {
    this.creators.set(voice, resource.label);
    this.claim(voice, inputs, resource);
  }

  /** Records that `create` returned this voice, so the create with these inputs is no longer expected. */
  claim(voice: string, inputs: Named, { identity, label }: Pick<Called, "label" | "identity">): void {
    this.claimers.set(voice, label);
    this.expectedNames.get(nameKey(inputs))?.delete(identity?.urn);
  }

  /** Records that `delete` left the voice for the create that follows. */
  keepForCreate(voice: string): void {
    this.keptForCreate.add(voice);
  }

  isKeptForCreate(voice: string): boolean {
    return this.keptForCreate.has(voice);
  }

  on(voice: string): CallsOnVoice {
    return {
      isToBeAdopted: this.adopters.has(voice),
      keeper: this.keepers.get(voice),
      claimedBy: this.claimers.get(voice),
      madeFor: this.creators.get(voice),
    };
  }

  /**
   * Whether another resource keeps, has or adopts the voice. The keeper may be this resource: `diff` kept its voice,
   * and a create follows because an earlier replacement was interrupted before its create.
   */
  isTakenBeside(voice: string, { label }: Pick<Called, "label">): boolean {
    const { keeper, claimedBy, isToBeAdopted } = this.on(voice);
    return (keeper !== undefined && keeper.label !== label) || claimedBy !== undefined || isToBeAdopted;
  }

  isHeld(voice: string): boolean {
    return this.keepers.has(voice) || this.claimers.has(voice);
  }

  /** Whether a resource keeps or has the voice, or another resource is to adopt it. */
  isTaken(voice: string, { label }: Pick<Called, "label">): boolean {
    return this.isHeld(voice) || (this.adopters.get(voice) ?? label) !== label;
  }

  expectsReuse(state: Named): boolean {
    return this.urnsOfCreates(state).size > 0;
  }

  /**
   * Like {@link expectsReuse}. If the states have holders of the voice (`entries`), one of them must be the resource of
   * the create. `ownStack`: the operation's stack, if known.
   */
  expectsReuseOf(state: Named, entries: readonly VoiceHolder[], ownStack: string | undefined): boolean {
    const urns = this.urnsOfCreates(state);
    if (urns.size === 0) return false;
    const reusing = entries.filter(({ urn, stack }) => urns.has(urn) && stack === (ownStack ?? stack));
    return entries.length === 0 || reusing.some(({ isReplacedOnDemand }) => !isReplacedOnDemand);
  }

  private urnsOfCreates(state: Named): ReadonlySet<string | undefined> {
    return (hasGeneratedName(state) && this.expectedNames.get(nameKey(state))) || new Set();
  }

  /**
   * Records that an entry of the resource with this label is being removed. Returns how many other entries hold the
   * voice.
   */
  removeEntry(voice: string, label: string, entries: readonly VoiceHolder[]): number {
    const keyOf = (owner: string) => `${owner} ${voice}`;
    const owners = entries.map(labelOf);
    const remaining = [...new Set(owners)].map((owner) => {
      const saved = owners.filter((each) => each === owner).length;
      return { owner, count: Math.min(saved, this.remainingEntries.get(keyOf(owner)) ?? saved) };
    });
    const held = remaining.filter(({ count }) => count > 0);
    // After the rename of a stack, the state has the old label. Any other entry may count as removed then.
    const removed = held.find(({ owner }) => owner === label) ?? held[0];
    if (removed !== undefined) this.remainingEntries.set(keyOf(removed.owner), removed.count - 1);
    return held.reduce((sum, { count }) => sum + count, 0) - 1;
  }
}
