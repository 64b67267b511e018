import type { Question } from "./question";
import { ageMs, dayMs } from "./time";
import { unknownValue } from "./unknown";
import type { Listed } from "./voice";

export interface Evidence {
  /** Whether the program generated the name, so that it identifies the resource and its content. */
  generated: boolean;
  /** Another resource that holds the voice, as a text for people; undefined when none does. */
  holderOf: (voice: string) => string | undefined;
  /** The time at which a state says that the voice was created. It counts if the list's own has an unknown form. */
  savedTime?: (voice: string) => string | undefined;
  /** Whether the states of the stacks could be read. If not, `holderOf` knows this operation only. */
  statesKnown: boolean;
  /** Whether the journal or the engine's state has a create of this very voice whose end is unknown. */
  unfinished: boolean;
  /** Whether a person has said that voices under own names may be taken, however old they are. */
  takesAny: boolean;
  nowMs: number;
}

export interface ExistingVoiceVerdict<T extends Listed> {
  /** Use this voice and pay for none. */
  reuse?: T;
  lines: string[];
  /** Fail: why, and what to do. */
  reject?: string;
  /** A person may say that the voice is taken. */
  isQuestion?: true;
}

/**
 * Decides what happens when a create finds voices with its own name in the account. The name alone is no evidence
 * that one is free.
 */
export function resolveExistingVoice<T extends Listed>(
  name: string,
  found: T[],
  { generated, holderOf, savedTime, statesKnown, unfinished, takesAny, nowMs }: Evidence,
): ExistingVoiceVerdict<T> {
  if (!generated) return { lines: found.length === 0 ? [] : [chosenNameLine(name, found)] };
  const free = found.filter(({ voice }) => holderOf(voice) === undefined);
  const ageOf = ({ voice, gmtCreate }: Listed) =>
    ageMs(gmtCreate, nowMs) ?? ageMs(savedTime?.(voice), nowMs) ?? Infinity;
  const [youngest] = [...free].sort((a, b) => ageOf(a) - ageOf(b));
  if (youngest === undefined) return { lines: found.map(({ voice }) => heldLine(voice, String(holderOf(voice)))) };

  const age = ageOf(youngest);
  const mayTake = age < dayMs || takesAny;
  if (unfinished || (statesKnown && mayTake)) return { reuse: youngest, lines: [reuseLine(youngest.voice, age)] };
  if (!statesKnown) return { lines: [], reject: unreadableStates(name, youngest.voice) };
  return { lines: [], reject: tooOld(name, youngest.voice, age), isQuestion: true };
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

function reuseLine(voice: string, age: number): string {
  const created = age === Infinity ? "" : `, created ${describeAge(age)} ago`;
  return (
    `took the voice ${voice}${created} for this resource, instead of paying for another ` +
    "(whether it is degraded is not known). " +
    "If it belongs to someone else, set cloudvoice:namespace; to create another, change triggers"
  );
}

const choices =
  "if another program created it, set cloudvoice:namespace to a " +
  "name of your own; if nobody uses it, delete it; to create another beside it, change triggers";

function tooOld(name: string, voice: string, age: number): string {
  return (
    `the voice ${voice} has the name of this resource, ${name}, but ` +
    `${age === Infinity ? "its age is not known" : `is ${describeAge(age)} old`}, ` +
    `so it may belong to someone else. If it belongs to this resource, set adopt to it; ${choices}`
  );
}

function unreadableStates(name: string, voice: string): string {
  return (
    `the voice ${voice} has the name of this resource, ${name}, and the states of the stacks could not be ` +
    `read, so another resource may hold it. If it belongs to this resource, set adopt to it; ${choices}`
  );
}

function describeAge(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** A row of the list that the service keeps although the voice can't be used. */
export function unusableLine(voice: string, said: string): string {
  return `the service lists the voice ${voice} as not usable (${said}). Nothing is changed; to create another, change triggers`;
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
