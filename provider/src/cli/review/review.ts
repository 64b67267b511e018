import { closedGate, missingSettings } from "../../rules/preview-lines";
import { doubtfulPrices } from "../../rules/price";
import { visible } from "../../rules/visible";
import { stackIn, type StackName } from "../../stacks/names";
import { describeUnread } from "../../voices/judge/delete";
import { type Change, goingVoices, kindOf } from "./change";
import { byKindActionAndName, changesOf, waitingDeletes } from "./changes";
import { explainTogether } from "./explain";
import type { ReviewFacts } from "./facts";
import { passedGates } from "./gates";
import { changedForms, notesOf } from "./notes";
import { renamedEntries } from "./renames";
import { ReviewQuestions, type ShownQuestion } from "./questions";
import { quotaOf, type ShownQuota } from "./quota";
import { type Others, othersOf, type Remarks, remarksOn, stayingVoices } from "./remarks";
import { type ChangeCounts, type Charge, chargeOf, countsOf } from "./charge";
import { type Replaced, replacedVoices } from "./limits";
import { withUnsure } from "./unsure";
import { IdsInState } from "./ids";
import { inState, trustedAccount } from "./account";

/** The content of a review in all output formats. `--json` prints it as it is. */
export interface Review extends StackName {
  /** False if the preview failed, or if the stack has voices and the account could not be listed. */
  complete: boolean;
  errors: string[];
  questions: ShownQuestion[];
  /** How the setting `forms`, by which responses are read, differs from its value in the last operation. */
  changedForms?: string | undefined;
  /** Warnings about prices in the stack's configuration: they changed, or make a charge look small. */
  doubtfulPrices?: string[];
  /** Why every update will fail, e.g. for a missing setting or a refused key, although the preview ended well. */
  blocked?: string | undefined;
  counts: ChangeCounts;
  charge: Charge;
  replaced: Replaced;
  quota: ShownQuota;
  changes: Change[];
  /** The voices that the update deletes, with the names of their resources. */
  goingVoices: { voice: string; name: string }[];
  /** Voices of the account that are not in this stack's state. */
  others: Others;
  remarks: Remarks;
  notes: string[];
}

/** A preview without changes does not send a request, so only the review notices a refused key. */
const refusedKey =
  "the service refuses the key. Any request of an update, a refresh or a destroy will fail. Check cloudvoice:apiKey, or " +
  "CLOUDVOICE_API_KEY";

const mayBeMissing =
  "what killed runs left may be missing here (unfinished requests, and voices that the update takes over or deletes)";

export function reviewOf(facts: ReviewFacts): Review {
  const { preview, named = { project: "", stack: "" }, held = [], nowMs, todayMs = nowMs } = facts;
  const steps = preview.steps.filter((step) => kindOf(step) !== undefined);
  const ofVoices = steps.filter((step) => kindOf(step) === "voice");
  const stackName = stackIn(preview.steps[0]?.urn ?? "") ?? named;
  const stack = `${stackName.project}/${stackName.stack}`;
  const questions = new ReviewQuestions(facts.asking, nowMs, stack);
  for (const question of facts.addressQuestions ?? []) questions.ask(question);
  const isSame = questions.askAboutKey(facts);
  const account = trustedAccount(facts.account, inState(ofVoices, held), facts.fingerprint, isSame);
  const listed = Array.isArray(account) ? account : undefined;
  const ids = new IdsInState(steps, held, preview.whole);
  const found = changesOf(facts, ids, listed, questions);
  const planned = withUnsure(explainTogether(found, preview), steps);
  const waiting = waitingDeletes(held, listed ?? [], planned, facts);
  const changes = [...planned, ...waiting].sort(byKindActionAndName);
  questions.askAboutTasks(steps, facts);
  const going = goingVoices(changes, facts.explained);
  questions.askAboutUnread(going, facts);
  questions.askAboutVoicesByHand(changes, listed ?? [], facts);
  const hasVoices = ofVoices.length > 0 || held.length > 0;
  const blocked =
    missingSettings.findIn(preview.notes) ?? (facts.isKeyRefused && steps.length > 0 ? refusedKey : undefined);
  const priceRemarks = doubtfulPrices(facts.filePrices ?? {}, facts.last?.prices).map(visible);
  return {
    ...stackName,
    questions: questions.shown(),
    complete: preview.errors.length === 0 && (listed !== undefined || !hasVoices),
    errors: preview.errors,
    changedForms: changedForms(facts),
    ...(priceRemarks.length > 0 && { doubtfulPrices: priceRemarks }),
    blocked,
    counts: countsOf(changes),
    charge: chargeOf(changes, facts),
    replaced: replacedVoices(changes, steps, held, facts.limits?.maxReplaced),
    quota: Array.isArray(account) ? quotaOf(planned, account, facts) : account,
    changes,
    goingVoices: going,
    others: Array.isArray(account) ? othersOf(changes, account, ids, facts) : account,
    remarks: remarksOn(stayingVoices(ofVoices, listed, held), todayMs),
    notes: allNotes(facts, changes, blocked),
  };
}

function allNotes(facts: ReviewFacts, changes: Change[], blocked: string | undefined): string[] {
  const { preview, notes = [], unread = [], unreadJournal = new Set() } = facts;
  // The review reports these notes of the preview in its own words.
  const isSaid = (note: string) =>
    (blocked !== undefined && note.includes(blocked)) ||
    [...unreadJournal].some((reason) => note.includes(reason)) ||
    changes.some(({ name, waiting }) => waiting && closedGate.isIn(note, name));
  const parents = new Map(preview.steps.map(({ urn, oldState, newState }) => [urn, (newState ?? oldState)?.parent]));
  return [
    ...notes,
    ...(unread.length > 0 ? [`the states of these stacks can't be read: ${visible(describeUnread(unread))}`] : []),
    ...[...unreadJournal].map((reason) => `${mayBeMissing}: ${visible(reason)}`),
    ...passedGates(preview),
    ...preview.notes.filter((note) => !isSaid(note)),
    ...renamedEntries(preview.steps),
    ...changes.flatMap((change) => notesOf(change, parents)),
  ];
}
