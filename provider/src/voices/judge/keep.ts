import { voiceCarriesName } from "../../rules/naming";
import type { CallsOnVoice } from "../calls";
import { describeHolder, processOf, type VoiceHolder } from "../holder";
import { sharedVoice } from "./adopt";

export type KeepVerdict =
  | { action: "keep" }
  /** Two resources hold the voice, and this resource can't get a new voice. */
  | { action: "reject"; reason: string }
  /** Two resources hold the voice, so this resource gets a new voice. */
  | { action: "replace"; reason: string };

export interface KeepFacts {
  resource: { name: string; label: string; options: { protect: boolean; ignoresEverything: boolean } };
  calls: CallsOnVoice;
  /** The live resources that hold the voice in the states. `others`: those that are not this resource. */
  holders: readonly VoiceHolder[];
  others: readonly VoiceHolder[];
}

/** Judges whether a resource of the program keeps its voice, if no change of its inputs replaces the resource. */
export function judgeKeep(voice: string, { resource, calls, holders, others }: KeepFacts): KeepVerdict {
  const { isToBeAdopted, keeper = resource, claimedBy = resource.label } = calls;
  if (isToBeAdopted) return { action: "reject", reason: sharedVoice(voice) };
  const rightful = rightfulHolder(holders, others);
  // The keeper and the claimer may be this resource. The engine may call `diff` twice. A process that serves several
  // operations (an attached plugin, `pulumi do`) may also get a `diff` after the create.
  if (keeper.label === resource.label && claimedBy === resource.label && rightful === undefined)
    return { action: "keep" };
  const names = [rightful ? describeHolder(rightful) : keeper.name, resource.name];
  const sharers = [...new Set(names)].filter((name) => name !== "").join(" and ");
  const shared = `two resources hold the voice ${voice}${sharers === "" ? "" : ` (${sharers})`}`;
  if (resource.options.protect || resource.options.ignoresEverything) {
    const reason =
      `${shared}, and one of them is protected or ignores all changes. ` +
      "Replace the other: `pulumi up --replace <its URN>`";
    return { action: "reject", reason };
  }
  return { action: "replace", reason: `${shared}: this update gives one of them a voice of its own` };
}

/**
 * Returns the other resource to which a shared voice belongs. Undefined if it belongs to this resource. A voice belongs
 * to the resource whose generated name it has, or else to the first resource by stack and URN, so that each process
 * comes to the same result. Among resources of this process the first call decides, with one exception: the voice has
 * the other resource's generated name, and this resource has a different generated name.
 */
function rightfulHolder(holders: readonly VoiceHolder[], others: readonly VoiceHolder[]): VoiceHolder | undefined {
  const notRetained = holders.filter(({ retained }) => retained !== true);
  const thisHolder = notRetained.find((holder) => !others.includes(holder));
  if (thisHolder === undefined) return undefined;
  return notRetained.find((other) => {
    if (other.stack !== thisHolder.stack || processOf(other) !== processOf(thisHolder))
      return rank(other) < rank(thisHolder);
    return isNamedForIt(other) && thisHolder.generatedName !== undefined && !isNamedForIt(thisHolder);
  });
}

const rank = (holder: VoiceHolder) => [isNamedForIt(holder) ? 0 : 1, holder.stack, holder.savedUrn].join(" ");

const isNamedForIt = ({ voice, generatedName }: VoiceHolder) =>
  generatedName !== undefined && voiceCarriesName(voice, generatedName, true);

/** Why a refresh fails: several live resources hold the voice. Undefined if at most one resource holds it. */
export function sharedByState(voice: string, holders: readonly VoiceHolder[]): string | undefined {
  const sharing = holders.filter(({ isOld, retained }) => !isOld && retained !== true);
  if (sharing.length < 2) return undefined;
  const where = new Set(sharing.map(({ stack }) => stack)).size > 1 ? " on each of these stacks" : "";
  return (
    `two resources hold the voice ${voice}: ${sharing.map(describeHolder).join(" and ")}. ` +
    `Run \`pulumi up\` without --refresh${where}: it gives one of them a voice of its own`
  );
}
