import type { Question } from "./question";
import { dayOf } from "./time";
import { unknownValue } from "./unknown";
import { hasClonedShape, voiceCarriesName } from "./naming";
import { hasGeneratedName, type Listed, type VoiceOutputs } from "./voice";

/** An earlier create of the same voice whose end is not known, or whose voice no state has had yet. */
export interface UnfinishedCreate {
  /** When it was sent, or at the latest. */
  sinceMs: number;
  /** A note of the journal, which may be one of an earlier release, or a pending operation of a state, which has no time. */
  from: "note" | "state" | "earlier release";
  /**
   * Whether this stack sent it, so that it is evidence. A note of an earlier release does not say which stack wrote it, the
   * backend may not be known, and several stacks may be that of this operation.
   */
  isOurs: boolean;
  /** The voice that the note names: then the create is evidence for no other. */
  voice?: string | undefined;
  /** The service answered with success, and its response was not understood. */
  wasAnswered?: boolean | undefined;
}

/** What is known about the voices that have the name of a resource which is to be created. */
export interface CreateFacts {
  /** Whether the program generated the name, so that it identifies the resource and its content. */
  generated: boolean;
  /** Another resource that holds the voice, as a text for people; undefined when none does. */
  holderOf: (voice: string) => string | undefined;
  /** Whether this resource's own state names the voice: it is replaced without another content (`--replace`). */
  isOwn: (voice: string) => boolean;
  unfinished: UnfinishedCreate | undefined;
  /** Whether the states of all stacks could be read. If not, `holderOf` knows this operation only. */
  statesKnown: boolean;
  /** Whether a person has said that voices under own names are taken. */
  isAccepted: boolean;
}

export interface CreateVerdict<T extends Listed> {
  /** Use this voice and pay for none. */
  reuse?: T;
  /** Nothing but the list says that the voice is there, and it shows deleted ones for some time: look again. */
  mustStay?: boolean;
  lines: string[];
  /** Fail: why, and what to do. */
  reject?: string;
  /** A person may say that the voice is taken. */
  isQuestion?: true;
}

/**
 * Decides what happens when a create finds voices with its own name in the account. The name alone is no evidence that
 * one is free, and neither is its age: a voice is reused if this resource has had it, or if an unfinished create of this
 * stack made it. Otherwise a person decides.
 */
export function resolveExistingVoice<T extends Listed>(
  name: string,
  found: T[],
  { generated, holderOf, isOwn, unfinished, statesKnown, isAccepted }: CreateFacts,
): CreateVerdict<T> {
  if (!generated) return { lines: found.length === 0 ? [] : [chosenNameLine(name, found)] };
  const free = found
    .filter(({ voice }) => holderOf(voice) === undefined)
    .sort((a, b) => (b.gmtCreate ?? "").localeCompare(a.gmtCreate ?? ""));
  const [newest] = free;
  if (newest === undefined) return { lines: found.map(({ voice }) => heldLine(voice, String(holderOf(voice)))) };

  const own = statesKnown ? free.find(({ voice }) => isOwn(voice)) : undefined;
  if (own) return { reuse: own, lines: [ownLine(own.voice)] };
  const made = unfinished?.isOurs && free.find(({ voice }) => voice === (unfinished.voice ?? voice));
  if (made) return { reuse: made, mustStay: unfinished.from === "state", lines: [madeLine(made.voice)] };
  if (!statesKnown) return { lines: [], reject: unreadableStates(name, newest.voice) };
  if (isAccepted) return { reuse: newest, mustStay: true, lines: [acceptedLine(newest.voice)] };
  return { lines: [], mustStay: true, reject: withoutEvidence(name, newest), isQuestion: true };
}

/** Whether voices under the own names of a stack's resources are taken although nothing shows whose they are. */
export function takeQuestionOf(origin: string | undefined, stack: string, why = ""): Question {
  return {
    ...{ kind: "take", origin, stack },
    uncertain: why === "" ? "" : `${why.charAt(0).toUpperCase()}${why.slice(1)}.`,
    yes: "the resources of this stack take the voices that have their names, at no cost, as after the loss of a state",
  };
}

function chosenNameLine(name: string, found: Listed[]): string {
  const voices = found.map((row) => row.voice).join(", ");
  return (
    `the account already has ${found.length === 1 ? "a voice" : `${found.length} voices`} named ${name}: ${voices}. ` +
    "A new one is created, because a name that the program chose does not show who owns a voice. " +
    "To take one over, set adopt; to avoid duplicates, leave preferredName out"
  );
}

function heldLine(voice: string, holder: string): string {
  return `the voice ${voice} has the name of this resource, but ${holder} holds it: this resource gets a voice of its own`;
}

function ownLine(voice: string): string {
  return `the voice ${voice} is kept: it was made for this resource from the same content. To create another, change triggers`;
}

function madeLine(voice: string): string {
  return (
    `took the voice ${voice}, which an earlier create of this resource made, instead of paying for another ` +
    "(whether it is degraded is not known)"
  );
}

function acceptedLine(voice: string): string {
  return `took the voice ${voice} for this resource, as a person has said (whether it is degraded is not known)`;
}

const choices =
  "if another program created it, set cloudvoice:namespace to a " +
  "name of your own; if nobody uses it, delete it; to create another beside it, change triggers";

function withoutEvidence(name: string, { voice, gmtCreate }: Listed): string {
  const day = dayOf(gmtCreate ?? "");
  const created = day === "" ? "" : `, created on ${day},`;
  return (
    `the voice ${voice}${created} has the name of this resource, ${name}, and nothing shows that it was made for this ` +
    "resource. " +
    `If it belongs to this resource, set adopt to it; ${choices}`
  );
}

function unreadableStates(name: string, voice: string): string {
  return (
    `the voice ${voice} has the name of this resource, ${name}, and the states of the stacks could not be ` +
    `read, so another resource may hold it. If it belongs to this resource, set adopt to it; ${choices}`
  );
}

/** A row of the list that the service keeps although the voice can't be used. */
export function unusableLine(voice: string, said: string): string {
  return `the service lists the voice ${voice} as not usable (${said}). Nothing is changed; to create another, change triggers`;
}

/**
 * Why a voice is not deleted: its name shows that it was made under another one than the state records. Anyone who can write
 * a state can put the voice of somebody else there. A name of another shape than the contract's proves nothing.
 */
export function foreignVoice(
  voice: string,
  state: Pick<VoiceOutputs, "adopted" | "preferredName" | "nameVersion">,
): string | undefined {
  const { adopted, preferredName } = state;
  if (adopted || !hasGeneratedName(state) || !hasClonedShape(voice)) return undefined;
  if (voiceCarriesName(voice, preferredName, true)) return undefined;
  return (
    `the voice ${voice} is not deleted: the state says that it was made as ${preferredName}, and its name says otherwise. ` +
    "If it belongs to this resource, remove the resource with `pulumi state delete` and the voice with " +
    "`npx --no-install pulumi-cloudvoice delete`; else put the state right with `pulumi stack import`"
  );
}

/** Why a voice can't be adopted, by what the account has of it. */
export function adoptionProblem(
  voice: string,
  found: { targetModel: string } | undefined,
  targetModel: unknown,
): string | undefined {
  if (!found)
    return `the account's list shows no voice ${voice}; \`npx --no-install pulumi-cloudvoice voices\` lists what it has`;
  if (["", targetModel].includes(found.targetModel) || targetModel === unknownValue) return undefined;
  return `the voice ${voice} is bound to ${found.targetModel}; declare that as targetModel, or adopt another voice`;
}

export function sharedVoice(voice: string): string {
  return (
    `the voice ${voice} belongs to another resource of this stack; two resources can't share a voice. ` +
    "Take adopt out, or take the other resource out of the program"
  );
}
