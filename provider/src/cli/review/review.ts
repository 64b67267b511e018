import { willFail } from "../../rules/settings";
import { doubtfulPrices, type Prices, type PriceTexts } from "../../rules/price";
import { stackIn, type StackName } from "../../rules/resource-types";
import { visible } from "../../rules/visible";
import { type Change, goingVoices, kindOf } from "./change";
import { byKindActionAndName, changesOf, explainTogether, passedGates } from "./explain";
import {
  type ChangeCounts,
  type Charge,
  chargeOf,
  countsOf,
  type Limits,
  limitsExceeded,
  type Replaced,
  replacedVoices,
} from "./charge";
import { notesOf, renamedEntries } from "./notes";
import type { Preview } from "./preview";
import { isOverQuota, type Quota, quotasOf } from "./quota";
import { type Remarks, remarksOn, stayingVoices } from "./remarks";
import { withUnsure } from "./unsure";
import type { Plan, PlannedQuestion } from "../../rules/plan-line";

/** The content of a review in all output formats. `--format json` prints it as it is. */
export interface Review extends StackName {
  /** False if the preview failed, or if its output lacks the plan of the provider. */
  complete: boolean;
  errors: string[];
  questions: PlannedQuestion[];
  /** Warnings about prices in the stack's configuration that make a charge look small. */
  doubtfulPrices?: string[];
  /** Why every update will fail, e.g. for a missing setting, although the preview ended well. */
  blocked?: string | undefined;
  counts: ChangeCounts;
  charge: Charge;
  replaced: Replaced;
  /** For each account in which the update creates a voice. */
  quotas: Quota[];
  changes: Change[];
  /** The voices that the update deletes, with the names of their resources. */
  goingVoices: { voice: string; name: string }[];
  remarks: Remarks;
  notes: string[];
}

/** What a review needs beside the preview. */
export interface ReviewParts extends Prices {
  preview: Preview;
  limits?: Limits;
  /** The name of the stack, which a preview without steps does not contain. */
  named?: StackName | undefined;
  /** The prices in the stack's configuration that the environment does not override. */
  filePrices?: PriceTexts;
  nowMs: number;
}

/**
 * The review of a preview. It shows what the engine's steps and the provider's plan say, and decides nothing: no key, no
 * list of voices, no state and no journal is read.
 */
export function reviewOf(parts: ReviewParts): Review {
  const { preview, limits = {}, named = { project: "", stack: "" }, nowMs } = parts;
  const { plans, errors } = preview;
  const steps = preview.steps.filter((step) => kindOf(step) !== undefined);
  const ofVoices = steps.filter((step) => kindOf(step) === "voice");
  const explained = explainTogether(changesOf(preview, parts), preview);
  const changes = withUnsure(explained, steps).sort(byKindActionAndName);
  const problem = plans.get("")?.fails;
  const blocked = problem?.startsWith(willFail) ? problem : undefined;
  const priceRemarks = doubtfulPrices(parts.filePrices ?? {}).map(visible);
  return {
    ...(stackIn(preview.steps[0]?.urn ?? "") ?? named),
    questions: questionsIn(plans),
    complete: errors.length === 0,
    errors,
    ...(priceRemarks.length > 0 && { doubtfulPrices: priceRemarks }),
    blocked,
    counts: countsOf(changes),
    charge: chargeOf(changes, parts.currency, limits),
    replaced: replacedVoices(changes, steps, limits.replaced),
    quotas: quotasOf(changes, steps, plans),
    changes,
    goingVoices: goingVoices(changes),
    remarks: remarksOn(stayingVoices(ofVoices), nowMs),
    notes: allNotes(preview, changes),
  };
}

/** The questions that an update will ask. All resources of a stack may share one question. */
export function questionsIn(plans: ReadonlyMap<string, Plan>): PlannedQuestion[] {
  const questions = [...plans.values()].flatMap((plan) => plan.questions);
  return [...new Map(questions.map((question) => [question.id, question])).values()];
}

function allNotes(preview: Preview, changes: Change[]): string[] {
  // The review asks these questions itself.
  const isAsked = (message: string) => questionsIn(preview.plans).some(({ uncertain }) => message.includes(uncertain));
  const parents = new Map(preview.steps.map(({ urn, oldState, newState }) => [urn, (newState ?? oldState)?.parent]));
  return [
    ...passedGates(preview),
    ...preview.messages.filter((message) => !isAsked(message)),
    ...renamedEntries(preview.steps),
    ...changes.flatMap((change) => notesOf(change, parents)),
  ];
}

/** The exit codes, on which pipelines depend. */
export const exitCodes = { reviewed: 0, failed: 1, changes: 2, overLimit: 3 };

/** `tellsChanges`: the option `--exit-code`. */
export function exitCodeOf(review: Review, tellsChanges = false): number {
  if (isOverQuota(review) || limitsExceeded(review).length > 0) return exitCodes.overLimit;
  const willFail = review.changes.some(({ warning }) => warning !== undefined);
  if (!review.complete || willFail || review.blocked !== undefined || review.questions.length > 0)
    return exitCodes.failed;
  return tellsChanges && review.changes.length > 0 ? exitCodes.changes : exitCodes.reviewed;
}
