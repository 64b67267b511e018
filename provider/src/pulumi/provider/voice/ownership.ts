import { sharedVoice } from "../../../rules/existing-voice";
import { hashIn, voiceCarriesName } from "../../../rules/naming";
import { nameInUrn } from "../../../rules/resource-types";
import { resourceLabel } from "../../shared/identity";
import { type CheckedVoice, hasGeneratedName, type VoiceOutputs } from "../../../rules/voice";
import { processOf, type VoiceHolder } from "../../../rules/voice-holder";
import type { Resource } from "../lifecycle";

export type DeleteDecision =
  | { action: "delete" }
  /** The state entry goes, and the voice stays, because another resource or another copy of this one holds it. */
  | { action: "keep"; reason: string }
  /** The voice stays for a create that follows: of this resource, from the same content. */
  | { action: "keep for a create" };

export type KeepDecision =
  | { action: "keep" }
  /** Another resource holds the voice, and this one can't get a voice of its own. */
  | { action: "reject"; reason: string }
  /** Another resource holds the voice, so this one gets a voice of its own. */
  | { action: "replace"; reason: string };

/**
 * Who holds which voice in the operation that is under way, as far as the provider's process is told. There are two
 * sources.
 *
 * The calls of the engine in this operation:
 * - `check` without old inputs: a create is to come. With `deleteBeforeReplace` the delete runs first, and would
 * delete the voice that the create is about to reuse or adopt.
 * - `diff` without a replacement: the resource keeps its voice. Workaround: a refresh, also the one in a `destroy`,
 * calls `diff` too, with inputs from the state. Inputs of the program come from a `check` of the same operation, and a
 * `destroy` calls no `check`.
 * - `create`: the voice that it made, reused or adopted is held from then on.
 *
 * The saved states of the project's stacks: they show resources that the engine does not call in this operation,
 * because a target excludes them, because their stack is another one, or because the operation ends before it reaches
 * them; and resources that it calls in another process.
 */
export class Ownership {
  private readonly declared = new Map<string, Resource>();
  /** The creates to come, by the names of their voices: the URNs of the resources. */
  private readonly expectedNames = new Map<string, Set<string | undefined>>();
  private readonly expectedAdoptions = new Set<string>();
  /** The voices that the engine deletes before it creates others, and the names of their resources. */
  private readonly expectedDeletes = new Map<string, string>();
  private readonly keptForCreate = new Set<string>();
  /** Which resource keeps a voice. */
  private readonly kept = new Map<string, Resource>();
  /** The label of the resource that each voice was made, reused or adopted for. */
  private readonly claimed = new Map<string, string>();
  /** Which resource each voice was made for in this operation. Nothing else held it before. */
  private readonly made = new Map<string, string>();
  /** How many entries of a resource still hold a voice, after those that were removed. The states may show these yet. */
  private readonly left = new Map<string, number>();

  /** `check` was called for this resource of the program. */
  declare(resource: Resource): void {
    this.declared.set(resource.label, resource);
  }

  /** Whether the program has the resource. A refresh calls `diff` too, which says nothing about the program. */
  isDeclared({ label }: Pick<Resource, "label">): boolean {
    return this.declared.has(label);
  }

  /** Whether the program declares the holder too, and `--target` leaves it out, or it has yet to come and keeps its voice. */
  isLeftOut(holder: VoiceHolder, { identity }: Pick<Resource, "identity">): boolean {
    const isInProgram = identity?.declared?.includes(JSON.stringify(nameInUrn(holder.urn))) === true;
    return isInProgram && !holder.isOld && !this.isDeclared({ label: labelOf(holder) });
  }

  /** `check` had no old inputs, so a create with these inputs is to come. */
  expectCreate(inputs: Partial<CheckedVoice>, { identity }: Pick<Resource, "identity">): void {
    if (inputs.adopt !== undefined) this.expectedAdoptions.add(inputs.adopt);
    else if (hasGeneratedName(inputs)) {
      const urns = this.expectedNames.get(nameKey(inputs)) ?? new Set();
      this.expectedNames.set(nameKey(inputs), urns.add(identity?.urn));
    }
  }

  /** `diff` found that the engine will delete the voice before it creates another: then nothing can adopt it. */
  expectDelete(voice: string, { name }: Resource): void {
    this.expectedDeletes.set(voice, name);
  }

  /** Why the voice will be gone before a resource that is checked now can adopt it. */
  deletedFirst(voice: string): string | undefined {
    const name = this.expectedDeletes.get(voice);
    if (name === undefined || this.expectedAdoptions.has(voice)) return undefined;
    const reason = `${name} deletes the voice ${voice} before its replacement (deleteBeforeReplace)`;
    return `${reason}. Take that option out of ${name} for this update`;
  }

  claimMade(voice: string, inputs: Partial<CheckedVoice>, resource: Resource): void {
    this.made.set(voice, resource.label);
    this.claim(voice, inputs, resource);
  }

  /** `create` made, reused or adopted the voice, so the create with these inputs is not to come any more. */
  claim(voice: string, inputs: Partial<CheckedVoice>, { identity, label }: Pick<Resource, "identity" | "label">): void {
    this.claimed.set(voice, label);
    this.expectedNames.get(nameKey(inputs))?.delete(identity?.urn);
  }

  /** `delete` left the voice for the create that follows. */
  keepForCreate(voice: string): void {
    this.keptForCreate.add(voice);
  }

  isKeptForCreate(voice: string): boolean {
    return this.keptForCreate.has(voice);
  }

  /** Whether a resource holds the voice, as far as the calls of this operation show. */
  isHeld(voice: string): boolean {
    return this.kept.has(voice) || this.claimed.has(voice);
  }

  /**
   * Who holds the voice beside a resource that is to be created, as a text for people. `holders` are the others. A resource
   * that is created although `diff` kept its voice is one whose replacement was interrupted before its create.
   */
  holderBeside(voice: string, holders: readonly VoiceHolder[], { label }: Pick<Resource, "label">): string | undefined {
    const other = holders.find((holder) => holder.voice === voice);
    if (other) return describeHolder(other);
    const isKeptByOther = (this.kept.get(voice)?.label ?? label) !== label;
    return isKeptByOther || this.claimed.has(voice) || this.expectedAdoptions.has(voice)
      ? "another resource of this program"
      : undefined;
  }

  /**
   * `diff` found nothing to replace: whether the resource keeps its voice. `holders` are the live resources that hold it,
   * and `others` those of them that are not this one.
   */
  onKeep(voice: string, resource: Resource, holders: VoiceHolder[], others: VoiceHolder[]): KeepDecision {
    if (!this.isDeclared(resource)) return { action: "keep" };
    const rightful = rightfulHolder(holders, others);
    if (this.expectedAdoptions.has(voice)) return { action: "reject", reason: sharedVoice(voice) };
    const keeper = this.kept.get(voice) ?? resource;
    // The engine may call diff twice for one resource. A caller with one process for several operations (an attached
    // plugin, `pulumi do`) also calls it after the create.
    const isClaimedByOther = (this.claimed.get(voice) ?? resource.label) !== resource.label;
    if (keeper.label === resource.label && !isClaimedByOther && rightful === undefined) {
      this.kept.set(voice, resource);
      return { action: "keep" };
    }
    const names = rightful ? [describeHolder(rightful), resource.name] : [keeper.name, resource.name];
    const both = [...new Set(names)].filter((name) => name !== "").join(" and ");
    const shared = `two resources hold the voice ${voice}${both === "" ? "" : ` (${both})`}`;
    if (resource.options.protect || resource.options.ignoresEverything) {
      const reason =
        `${shared}, and one of them is protected or ignores all changes. ` +
        "Replace the other: `pulumi up --replace <its URN>`";
      return { action: "reject", reason };
    }
    return { action: "replace", reason: `${shared}: this update gives one of them a voice of its own` };
  }

  /** Whether a create is to come that would reuse the voice of this state. */
  expectsReuse(state: VoiceOutputs): boolean {
    return hasGeneratedName(state) && (this.expectedNames.get(nameKey(state))?.size ?? 0) > 0;
  }

  /**
   * `delete` was called for a copy of a resource with this state. `holders` are the entries of all saved states, or
   * undefined if these can't be read. `stack` is that of this operation, if it is known.
   */
  onDelete(
    voice: string,
    state: VoiceOutputs,
    { label }: Pick<Resource, "label">,
    holders: readonly VoiceHolder[] | undefined,
    { statesKnown, stack }: { statesKnown: boolean; stack?: string | undefined },
  ): DeleteDecision {
    const entries = holders?.filter((holder) => holder.voice === voice) ?? [];
    const others = this.release(voice, label, entries);
    const isMadeForIt = this.made.get(voice) === label;
    // With `replaceOnChanges`, the engine replaces a resource that `diff` kept, and deletes its only entry.
    const isReplaced =
      this.kept.get(voice)?.label === label && !this.claimed.has(voice) && entries.length > 0 && others <= 0;
    if (!isMadeForIt && ((this.isHeld(voice) && !isReplaced) || this.expectedAdoptions.has(voice))) {
      const reason = `the voice ${voice} is kept: another resource, or another copy of this one, holds it`;
      return { action: "keep", reason };
    }
    // Without all states no create reuses a voice by its name, so it would be left over.
    if (statesKnown && this.willBeReused(state, entries, stack)) return { action: "keep for a create" };
    if (others <= 0) return { action: "delete" };
    const reason = `the voice ${voice} is kept: ${[...new Set(entries.map(describeHolder))].join(" and ")} hold it`;
    return { action: "keep", reason };
  }

  /**
   * Records that an entry of the resource with this label is being removed. Returns how many other entries hold the
   * voice. The states may be older than the removals of this operation, and show them yet, or newer.
   */
  private release(voice: string, label: string, entries: readonly VoiceHolder[]): number {
    const keys = [...new Set(entries.map((entry) => `${labelOf(entry)} ${voice}`))];
    const remaining = new Map(
      keys.map((key) => {
        const saved = entries.filter((entry) => `${labelOf(entry)} ${voice}` === key).length;
        return [key, Math.min(saved, this.left.get(key) ?? saved)];
      }),
    );
    const total = [...remaining.values()].reduce((sum, count) => sum + count, 0);
    const known = `${label} ${voice}`;
    // A state of an early release has no label. Which entry is the one that goes does not matter for the others.
    const removed = (remaining.get(known) ?? 0) > 0 ? known : keys.find((key) => (remaining.get(key) ?? 0) > 0);
    if (removed !== undefined) this.left.set(removed, (remaining.get(removed) ?? 0) - 1);
    return total - 1;
  }

  private willBeReused(state: VoiceOutputs, entries: readonly VoiceHolder[], own: string | undefined): boolean {
    const urns = hasGeneratedName(state) ? this.expectedNames.get(nameKey(state)) : undefined;
    if (urns === undefined || urns.size === 0) return false;
    const reusing = entries.filter(({ urn, stack }) => urns.has(urn) && stack === (own ?? stack));
    return entries.length === 0 || reusing.some(({ isReplacedOnDemand }) => !isReplacedOnDemand);
  }
}

/**
 * The resource that holds the voice of this one and keeps it. A voice belongs to the resource whose generated name it has,
 * or else to the first: each process comes to the same result. Of those that this process serves, the first call decides,
 * unless the voice has the name of another one, and this one has a generated name too.
 */
function rightfulHolder(holders: readonly VoiceHolder[], others: readonly VoiceHolder[]): VoiceHolder | undefined {
  const live = holders.filter(({ retained }) => retained !== true);
  const me = live.find((holder) => !others.includes(holder));
  if (me === undefined) return undefined;
  return live.find((other) => {
    if (other === me) return false;
    if (other.stack !== me.stack || processOf(other) !== processOf(me)) return rank(other) < rank(me);
    return isNamedForIt(other) && me.generatedName !== undefined && !isNamedForIt(me);
  });
}

const rank = (holder: VoiceHolder) => [isNamedForIt(holder) ? 0 : 1, holder.stack, holder.savedUrn].join(" ");

const isNamedForIt = ({ voice, generatedName }: VoiceHolder) =>
  generatedName !== undefined && voiceCarriesName(voice, generatedName, true);

/**
 * Why a voice that several live resources hold is an error; undefined if at most one does. An old copy of a resource may
 * share its voice.
 */
export function sharedByState(voice: string, holders: readonly VoiceHolder[]): string | undefined {
  const sharing = holders.filter(({ retained }) => retained !== true);
  if (sharing.length < 2) return undefined;
  const where = new Set(sharing.map(({ stack }) => stack)).size > 1 ? " on each of these stacks" : "";
  return (
    `two resources hold the voice ${voice}: ${sharing.map(describeHolder).join(" and ")}. ` +
    `Run \`pulumi up\` without --refresh${where}: it gives one of them a voice of its own`
  );
}

/** Why a voice can't be adopted or imported: nobody can tell whether that resource is about to go. */
export function heldElsewhere(voice: string, holder: VoiceHolder): string {
  return (
    `${describeHolder(holder)} holds the voice ${voice}, and two resources can't share a voice. To move it, set ` +
    "retainOnDelete on that resource and run `pulumi up` there, take the voice here, and then remove that resource"
  );
}

/** Why the voice will stay. Workaround: the engine calls no delete for a resource that goes with another one. */
export function skippedDelete(voice: string, holders: readonly VoiceHolder[]): string | undefined {
  const holder = holders.find(({ deletedWith }) => deletedWith !== undefined);
  return (
    holder &&
    `when ${nameInUrn(holder.deletedWith ?? "")} is deleted, Pulumi calls no delete for ${describeHolder(holder)} (deletedWith), ` +
      `so the voice ${voice} stays in the account. Take deletedWith out`
  );
}

const labelOf = ({ label, urn }: VoiceHolder) => label ?? resourceLabel(urn);

const describeHolder = ({ urn, stack }: VoiceHolder) => `${nameInUrn(urn)} of the stack ${stack}`;

/** Equal for two resources whose generated names identify the same voice. */
const nameKey = ({ preferredName, targetModel }: Partial<CheckedVoice>) =>
  `${hashIn(preferredName ?? "")} ${targetModel ?? ""}`;
