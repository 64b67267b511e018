import { voiceCarriesName } from "../../rules/naming";
import type { CallsOnVoice } from "../calls";
import { describeHolder, processOf, type VoiceHolder } from "../holder";
import { sharedVoice } from "./adopt";

export type KeepVerdict =
  | { action: "keep" }
  /** Another resource holds the voice, and this one can't get a voice of its own. */
  | { action: "reject"; reason: string }
  /** Another resource holds the voice, so this one gets a voice of its own. */
  | { action: "replace"; reason: string };

export interface KeepFacts {
  resource: { name: string; label: string; options: { protect: boolean; ignoresEverything: boolean } };
  calls: CallsOnVoice;
  /** The live resources that hold the voice in the saved states. `others`: those of them that are not this resource. */
  holders: readonly VoiceHolder[];
  others: readonly VoiceHolder[];
}

/** Whether a resource of the program keeps its voice, if nothing else replaces it. */
export function judgeKeep(voice: string, { resource, calls, holders, others }: KeepFacts): KeepVerdict {
  const { isToBeAdopted, keeper = resource, claimedBy = resource.label } = calls;
  if (isToBeAdopted) return { action: "reject", reason: sharedVoice(voice) };
  const rightful = rightfulHolder(holders, others);
  // The engine may call diff twice for one resource. A caller with one process for several operations (an attached
  // plugin, `pulumi do`) also calls it after the create.
  if (keeper.label === resource.label && claimedBy === resource.label && rightful === undefined)
    return { action: "keep" };
  const names = [rightful ? describeHolder(rightful) : keeper.name, resource.name];
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

/**
 * Returns the other resource that holds this one's voice, if that one keeps it. Undefined if this resource keeps it.
 * The voice goes to the resource whose generated name it has, or else to the first one, so that each process comes to
 * the same result. Among resources of this process, the first call decides, unless the voice has the name of another
 * resource and this one has a generated name too.
 */
function rightfulHolder(holders: readonly VoiceHolder[], others: readonly VoiceHolder[]): VoiceHolder | undefined {
  const live = holders.filter(({ retained }) => retained !== true);
  const me = live.find((holder) => !others.includes(holder));
  if (me === undefined) return undefined;
  return live.find((other) => {
    if (other.stack !== me.stack || processOf(other) !== processOf(me)) return rank(other) < rank(me);
    return isNamedForIt(other) && me.generatedName !== undefined && !isNamedForIt(me);
  });
}

const rank = (holder: VoiceHolder) => [isNamedForIt(holder) ? 0 : 1, holder.stack, holder.savedUrn].join(" ");

const isNamedForIt = ({ voice, generatedName }: VoiceHolder) =>
  generatedName !== undefined && voiceCarriesName(voice, generatedName, true);

/**
 * Why a refresh fails if several live resources hold the voice; undefined if at most one does. An old copy of a
 * resource may share its voice.
 */
export function sharedByState(voice: string, holders: readonly VoiceHolder[]): string | undefined {
  const sharing = holders.filter(({ isOld, retained }) => !isOld && retained !== true);
  if (sharing.length < 2) return undefined;
  const where = new Set(sharing.map(({ stack }) => stack)).size > 1 ? " on each of these stacks" : "";
  return (
    `two resources hold the voice ${voice}: ${sharing.map(describeHolder).join(" and ")}. ` +
    `Run \`pulumi up\` without --refresh${where}: it gives one of them a voice of its own`
  );
}
