import { voicesCost } from "../../rules/price";
import { voiceQuotaExceeded } from "../../rules/quota";
import type { QuotaCheck } from "../../rules/settings";
import type { ListedVoice } from "../../service/voices/client";
import { VoiceIndex } from "../../service/voices/voice-index";
import {
  type Account,
  type ExportedVoice,
  type IdsInState,
  idsInState,
  type OtherVoice,
  otherVoices,
  type Quota,
  voiceCounts,
} from "./account";
import { type Action, actions, type Change, changeOf, kindOf, recreationOf } from "./change";
import type { Kind } from "./fields";
import type { Preview, Step } from "./preview";

/** What a change makes, costs and uses up: everything that any form of the review tells. */
export interface Review {
  project: string;
  stack: string;
  /** False when the preview failed: then there may be more than is told here. */
  complete: boolean;
  errors: string[];
  counts: Record<Kind, Record<Action, number>>;
  charge: {
    /** US dollars for voices, at most. */
    atMost: number;
    voices: number;
    /** Billed too, at prices that the service's contract does not name. */
    imageTasks: number;
    decisions: number;
    /** Given with `--max-cost`. */
    limit?: number | undefined;
  };
  quota: Quota | { unknown: string };
  changes: Change[];
  /** Voices of the account that this stack's state does not hold. */
  others: OtherVoice[] | { unknown: string };
  notes: string[];
}

export interface ReviewFacts {
  preview: Preview;
  /** The stack, as far as it is known otherwise: a preview that failed at once names none. */
  named?: StackName;
  account: Account;
  /** Undefined when the stack's state was not read. */
  held?: ExportedVoice[] | undefined;
  voiceQuota: number;
  quotaCheck: QuotaCheck;
  maxCost?: number | undefined;
  nowMs: number;
}

export function reviewOf(facts: ReviewFacts): Review {
  const { preview, named = { project: "", stack: "" }, account } = facts;
  const steps = preview.steps.filter((step) => kindOf(step) !== undefined);
  const ids = idsInState(steps, facts.held);
  const changes = changesOf(steps, ids.kept, facts);
  return {
    ...(stackOf(preview) ?? named),
    complete: preview.errors.length === 0,
    errors: preview.errors,
    counts: countsOf(changes),
    charge: chargeOf(changes, facts.maxCost),
    quota: isKnown(account) ? quotaOf(changes, account, ids, facts) : account,
    changes,
    others: isKnown(account) ? othersOf(changes, account, ids, facts) : account,
    notes: [...preview.notes, ...warningsOf(changes)],
  };
}

/** As the provider judges it: an account that is too full is a fault of those who want more. */
export function isOverQuota({ quota, charge, errors }: Review): boolean {
  return (
    ("limit" in quota && quota.check === "error" && charge.voices > 0 && quota.peak > quota.limit) ||
    errors.some((error) => error.includes(`(${voiceQuotaExceeded})`))
  );
}

export function isOverCost({ charge }: Review): boolean {
  return charge.limit !== undefined && charge.atMost > charge.limit;
}

export interface StackName {
  project: string;
  stack: string;
}

/** As the resources' URNs name it (`urn:pulumi:<stack>::<project>::…`); undefined when there are none. */
export function stackOf({ steps }: Preview): StackName | undefined {
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(steps[0]?.urn ?? "") ?? [];
  return stack === undefined || project === undefined ? undefined : { project, stack };
}

const kindOrder: readonly Kind[] = ["voice", "image", "decision"];

function byKindActionAndName(a: Change, b: Change): number {
  return (
    kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind) ||
    actions.indexOf(a.action) - actions.indexOf(b.action) ||
    (a.urn < b.urn ? -1 : 1)
  );
}

function countsOf(changes: Change[]): Review["counts"] {
  const none = () => Object.fromEntries(actions.map((action) => [action, 0])) as Record<Action, number>;
  const counts = { voice: none(), image: none(), decision: none() };
  for (const { kind, action } of changes) counts[kind][action]++;
  return counts;
}

function chargeOf(changes: Change[], limit: number | undefined): Review["charge"] {
  const made = (kind: Kind) =>
    changes.filter((change) => change.kind === kind && (change.action === "create" || change.action === "replace"));
  const voices = made("voice").filter(({ charge }) => charge > 0).length;
  return {
    atMost: voicesCost(voices),
    voices,
    imageTasks: made("image").length,
    decisions: made("decision").length,
    limit,
  };
}

function isKnown(account: Account): account is ListedVoice[] {
  return Array.isArray(account);
}

/** What the preview's steps change, and the voices that a refresh would create again. */
function changesOf(steps: Step[], kept: ReadonlySet<string>, { account, nowMs }: ReviewFacts): Change[] {
  const context = {
    free: new VoiceIndex(isKnown(account) ? account.filter(({ voice }) => !kept.has(voice)) : []),
    accountIsKnown: isKnown(account),
    refreshed: new Set(steps.filter(({ op }) => op === "refresh").map(({ urn }) => urn)),
    nowMs,
  };
  const missing = isKnown(account) ? unchangedButMissing(steps, account) : [];
  return [...steps.flatMap((step) => changeOf(step, context) ?? []), ...missing.map(recreationOf)].sort(
    byKindActionAndName,
  );
}

function unchangedButMissing(steps: Step[], listed: ListedVoice[]): Step[] {
  const present = new Set(listed.map(({ voice }) => voice));
  return steps.filter(
    (step) => step.op === "same" && kindOf(step) === "voice" && !present.has(step.oldState?.id ?? ""),
  );
}

function warningsOf(changes: Change[]): string[] {
  return changes.flatMap(({ name, warning }) => (warning === undefined ? [] : [`${name}: ${warning}`]));
}

function quotaOf(changes: Change[], listed: ListedVoice[], ids: IdsInState, facts: ReviewFacts): Quota {
  return {
    limit: facts.voiceQuota,
    check: facts.quotaCheck,
    ...voiceCounts(changes, listed, ids.pendingDelete),
  };
}

function othersOf(changes: Change[], listed: ListedVoice[], ids: IdsInState, facts: ReviewFacts): Review["others"] {
  if (facts.preview.whole || facts.held !== undefined) return otherVoices(listed, changes, ids.all);
  return {
    unknown:
      "the preview does not show what stays unchanged; make it with --show-sames, or name the stack with --stack",
  };
}
