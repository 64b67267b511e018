import type { Plan } from "../../rules/plan-line";
import { nameInUrn } from "../../rules/resource-types";
import { reasonToStay } from "../../rules/naming";
import { type Audio, audioOf, show } from "./fields";
import type { Step } from "./preview";

/** The outcome of an update for one voice, or for a task that a resource adopts. */
export interface VoiceOutcome {
  action?: "adopt" | "take";
  /** The existing voice or task that the resource adopts or takes over, at no cost. */
  takes?: string | undefined;
  /** Whether the old voice is deleted before the new voice is created. */
  deletesFirst?: boolean;
  /** Whether the old voice stays in the account although it leaves the state, e.g. by `retainOnDelete`. */
  retained?: boolean;
  /** Why the resource does not delete its old voice: it did not create it. */
  stays?: string;
  /** Another resource of the program that has the old voice too, so that the voice stays in the account. */
  keptBy?: string;
  audio?: { old?: Audio | undefined; new?: Audio | undefined };
  /** Why the update will fail, by the provider's plan. */
  warning?: string | undefined;
}

export interface VoiceContext {
  /** What the provider has decided, by URN. */
  plans: ReadonlyMap<string, Plan>;
  /** By voice: the URNs of the resources that have it after the update. */
  holders: ReadonlyMap<string, readonly string[]>;
  /** URNs of the resources that the update deletes, without those that it deletes before it replaces them. */
  deletedLast: ReadonlySet<string>;
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

/**
 * What the delete of the old voice does, by the rules of the life cycle: the old state and the other steps decide. If
 * the resource is deleted with another one (`deletedWith`), the engine calls no provider.
 */
function oldVoice(step: Step, { deletedLast, holders }: VoiceContext): VoiceOutcome {
  const { id = "", retainOnDelete, deletedWith = "", outputs = {} } = step.oldState ?? {};
  const keeper = holders.get(id)?.[0];
  const stays = reasonToStay(id, {
    adopted: outputs.adopted === true,
    preferredName: typeof outputs.preferredName === "string" ? outputs.preferredName : "",
  });
  return {
    ...(keeper !== undefined && { keptBy: show(nameInUrn(keeper)) }),
    ...(isDeletedFirst(step) && { deletesFirst: true }),
    ...((retainOnDelete || deletedLast.has(deletedWith) || stays !== undefined) && { retained: true }),
    ...(stays !== undefined && { stays: show(stays) }),
  };
}

function newVoice({ op, urn, newState }: Step, { plans }: VoiceContext): VoiceOutcome {
  const { takes, fails } = plans.get(urn) ?? {};
  const adopts = typeof newState?.inputs.adopt === "string";
  const taken = takes ?? (adopts ? show(newState.inputs.adopt) : undefined);
  return {
    ...(op === "create" && taken !== undefined && { action: adopts ? "adopt" : "take" }),
    ...(taken !== undefined && { takes: taken }),
    ...(fails !== undefined && { warning: willFail(fails) }),
  };
}

function willFail(problem: string): string {
  return `the update will fail: ${problem}`;
}
