import { CloudVoiceError } from "../../errors";
import { type VoicePrice, voicesCost } from "../../rules/price";
import { notSealed } from "../../rules/pay-again";
import type { Question } from "../../rules/question";
import { dayOf } from "../../rules/time";
import type { Listed } from "../../rules/voice";
import type { LeftRequest } from "../earlier-runs";

/** The facts about the voices with the name of a resource that will be created ({@link factsForCreate}). */
export interface CreateFacts<T extends Listed> {
  name: string;
  found: readonly T[];
  generated: boolean;
  /** Describes, for people, another resource that holds the voice. Undefined if no other resource holds it. */
  holderOf: (voice: string) => string | undefined;
  /**
   * Whether this resource has had the voice: its own state names the voice, and the replacement has the same content
   * (`--replace`). Or a delete of this operation has kept the voice for this create.
   */
  isOwn: (voice: string) => boolean;
  /** The create of this voice that an earlier run did not finish. */
  unfinished: LeftRequest | undefined;
  /** Whether the states of all stacks could be read. If not, `holderOf` may miss a holder. */
  statesKnown: boolean;
}

/**
 * `mustStay`: only the list shows the voice, and a list may still show a deleted voice. Look again before the reuse.
 */
interface Reuse<T extends Listed> {
  action: "reuse";
  voice: T;
  mustStay: boolean;
  lines: string[];
}

export type CreateVerdict<T extends Listed> =
  | { action: "none"; lines: string[] }
  | Reuse<T>
  | { action: "reject"; reason: string; lines: string[] }
  /** A person may allow the reuse. */
  | { action: "ask"; reason: string; ifAccepted: Reuse<T>; mustStay: true; lines: string[] };

/**
 * Decides whether a create reuses a listed voice with the resource's own name. Neither the name nor the age proves that
 * a voice is free. A voice is reused if this resource has had it, or if an unfinished create of this stack made it.
 * Otherwise a person decides.
 */
export function judgeCreate<T extends Listed>(facts: CreateFacts<T>): CreateVerdict<T> {
  const { name, found, generated, holderOf, isOwn, unfinished, statesKnown } = facts;
  if (!generated) return { action: "none", lines: found.length === 0 ? [] : [chosenNameLine(name, found)] };
  const free = found
    .filter(({ voice }) => holderOf(voice) === undefined)
    .sort((a, b) => (b.gmtCreate ?? "").localeCompare(a.gmtCreate ?? ""));
  const [newest] = free;
  if (newest === undefined)
    return { action: "none", lines: found.map(({ voice }) => heldLine(voice, String(holderOf(voice)))) };

  const reuse = (voice: T, mustStay: boolean, line: string): Reuse<T> => {
    return { action: "reuse", voice, mustStay, lines: [line] };
  };
  const own = statesKnown ? free.find(({ voice }) => isOwn(voice)) : undefined;
  if (own) return reuse(own, false, ownLine(own.voice));
  const made = unfinished?.isOurs && free.find(({ voice }) => voice === (unfinished.id ?? voice));
  if (made) return reuse(made, unfinished.end === "pending", madeLine(made.voice));
  if (!statesKnown) return { action: "reject", reason: unreadableStates(name, newest.voice), lines: [] };
  const ifAccepted = reuse(newest, true, acceptedLine(newest.voice));
  return { action: "ask", reason: withoutEvidence(name, newest), ifAccepted, mustStay: true, lines: [] };
}

/**
 * The question whether the resources of a stack may reuse voices with their generated names, although nothing shows
 * whose voices these are.
 */
export function takeQuestionOf(origin: string | undefined, stack: string, why: string): Question {
  return {
    ...{ kind: "take", origin, stack },
    uncertain: `${why.charAt(0).toUpperCase()}${why.slice(1)}.`,
    yes: "the resources of this stack take the voices that have their names, at no cost, as after the loss of a state",
  };
}

function chosenNameLine(name: string, found: readonly Listed[]): string {
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
  const day = dayOf(gmtCreate);
  const created = day === "" ? "" : `, created on ${day},`;
  return (
    `the voice ${voice}${created} has the name of this resource, ${name}, and nothing shows that it was made for this ` +
    "resource. " +
    `If it belongs to this resource, set adopt to this voice; ${choices}`
  );
}

function unreadableStates(name: string, voice: string): string {
  return (
    `the voice ${voice} has the name of this resource, ${name}, and the states of the stacks could not be ` +
    `read, so another resource may hold it. If it belongs to this resource, set adopt to this voice; ${choices}`
  );
}

export function unusableLine(voice: string, said: string): string {
  return `the service lists the voice ${voice} as not usable (${said}). Nothing is changed; to create another, change triggers`;
}

interface Asked extends Pick<Question, "origin" | "stack"> {
  name: string;
  prices: VoicePrice;
}

/** The listed voices that a create may have made. `doubt`: why the list does not prove that no other voice exists. */
export interface LastLook {
  found: readonly Listed[];
  doubt?: string | undefined;
}

/** For a review: a create that an earlier run left unfinished. */
export interface OpenCreate extends LeftRequest {
  last?: LastLook;
}

/**
 * The question before an unfinished create is sent again. Undefined if the create certainly made no voice, if another
 * resource now holds the voice in the create's note, or if the voice has appeared since. `listed`: the voices of other
 * resources with the same name. `name`: the generated name.
 */
export function againQuestion(
  { end, id: made }: Pick<LeftRequest, "end" | "id">,
  listed: readonly Listed[],
  last: LastLook,
  { name, origin, stack, prices }: Asked,
): Question | undefined {
  const known = new Set<string | undefined>(listed.map(({ voice }) => voice));
  if (known.has(made) || last.found.some(({ voice }) => !known.has(voice))) return undefined;
  const doubt =
    end === "unproven"
      ? `the journal has a note of it that ${notSealed}`
      : end === "answered"
        ? "the service answered the create with success"
        : last.doubt;
  if (doubt === undefined) return undefined;
  return {
    ...{ kind: "pay-again", origin, stack, request: name },
    uncertain: `An earlier attempt to create the voice ${name} may have been billed, and the list does not show its voice (${doubt}).`,
    yes: `it is created again, and paid for: ${voicesCost(1, prices)}`,
    otherwise: "If you know which voice the attempt created, set adopt to that voice.",
  };
}

/**
 * The interface has no idempotency key, so only the account's list shows whether a create with an unknown outcome was
 * done. A create with a response of success and no voice was billed, and is not sent again. Any other may be sent again
 * if the list proves that the voice does not exist (`mayResend`). Undefined: the create was certainly not done.
 */
export function afterFailedCreate(error: unknown): { lost: CloudVoiceError; mayResend: boolean } | undefined {
  if (!CloudVoiceError.is(error) || error.billed !== "unknown") return undefined;
  const wasDone = (error.status ?? NaN) < 300;
  return { lost: error, mayResend: !wasDone };
}
