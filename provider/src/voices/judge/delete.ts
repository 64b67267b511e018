import { hasClonedShape, voiceCarriesName } from "../../rules/naming";
import { nameInUrn } from "../../rules/resource-types";
import { hasGeneratedName, type Listed, type VoiceOutputs } from "../../rules/voice";
import type { CallsOnVoice } from "../calls";
import { describeHolder, type VoiceHolder } from "../holder";

export type DeleteVerdict =
  | { action: "delete" }
  /** The state entry goes, and the voice stays, because another resource or another copy of this one holds it. */
  | { action: "keep"; reason: string }
  /** The voice stays for a new create of this resource with the same content. */
  | { action: "keep for a create" }
  /** The state names a voice of another resource. */
  | { action: "reject"; reason: string };

type Made = Pick<VoiceOutputs, "adopted" | "preferredName" | "nameVersion">;

export interface DeleteFacts {
  label: string;
  state: Made;
  calls: CallsOnVoice;
  /** The entries of the saved states that hold the voice. None if these can't be read. */
  entries: readonly VoiceHolder[];
  /** How many entries remain without this one. */
  others: number;
  /** Whether a new create will reuse the voice. False if a state could not be read. */
  isReused: boolean;
}

/** Decides about a voice when an entry of a resource leaves the state. */
export function judgeDelete(
  voice: string,
  { label, state, calls, entries, others, isReused }: DeleteFacts,
): DeleteVerdict {
  const { isToBeAdopted, keeper, claimedBy, madeFor } = calls;
  // With `replaceOnChanges`, the engine replaces a resource although `diff` kept it, and deletes its only entry.
  const isReplaced = keeper?.label === label && claimedBy === undefined && entries.length > 0 && others <= 0;
  const isHeld = (keeper !== undefined || claimedBy !== undefined) && !isReplaced;
  if (madeFor !== label && (isHeld || isToBeAdopted)) {
    const reason = `not deleting the voice ${voice}: another resource, or another copy of this one, still uses it`;
    return { action: "keep", reason };
  }
  if (isReused) return { action: "keep for a create" };
  if (others <= 0) return foreign(voice, state);
  const reason = `not deleting the voice ${voice}: still used by ${[...new Set(entries.map(describeHolder))].join(" and ")}`;
  return { action: "keep", reason };
}

/**
 * Refuses to delete a voice whose name contradicts the preferred name in the state: a person who can write a state
 * could put another person's voice there. A name without the contract's shape proves nothing.
 */
function foreign(voice: string, state: Made): DeleteVerdict {
  const { adopted, preferredName } = state;
  const proves = !adopted && hasGeneratedName(state) && hasClonedShape(voice);
  if (!proves || voiceCarriesName(voice, preferredName, true)) return { action: "delete" };
  const reason =
    `the voice ${voice} is not deleted: the state says that it was made as ${preferredName}, and its name says otherwise. ` +
    "If it belongs to this resource, remove the resource with `pulumi state delete` and the voice with " +
    "`npx --no-install pulumi-cloudvoice delete`; else put the state right with `pulumi stack import`";
  return { action: "reject", reason };
}

/**
 * The warning that the voice will stay. Workaround: the engine calls no delete for a resource that is deleted with
 * another one.
 */
export function skippedDelete(voice: string, holders: readonly VoiceHolder[]): string | undefined {
  const holder = holders.find(({ deletedWith }) => deletedWith !== undefined);
  return (
    holder &&
    `when ${nameInUrn(holder.deletedWith ?? "")} is deleted, Pulumi calls no delete for ${describeHolder(holder)} (deletedWith), ` +
      `so the voice ${voice} stays in the account. Take deletedWith out`
  );
}

/** Why the command `delete` refuses a voice that a person has named. `holder`: the resource that has it, as a text. */
export function refusedByHand(holder: string | undefined, isListed: boolean): string | undefined {
  if (holder !== undefined) return `${holder} holds it`;
  return isListed ? undefined : "the account has no voice of this name";
}

/**
 * Voices that have a generated name of this stack and are not in its state. Their creates ended after a run was killed,
 * unless another stack holds them.
 */
export function orphanedVoices<T extends Listed>(
  listed: T[],
  held: readonly Pick<VoiceHolder, "voice" | "generatedName">[],
): T[] {
  const ids = new Set(held.map(({ voice }) => voice));
  const names = held.map(({ generatedName }) => generatedName).filter((name) => name !== undefined);
  return listed.filter(({ voice }) => !ids.has(voice) && names.some((name) => voiceCarriesName(voice, name, true)));
}
