import { firstOf } from "../../rules/first-of";
import {
  hasClonedShape,
  hasGeneratedForm,
  hashIn,
  hashInVoice,
  nameOfVoice,
  voiceCarriesName,
} from "../../rules/naming";
import type { Question } from "../../rules/question";
import { nameInUrn } from "../../rules/resource-types";
import { hasGeneratedName, type Listed, type VoiceOutputs } from "../../rules/voice";
import type { CallsOnVoice } from "../calls";
import { describeHolder, isNameOfHolder, type Naming, type VoiceHolder } from "../holder";

export type DeleteVerdict =
  | { action: "delete" }
  /**
   * Only the entry leaves the state. The voice stays, because another resource, or an old copy of this one, holds it.
   */
  | { action: "keep"; reason: string }
  /** The voice stays for a new create of this resource with the same content. */
  | { action: "keep for a create" }
  /** The state names a voice of another resource. */
  | { action: "reject"; reason: string }
  /** A state that can't be read may hold the voice. A person may allow the deletion. */
  | { action: "ask" };

type Made = Pick<VoiceOutputs, "adopted" | "preferredName" | "nameVersion">;

/** The facts for a delete by a command, in which a person named the voice, or agreed to the deletion of orphans. */
export interface FactsByHand {
  byHand: true;
  /** The resource of a saved state that holds the voice, as a text. */
  holder: string | undefined;
  isListed: boolean;
}

/**
 * The facts for a delete by the engine: the resource is removed, replaced or destroyed, so its entry leaves the state.
 */
export interface FactsOfEntry {
  label: string;
  state: Made;
  calls: CallsOnVoice;
  /**
   * Whether the voice has the name that this package generates for the resource. If not, another resource may hold the
   * voice: e.g. the voice was adopted, or the state was copied from another project.
   */
  isNamedFor: boolean;
  /**
   * The entries that hold the voice, in the readable states of the project. If the voice is not named for the resource,
   * or a create may reuse it, in those of the whole backend.
   */
  entries: readonly VoiceHolder[];
  /** False if one of these states can't be read. */
  isAllRead: boolean;
  /** How many other entries hold the voice. */
  others: number;
  /** Whether a new create will reuse the voice. False if a state could not be read. */
  isReused: boolean;
}

/** Whether a voice may be deleted. Every deletion asks this function first. */
export function judgeDelete(voice: string, facts: FactsOfEntry | FactsByHand): DeleteVerdict {
  return "byHand" in facts ? verdictByHand(facts) : verdictOfEntry(voice, facts);
}

function verdictByHand({ holder, isListed }: FactsByHand): DeleteVerdict {
  if (holder !== undefined) return { action: "keep", reason: `${holder} holds it` };
  return isListed ? { action: "delete" } : { action: "reject", reason: "the account has no voice of this name" };
}

function verdictOfEntry(
  voice: string,
  { label, state, calls, isNamedFor, entries, isAllRead, others, isReused }: FactsOfEntry,
): DeleteVerdict {
  const { isToBeAdopted, keeper, claimedBy, madeFor } = calls;
  // With `replaceOnChanges`, the engine can replace a resource although `diff` reported no replacement, so that the
  // voice is marked as kept. If no other entry holds the voice, the mark is outdated.
  const isReplaced = keeper?.label === label && claimedBy === undefined && entries.length > 0 && others <= 0;
  const isHeld = (keeper !== undefined || claimedBy !== undefined) && !isReplaced;
  if (madeFor !== label && (isHeld || isToBeAdopted)) {
    const reason = `not deleting the voice ${voice}: another resource, or another copy of this one, still uses it`;
    return { action: "keep", reason };
  }
  if (isReused) return { action: "keep for a create" };
  if (others > 0) {
    const reason = `not deleting the voice ${voice}: still used by ${[...new Set(entries.map(describeHolder))].join(" and ")}`;
    return { action: "keep", reason };
  }
  if (isNamedFor) return { action: "delete" };
  return isAllRead ? foreign(voice, state) : { action: "ask" };
}

/**
 * The question before voices are deleted that unreadable states may hold. All deletes of an operation share one
 * question.
 */
export function unreadQuestion(
  voices: readonly string[],
  unread: readonly { stack: string; reason: string }[],
  { stack, origin }: Pick<Question, "stack" | "origin">,
): Question {
  return {
    ...{ kind: "unread", origin, stack },
    uncertain:
      `The names of these voices do not show that the voices were made for the resources that are removed or replaced: ` +
      `${firstOf(voices)}. Other stacks may hold the voices, but their states can't be read: ${describeUnread(unread)}.`,
    yes: "the voices are deleted, at no cost, unless a state that can be read holds them",
    otherwise: "None of these voices was deleted.",
  };
}

/**
 * Refuses to delete a voice whose name contradicts the preferred name in the state: a person who can write a state
 * could put another person's voice there. A voice id without the documented shape proves nothing, so the voice is
 * deleted.
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

export function describeUnread(unread: readonly { stack: string; reason: string }[]): string {
  return firstOf(unread.map(({ stack, reason }) => `${stack} (${reason})`));
}

/**
 * The warning that the voice will stay in the account. Workaround: with the option `deletedWith`, the engine deletes
 * the resource without a call of the provider.
 */
export function skippedDelete(voice: string, holders: readonly VoiceHolder[]): string | undefined {
  const holder = holders.find(({ deletedWith }) => deletedWith !== undefined);
  return (
    holder &&
    `when ${nameInUrn(holder.deletedWith ?? "")} is deleted, Pulumi calls no delete for ${describeHolder(holder)} (deletedWith), ` +
      `so the voice ${voice} stays in the account. Take deletedWith out`
  );
}

/**
 * Listed voices that have the generated name of a resource of this stack and are not in its state. Another stack may
 * hold such a voice. Otherwise the service created it after a run was killed.
 */
export function orphanedVoices<T extends Listed>(
  listed: T[],
  held: readonly Pick<VoiceHolder, "voice" | "generatedName" | "urn" | "stack" | "madeFrom">[],
  naming: Naming,
): T[] {
  const ids = new Set(held.map(({ voice }) => voice));
  const names = new Set(
    held.flatMap((holder) => {
      const { generatedName } = holder;
      const isProven = generatedName !== undefined && isNameOfHolder(holder, generatedName, naming) === "yes";
      return isProven ? [hashIn(generatedName)] : [];
    }),
  );
  return listed.filter(
    ({ voice }) => !ids.has(voice) && names.has(hashInVoice(voice)) && hasGeneratedForm(nameOfVoice(voice)),
  );
}
