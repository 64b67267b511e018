import { IdsInState } from "./ids-in-state";
import { storedRights } from "../../rules/rights";
import { type Prices, sumOf } from "../../rules/price";
import { type Loss, massLossProblem } from "../../rules/mass-loss";
import { missingSettingsIn } from "../../rules/missing-settings";
import { Holdings, planVoices } from "../../rules/plan";
import { isOver, voiceQuotaExceeded } from "../../rules/quota";
import type { QuotaCheck, TakeOver } from "../../rules/settings";
import { visible } from "../../rules/visible";
import type { VoiceHolder } from "../../rules/voice-holder";
import type { ListedVoice } from "../../service/voices/client";
import { type Remarks, remarksOn } from "./remarks";
import { VoiceIndex } from "../../service/voices/voice-index";
import {
  type AccountVoices,
  inState,
  type OtherVoice,
  otherVoices,
  type Quota,
  type StackQuota,
  trustedAccount,
  voiceSteps,
} from "./account";
import {
  type Action,
  actions,
  type Change,
  changeOf,
  evidenceRemark,
  isBilled,
  isDeletedFirst,
  kindOf,
  nameIn,
  withCharge,
} from "./change";
import { explainTogether } from "./explain";
import { passedGates } from "./gates";
import type { Kind } from "./fields";
import type { Preview, Step } from "./preview";

/** The content of every form of the review. `--json` prints it as it is. */
export interface Review {
  project: string;
  stack: string;
  /**
   * False when the preview failed, or when the account of a stack with voices could not be listed. The update may then
   * do more than is listed here.
   */
  complete: boolean;
  errors: string[];
  /** Why the update will fail as a whole, although the preview ended well. */
  blocked?: string;
  counts: Record<Kind, Record<Action, number>>;
  charge: {
    /** The highest charge for all that has a price. Decisions count with an estimate. */
    atMost: number;
    /** The setting `currency`. */
    currency: string;
    voices: number;
    imageTasks: number;
    decisions: number;
    /** How many of them have no known price. */
    unpriced: { imageTasks: number; decisions: number };
    /** The value of `--max-cost`. */
    limit?: number | undefined;
    /** The value of `--max-image-tasks`. */
    imageTaskLimit?: number | undefined;
    /** The value of `--max-decisions`. */
    decisionLimit?: number | undefined;
  };
  quota: (Quota & { stack?: StackQuota | undefined }) | { unknown: string };
  changes: Change[];
  /** Voices of the account that are not in this stack's state. */
  others: OtherVoice[] | { unknown: string };
  remarks: Remarks;
  notes: string[];
}

export interface ReviewFacts {
  preview: Preview;
  /** The name of the stack for a preview without steps: only steps contain it. */
  named?: StackName;
  account: AccountVoices;
  /** The fingerprint of the account that was listed. */
  fingerprint?: string;
  /** The setting `rotatedFrom`. */
  rotatedFrom?: string | undefined;
  /** The voices of the stack's state; undefined when it was not read. */
  held?: VoiceHolder[] | undefined;
  /** The voices that other stacks of the project hold. */
  elsewhere?: ReadonlySet<string>;
  /** How many resources the stack's last operation removed from the state, if it was a refresh. */
  removedByRefresh?: number;
  voiceQuota: number;
  quotaCheck: QuotaCheck;
  limits?: Limits;
  /** What the reviewer should know about how the update will run. */
  notes?: string[];
  takeOver?: TakeOver;
  /** The setting, or else the organization. Absent for a preview that may be of another stack. */
  namespace?: string | undefined;
  acceptMissing?: Loss["accept"];
  prices?: Prices;
  /** Whether the program's folder has a file. Absent for a preview that may be of another folder. */
  hasFile?: (path: string) => boolean;
  stackQuota?: number | undefined;
  nowMs: number;
  /** The service's time, by which voices are old and rights end. Default: `nowMs`. */
  todayMs?: number;
}

/** What one update may pay for. */
export interface Limits {
  maxCost?: number | undefined;
  maxImageTasks?: number | undefined;
  maxDecisions?: number | undefined;
}

export function reviewOf(allFacts: ReviewFacts): Review {
  const { preview, named = { project: "", stack: "" } } = allFacts;
  const steps = preview.steps.filter((step) => kindOf(step) !== undefined);
  const ofVoices = steps.filter((step) => kindOf(step) === "voice");
  const { fingerprint, rotatedFrom } = allFacts;
  const account = trustedAccount(allFacts.account, inState(ofVoices, allFacts.held), fingerprint, rotatedFrom);
  const prices = allFacts.prices ?? { voicePrice: 0.01, currency: "USD" };
  const facts = { ...allFacts, account, prices };
  const ids = new IdsInState(steps, facts.held, preview.whole);
  const changes = explainTogether(changesOf(preview.steps, ids, facts), preview, facts.removedByRefresh);
  const hasVoices = ofVoices.length > 0 || (facts.held ?? []).length > 0;
  const blocked = missingSettingsIn(preview.notes);
  const isBlocked = (note: string) => blocked !== undefined && note.includes(blocked);
  return {
    ...(stackOf(preview) ?? named),
    complete: preview.errors.length === 0 && (isKnown(account) || !hasVoices),
    errors: preview.errors,
    ...(blocked !== undefined && { blocked }),
    counts: countsOf(changes),
    charge: chargeOf(changes, prices.currency, facts.limits),
    quota: isKnown(account) ? quotaOf(changes, account, facts) : account,
    changes,
    others: isKnown(account) ? othersOf(changes, account, ids, facts) : account,
    remarks: remarksOn(
      stayingVoices(ofVoices, isKnown(account) ? account : [], facts.held),
      facts.todayMs ?? facts.nowMs,
    ),
    notes: [
      ...(facts.notes ?? []),
      ...passedGates(preview, (step) => kindOf(step) === "decision"),
      ...preview.notes.filter((note) => !isBlocked(note)),
      ...changes.flatMap(notesOf),
    ],
  };
}

/** By the rule of the update itself. */
export function isOverQuota({ quota, charge: { voices: added }, errors, notes }: Review): boolean {
  const isSaid = (line: string) => line.includes(`(${voiceQuotaExceeded})`);
  if (errors.some(isSaid)) return true;
  if (!("limit" in quota) || quota.check !== "error") return false;
  // The check of the preview itself, which only warns there.
  if (notes.some(isSaid)) return true;
  const { stack } = quota;
  return (
    isOver("account", { ...quota, added }, quota.limit) ||
    (stack !== undefined && isOver("stack", { ...stack, added }, stack.limit))
  );
}

export interface StackName {
  project: string;
  stack: string;
}

/** The names in the resources' URNs (`urn:pulumi:<stack>::<project>::…`); undefined without resources. */
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

function chargeOf(changes: Change[], currency: string, limits: Limits = {}): Review["charge"] {
  const billed = (kind: Kind, only?: { unpriced: boolean }) =>
    changes.filter((change) => change.kind === kind && isBilled(change) && (!only || change.unpriced)).length;
  return {
    atMost: sumOf(changes.map(({ charge }) => charge)),
    currency,
    voices: billed("voice"),
    imageTasks: billed("image"),
    decisions: billed("decision"),
    unpriced: { imageTasks: billed("image", { unpriced: true }), decisions: billed("decision", { unpriced: true }) },
    limit: limits.maxCost,
    imageTaskLimit: limits.maxImageTasks,
    decisionLimit: limits.maxDecisions,
  };
}

/** Whether the account could be listed. */
export function isKnown(account: AccountVoices): account is ListedVoice[] {
  return Array.isArray(account);
}

/** The changes of the preview's steps, and the voices that a refresh would create again. */
function changesOf(
  steps: Step[],
  ids: IdsInState,
  {
    account,
    held = [],
    acceptMissing = "some",
    elsewhere = new Set(),
    hasFile,
    namespace,
    takeOver = "recent",
    prices,
    nowMs,
  }: ReviewFacts & { prices: Prices },
): Change[] {
  const urnsOf = (isSuch: (step: Step) => boolean) => new Set(steps.filter(isSuch).map(({ urn }) => urn));
  const context = {
    listed: isKnown(account) ? new VoiceIndex(account) : undefined,
    ...{ ids, elsewhere, hasFile, namespace, takeOver, nowMs },
    adopted: new Set(steps.flatMap(({ op, newState }) => (op === "create" ? String(newState?.inputs.adopt) : []))),
    contested: new Set<string>(),
    refreshProblem: isKnown(account) ? refreshProblem(held, account, acceptMissing) : undefined,
    deletedFirst: urnsOf((step) => kindOf(step) !== undefined && isDeletedFirst(step)),
    deleted: urnsOf((step) => step.op === "delete" || (step.op === "replace" && !isDeletedFirst(step))),
    refreshed: urnsOf(({ op }) => op === "refresh"),
  };
  const changes = steps.flatMap((step) => {
    const change = changeOf(step, context);
    return change === undefined ? [] : [withCharge(change, step, prices)];
  });
  const isContested = ({ action, takes = "" }: Change) => action === "adopt" && context.contested.has(takes);
  return changes
    .map((change) => (isContested(change) ? { warning: contestedVoice, ...change } : change))
    .sort(byKindActionAndName);
}

const contestedVoice = "the update may fail: the resource that has the voice to adopt takes it again";

/** Why `pulumi up --refresh` would fail, by the rules of the refresh itself. */
function refreshProblem(held: VoiceHolder[], listed: ListedVoice[], accept: Loss["accept"]): string | undefined {
  const live = held.filter(({ isOld, retained }) => !isOld && !retained).map(({ voice }) => voice);
  const shared = live.find((voice, index) => live.indexOf(voice) < index);
  if (shared !== undefined) return `two resources hold the voice ${visible(shared)}. Run \`pulumi up\` first`;
  const present = new Set(listed.map(({ voice }) => voice));
  const missing = live.filter((voice) => !present.has(voice)).length;
  return massLossProblem({ stack: held[0]?.stack ?? "", held: live.length, missing, accept });
}

/** The voices that there are after the update, as far as the preview shows them. */
function stayingVoices(steps: Step[], listed: ListedVoice[], held: VoiceHolder[] = []) {
  const rows = new Map(listed.map((row) => [row.voice, row]));
  const saved = new Map(held.map(({ voice, rights }) => [voice, rights]));
  return steps.flatMap(({ op, urn, oldState, newState }) => {
    if (!["same", "create", "update", "replace"].includes(op)) return [];
    const kept = op === "same" || op === "update" ? rows.get(oldState?.id ?? "") : undefined;
    // A preview shows no secret, and the state may have been read with its secrets.
    const known = op === "same" ? saved.get(oldState?.id ?? "") : undefined;
    const rights = known ?? storedRights((newState ?? oldState)?.inputs.rights);
    return [{ name: nameIn(urn), urn, voice: kept?.voice, rights, createdAt: kept?.gmtCreate }];
  });
}

function notesOf({ name, id = "", kind, retained, renamedFrom, sameEvidence, rights }: Change): string[] {
  const notes = [
    retained &&
      kind === "voice" &&
      `its voice ${visible(id)} stays in the account. \`npx pulumi-cloudvoice delete ${visible(id)}\` deletes it then`,
    sameEvidence && `${evidenceRemark(rights)}. Check that it covers this recording`,
    renamedFrom !== undefined &&
      `to rename the resource at no cost, add aliases: [${JSON.stringify(visible(renamedFrom))}] to its options`,
  ];
  return notes.filter((note) => typeof note === "string").map((note) => `${name}: ${note}`);
}

function quotaOf(changes: Change[], listed: ListedVoice[], facts: ReviewFacts): Review["quota"] {
  const { held, stackQuota, voiceQuota, quotaCheck } = facts;
  const present = new Set(listed.map(({ voice }) => voice));
  const exists = (voice: string) => present.has(voice);
  const before = { held: new Holdings(held ?? []), inAccount: present.size, exists };
  const { account, stack } = planVoices(voiceSteps(changes), before);
  return {
    ...{ limit: voiceQuota, check: quotaCheck, now: account.now, peak: account.peak, after: account.after },
    ...(stackQuota !== undefined &&
      held && { stack: { limit: stackQuota, now: stack.now, peak: stack.peak, after: stack.after } }),
  };
}

function othersOf(changes: Change[], listed: ListedVoice[], ids: IdsInState, facts: ReviewFacts): Review["others"] {
  if (facts.preview.whole || facts.held !== undefined)
    return otherVoices(listed, changes, ids, facts.todayMs ?? facts.nowMs);
  return {
    unknown: "the preview lacks unchanged resources. Run it with --show-sames, or name the stack with --stack",
  };
}
