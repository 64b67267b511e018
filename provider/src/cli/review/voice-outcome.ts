import { hasGeneratedName } from "../../rules/voice";
import { chooseName } from "../../rules/naming";
import { dynamicUrn, nameInUrn } from "../../rules/resource-types";
import { secretText } from "../../rules/rights";
import { splitUnknown, unknownValue } from "../../rules/unknown";
import type { ListedVoice } from "../../service/voices/client";
import type { VoiceIndex } from "../../service/voices/voice-index";
import { isReplacedOnDemand } from "../../voices/holder";
import { adoptionProblem, sharedVoice } from "../../voices/judge/adopt";
import { type CreateSource, factsForCreate } from "../../voices/create-facts";
import { type CreateVerdict, judgeCreate, type OpenCreate } from "../../voices/judge/create";
import { type Audio, audioOf, show } from "./fields";
import type { IdsInState } from "./ids";
import type { Described, Step } from "./step";

/** The outcome of an update for one voice, or for a task that a resource adopts. */
export interface VoiceOutcome {
  action?: "adopt" | "take";
  /** The existing voice or task that the resource adopts or takes over, at no cost. */
  takes?: string | undefined;
  /** Whether the old voice is deleted before the new voice is created. */
  deletesFirst?: boolean;
  /** Whether the old voice stays in the account although it leaves the state, e.g. by `retainOnDelete`. */
  retained?: boolean;
  /** Another stack that holds the old voice, so that the voice stays in the account. */
  heldBy?: string;
  /** Another resource of the stack that holds the old voice too, so that the voice stays in the account. */
  keptBy?: string;
  audio?: { old?: Audio | undefined; new?: Audio | undefined };
  /** A predicted failure of the update. */
  warning?: string | undefined;
}

export interface VoiceContext {
  /** The voices of the account. Undefined if they could not be listed. */
  listed: VoiceIndex | undefined;
  ids: IdsInState;
  /** The voices that the program adopts. */
  adopted: ReadonlySet<string>;
  /** Adopted voices that another create would reuse by name. */
  contested: Set<string>;
  /** By voice: another stack that holds the voice. */
  elsewhere: ReadonlyMap<string, string>;
  /** Whether the states of all stacks could be read. */
  statesKnown: boolean;
  /** The namespace in generated names. Undefined if the preview may be of another stack. */
  namespace?: string | undefined;
  /** The creates that earlier runs left unfinished, by preferred name. */
  unfinished?: ReadonlyMap<string, OpenCreate> | undefined;
  /** The voices that a run of the last two days deleted. The account's list may still show them. */
  deletedVoices?: ReadonlySet<string> | undefined;
  /** Asks whether resources may reuse voices that have their generated names. Returns whether a person has said yes. */
  askToTake: (why: string) => boolean;
  /** Asks whether to pay again for a create that may have been paid for. `named`: the voices with its name. */
  askToPay: (name: string, unfinished: OpenCreate, named: readonly ListedVoice[]) => void;
  /** URNs of resources that are deleted before they are replaced. */
  deletedFirst: ReadonlySet<string>;
  /** URNs of all other resources that the update deletes. */
  deletedLast: ReadonlySet<string>;
}

/** The resources deleted first whose outputs the step takes. The engine deletes the step's resource before them. */
export function sourcesDeletedFirst({ newState }: Step, { deletedFirst }: VoiceContext): string[] {
  const sources = Object.values(newState?.propertyDependencies ?? {}).flatMap((urns) => urns ?? []);
  return [...new Set(sources)].filter((urn) => deletedFirst.has(urn));
}

export function voiceOutcome(step: Step, context: VoiceContext): VoiceOutcome {
  const { op, oldState, newState } = step;
  return {
    audio: { old: audioOf(oldState?.inputs ?? {}), new: audioOf(newState?.inputs ?? {}) },
    ...((op === "replace" || op === "delete") && oldVoice(step, context)),
    ...((op === "replace" || op === "create") && newVoice(step, context)),
  };
}

/** Workaround: only the field `delete` of the old state shows that the engine creates the new resource first. */
export function isDeletedFirst({ op, oldState }: Step): boolean {
  return op === "replace" && oldState?.delete !== true;
}

/** The old voice stays if its resource is deleted with another (`deletedWith`): the engine then calls no provider. */
function oldVoice(step: Step, { deletedLast, elsewhere, ids }: VoiceContext): VoiceOutcome {
  const { id = "", retainOnDelete, deletedWith = "" } = step.oldState ?? {};
  const heldBy = elsewhere.get(id);
  const keeper = ids.keeperBeside(step);
  return {
    ...(heldBy !== undefined && { heldBy: show(heldBy) }),
    ...(keeper !== undefined && { keptBy: show(nameInUrn(keeper)) }),
    ...(isDeletedFirst(step) && { deletesFirst: true }),
    ...((retainOnDelete || deletedLast.has(deletedWith)) && { retained: true }),
  };
}

function newVoice(step: Step, context: VoiceContext): VoiceOutcome {
  const { adopt, targetModel } = step.newState?.inputs ?? {};
  const isNew = step.op === "create";
  if (typeof adopt === "string") {
    const problem = problemOf(adopt, targetModel, context);
    return { ...(isNew && { action: "adopt" }), takes: show(adopt), warning: problem && willFail(problem) };
  }
  const verdict = verdictAtCreate(step, context);
  if (verdict.action === "reuse") return { ...(isNew && { action: "take" }), takes: verdict.voice.voice };
  return verdict.action === "reject" ? { warning: willFail(verdict.reason) } : {};
}

export function willFail(problem: string): string {
  return `the update will fail: ${problem}`;
}

function problemOf(voice: string, targetModel: unknown, { listed, ids }: VoiceContext): string | undefined {
  if (!listed || voice === unknownValue || voice === secretText) return undefined;
  const problem = adoptionProblem(show(voice), listed.get(voice), targetModel);
  return problem ?? (ids.kept.has(voice) ? sharedVoice(show(voice)) : undefined);
}

/** The verdict of `judgeCreate`, as in the update, about voices with the resource's generated name. */
function verdictAtCreate(step: Step, context: VoiceContext): CreateVerdict<ListedVoice> {
  const { preferredName, targetModel, ...news } = step.newState?.inputs ?? {};
  const created: CreateVerdict<ListedVoice> = { action: "none", lines: [] };
  if (!hasGeneratedName(news) || typeof preferredName !== "string") return created;
  const named = context.listed?.named(preferredName, String(targetModel)) ?? [];
  const source = sourceOf(step, { ...news, preferredName }, named, context);
  const facts = factsForCreate(source);
  const { adopted, contested, askToTake, askToPay } = context;
  for (const { voice } of facts.found) if (!source.holderBeside(voice) && adopted.has(voice)) contested.add(voice);
  const verdict = judgeCreate(facts);
  if (verdict.action === "none" && source.unfinished) askToPay(preferredName, source.unfinished, named);
  if (verdict.action !== "ask") return verdict;
  return askToTake(verdict.reason) ? verdict.ifAccepted : created;
}

/** Returns the facts about a create, from the exported states and from the other steps of the preview. */
function sourceOf(
  step: Step,
  inputs: CreateSource<ListedVoice>["inputs"],
  named: ListedVoice[],
  context: VoiceContext,
): CreateSource<ListedVoice> & { unfinished: OpenCreate | undefined } {
  const { urn, oldState } = step;
  const { deletedVoices, ids, elsewhere, adopted, statesKnown, unfinished } = context;
  // The engine deletes the old voice before the provider creates the new voice, or a person asked for a new voice.
  const isGoing = isReplacedOnDemand(oldState ?? {}) || sourcesDeletedFirst(step, context).length > 0;
  return {
    ...{ inputs, statesKnown, unfinished: unfinished?.get(inputs.preferredName) },
    listed: named.filter(({ voice }) => deletedVoices?.has(voice) !== true),
    own: oldState?.id === undefined ? [] : [{ voice: oldState.id, isGoing }],
    holderBeside: (voice) => elsewhere.get(voice) ?? (ids.isHeldBeside(urn, voice) ? "another resource" : undefined),
    // The adoption may come before or after this create. The review assumes the more expensive case: a billed create.
    isTaken: (voice) => adopted.has(voice),
  };
}

/**
 * Returns the state with its name replaced by the name that a create would generate. An alias may have kept an older
 * name in the state.
 */
export function namedAnew(state: Described, urn: string, { namespace }: VoiceContext): Described {
  const { preferredName, ...otherInputs } = state.inputs;
  if (namespace === undefined || !hasGeneratedName(state.inputs)) return state;
  const secrets = Object.keys(otherInputs).filter((name) => JSON.stringify(otherInputs[name]).includes(secretText));
  const name = chooseName(otherInputs, {
    ...{ unknown: splitUnknown(state.inputs).unknown, secrets: new Set(secrets) },
    audio: String(otherInputs.audioSha256 ?? otherInputs.audio),
    identity: { namespace, urn: dynamicUrn(urn) },
  });
  return { ...state, inputs: { ...otherInputs, preferredName, ...name } };
}
