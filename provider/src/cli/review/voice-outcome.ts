import { hasGeneratedName } from "../../rules/voice";
import { chooseName } from "../../rules/naming";
import { dynamicUrn } from "../../rules/resource-types";
import { secretText } from "../../rules/rights";
import { splitUnknown, unknownValue } from "../../rules/unknown";
import type { ListedVoice } from "../../service/voices/client";
import type { VoiceIndex } from "../../service/voices/voice-index";
import { isReplacedOnDemand } from "../../voices/holder";
import { adoptionProblem, sharedVoice } from "../../voices/judge/adopt";
import { type CreateVerdict, judgeCreate, type UnfinishedCreate } from "../../voices/judge/create";
import { type Audio, audioOf, show } from "./fields";
import type { IdsInState } from "./ids";
import type { Step } from "./preview";

/** What an update will do about a voice, or about a task that it takes over. */
export interface VoiceOutcome {
  action?: "adopt" | "take";
  /** The existing voice or task that is adopted or taken over, which costs nothing. */
  takes?: string | undefined;
  /** The old voice is deleted before the new one is created. */
  deletesFirst?: boolean;
  /** The old voice leaves the state and stays in the account (`retainOnDelete`). */
  retained?: boolean;
  /** The stack that holds the old voice too, so that it stays. */
  heldBy?: string;
  audio?: { old?: Audio; new?: Audio };
  /** A failure of the update that can be predicted. */
  warning?: string;
}

export interface VoiceContext {
  /** The voices of the account; undefined if they are not known. */
  listed: VoiceIndex | undefined;
  ids: IdsInState;
  /** The voices that the program adopts, and those of them that a replacement would reuse by name. */
  adopted: ReadonlySet<string>;
  contested: Set<string>;
  /** The voices that other stacks hold, and whether the states of all of these could be read. */
  elsewhere: ReadonlyMap<string, string>;
  statesKnown: boolean;
  /**
   * The namespace in generated names: the setting, or else the organization. Undefined for a preview that may be of
   * another stack.
   */
  namespace: string | undefined;
  /** The creates that earlier runs left unfinished, by the names of their voices. */
  unfinished?: ReadonlyMap<string, UnfinishedCreate> | undefined;
  /** Asks whether resources may reuse voices that have their generated names. Returns whether a person has said yes. */
  askToTake: (why: string) => boolean;
  /** Asks whether to pay again for an unfinished create that may have been billed. `held`: the voices with its name. */
  askToPay: (name: string, unfinished: UnfinishedCreate, held: ListedVoice[]) => void;
  /** URNs of resources that are deleted before they are replaced. */
  deletedFirst: ReadonlySet<string>;
  /** URNs of resources that are deleted, or that have old copies to delete. */
  deleted: ReadonlySet<string>;
}

/**
 * The resources whose outputs the step's inputs take and that are deleted before they are replaced. The engine deletes
 * such a step's resource before them, even if its inputs turn out the same.
 */
export function sourcesDeletedFirst({ newState }: Step, { deletedFirst }: VoiceContext): string[] {
  const sources = Object.values(newState?.propertyDependencies ?? {}).flatMap((urns) => urns ?? []);
  return [...new Set(sources)].filter((urn) => deletedFirst.has(urn));
}

export function voiceOutcome(step: Step, context: VoiceContext): VoiceOutcome {
  const { op, oldState, newState } = step;
  const before = oldState ? audioOf(oldState.inputs) : undefined;
  const after = audioOf(newState?.inputs ?? {});
  // The engine deletes this voice before it calls the provider for the new one, or a new voice was asked for.
  const isGone = isReplacedOnDemand(oldState ?? {}) || sourcesDeletedFirst(step, context).length > 0;
  const gone = isGone ? oldState?.id : undefined;
  return {
    audio: { ...(before && { old: before }), ...(after && { new: after }) },
    ...((op === "replace" || op === "delete") && oldVoice(step, context)),
    ...((op === "replace" || op === "create") && newVoice(step, context, gone)),
  };
}

/** Workaround: only the mark `delete` of the old state shows that the engine deletes it after it made the new one. */
export function isDeletedFirst({ op, oldState }: Pick<Step, "op" | "oldState">): boolean {
  return op === "replace" && oldState?.delete !== true;
}

/** The provider is not called for a resource that is deleted with another, so the service does not delete the voice. */
function oldVoice({ op, oldState }: Step, { deleted, elsewhere }: VoiceContext): VoiceOutcome {
  const heldBy = elsewhere.get(oldState?.id ?? "");
  return {
    ...(heldBy !== undefined && { heldBy: show(heldBy) }),
    ...(isDeletedFirst({ op, oldState }) && { deletesFirst: true }),
    ...((oldState?.retainOnDelete || deleted.has(oldState?.deletedWith ?? "")) && { retained: true }),
  };
}

function newVoice(step: Step, context: VoiceContext, gone?: string): VoiceOutcome {
  const { adopt, targetModel } = step.newState?.inputs ?? {};
  const isNew = step.op === "create";
  const warningOf = (problem?: string) => problem !== undefined && { warning: `the update will fail: ${problem}` };
  if (typeof adopt === "string") {
    const problem = problemOf(adopt, targetModel, context);
    return { ...(isNew && { action: "adopt" }), takes: show(adopt), ...warningOf(problem) };
  }
  const verdict = verdictAtCreate(step, context, gone);
  if (verdict.action === "reuse") return { ...(isNew && { action: "take" }), takes: verdict.voice.voice };
  return { ...warningOf(verdict.action === "reject" ? verdict.reason : undefined) };
}

function problemOf(voice: string, targetModel: unknown, { listed, ids }: VoiceContext): string | undefined {
  if (!listed || voice === unknownValue || voice === secretText) return undefined;
  const problem = adoptionProblem(show(voice), listed.get(voice), targetModel);
  return problem ?? (ids.kept.has(voice) ? sharedVoice(show(voice)) : undefined);
}

/** The verdict of the create itself about a voice that has the resource's generated name. */
function verdictAtCreate(
  { urn, oldState, newState }: Step,
  { listed, ids, elsewhere, statesKnown, unfinished, adopted, contested, askToTake, askToPay }: VoiceContext,
  gone: string | undefined,
): CreateVerdict<ListedVoice> {
  const { preferredName, targetModel, ...news } = newState?.inputs ?? {};
  if (!hasGeneratedName(news) || typeof preferredName !== "string") return { action: "pay", lines: [] };
  const isHeld = (voice: string) => voice === gone || elsewhere.has(voice) || ids.isHeldBeside(urn, voice);
  const named = listed?.named(preferredName, String(targetModel)) ?? [];
  for (const { voice } of named) if (!isHeld(voice) && adopted.has(voice)) contested.add(voice);
  const verdictIf = (isAccepted: boolean) =>
    judgeCreate(preferredName, named, {
      generated: true,
      // The adoption may come before or after this create. In the worst case this create is billed.
      holderOf: (voice) => (isHeld(voice) || adopted.has(voice) ? "another resource" : undefined),
      isOwn: (voice) => voice === oldState?.id,
      unfinished: unfinished?.get(preferredName),
      statesKnown,
      isAccepted,
    });
  const verdict = verdictIf(false);
  const note = unfinished?.get(preferredName);
  if (verdict.action === "pay" && note) askToPay(preferredName, note, named);
  if (verdict.action !== "ask") return verdict;
  return askToTake(verdict.reason) ? verdictIf(true) : { action: "pay", lines: [] };
}

/**
 * A voice that is created again gets the name of a new one. The name in the state may come from before a rename with an
 * alias.
 */
export function namedAnew<T extends { inputs: Record<string, unknown> }>(
  state: T,
  urn: string,
  { namespace }: VoiceContext,
): T {
  const { preferredName, ...given } = state.inputs;
  if (namespace === undefined || !hasGeneratedName(state.inputs)) return state;
  const secrets = Object.keys(given).filter((name) => JSON.stringify(given[name]).includes(secretText));
  const name = chooseName(given, {
    ...{ unknown: splitUnknown(state.inputs).unknown, secrets: new Set(secrets) },
    audio: String(given.audioSha256 ?? given.audio),
    identity: { namespace, urn: dynamicUrn(urn) },
  });
  return { ...state, inputs: { ...given, preferredName, ...name } };
}
