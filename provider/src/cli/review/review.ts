import { IdsInState } from "./ids-in-state";
import { closedGateLine } from "../../rules/decision-answers";
import { storedRights } from "../../rules/rights";
import { type Prices, sumOf } from "../../rules/price";
import { nameInUrn, type ResourceKind } from "../../rules/resource-types";
import { countedVoices, type Loss, massLossProblem } from "../../rules/mass-loss";
import { missingSettingsIn } from "../../rules/missing-settings";
import { Holdings, planVoices } from "../../rules/plan";
import { isOver, voiceQuotaExceeded } from "../../rules/quota";
import type { Settings } from "../../rules/settings";
import { visible } from "../../rules/visible";
import type { VoiceHolder } from "../../rules/voice-holder";
import { stackIn, type StackName } from "../../stacks/names";
import type { ListedVoice } from "../../service/voices/client";
import { selectVoices, type ShownVoice } from "../listing";
import { type Remarks, remarksOn } from "./remarks";
import { VoiceIndex } from "../../service/voices/voice-index";
import { type AccountVoices, inState, type Quota, type StackQuota, trustedAccount, voiceSteps } from "./account";
import {
  type Action,
  actions,
  type Change,
  type ChangeContext,
  changeOf,
  evidenceRemark,
  isBilled,
  isDeletedFirst,
  kindOf,
  shownName,
  withCharge,
} from "./change";
import { explainTogether } from "./explain";
import { passedGates } from "./gates";
import { kinds } from "./fields";
import type { Preview, Step } from "./preview";

/** The content of every form of the review. `--json` prints it as it is. */
export interface Review extends StackName {
  /**
   * False when the preview failed, or when the account of a stack with voices could not be listed. The update may then
   * do more than is listed here.
   */
  complete: boolean;
  errors: string[];
  /** Why the update will fail as a whole, although the preview ended well. */
  blocked?: string;
  counts: Record<ResourceKind, Record<Action, number>>;
  charge: {
    /** The highest charge for all that has a price. Decisions count with an estimate. */
    atMost: number;
    currency: string;
    voices: number;
    imageTasks: number;
    decisions: number;
    unpriced: { imageTasks: number; decisions: number };
    /** The values of `--max-cost`, `--max-image-tasks` and `--max-decisions`. */
    limit?: number | undefined;
    imageTaskLimit?: number | undefined;
    decisionLimit?: number | undefined;
  };
  quota: (Quota & { stack?: StackQuota | undefined }) | { unknown: string };
  changes: Change[];
  /** Voices of the account that are not in this stack's state. */
  others: ShownVoice[] | { unknown: string };
  remarks: Remarks;
  notes: string[];
}

type FromSettings = "rotatedFrom" | "voiceQuota" | "quotaCheck" | "stackQuota" | "takeOver" | "acceptMissing";
type FromContext = Partial<Pick<ChangeContext, "elsewhere" | "statesKnown" | "namespace" | "hasFile">>;

export interface ReviewFacts extends Pick<Settings, FromSettings>, FromContext, Prices {
  preview: Preview;
  /** The name of the stack for a preview without steps: only steps contain it. */
  named?: StackName;
  account: AccountVoices;
  fingerprint?: string;
  held?: VoiceHolder[] | undefined;
  /** How many resources the stack's last operation removed from the state, if it was a refresh. */
  removedByRefresh?: number;
  limits?: Partial<Record<"maxCost" | "maxImageTasks" | "maxDecisions", number | undefined>>;
  /** What the reviewer should know about how the update will run. */
  notes?: string[];
  nowMs: number;
  /** The service's time, by which voices are old and rights end. Default: `nowMs`. */
  todayMs?: number;
}

export function reviewOf(facts: ReviewFacts): Review {
  const { preview, named = { project: "", stack: "" }, held, nowMs, todayMs = nowMs } = facts;
  const steps = preview.steps.filter((step) => kindOf(step) !== undefined);
  const ofVoices = steps.filter((step) => kindOf(step) === "voice");
  const account = trustedAccount(facts.account, inState(ofVoices, held), facts.fingerprint, facts.rotatedFrom);
  const listed = Array.isArray(account) ? account : undefined;
  const ids = new IdsInState(steps, held, preview.whole);
  const changes = explainTogether(changesOf(facts, ids, listed), preview, facts.removedByRefresh);
  const hasVoices = ofVoices.length > 0 || (held ?? []).length > 0;
  const blocked = missingSettingsIn(preview.notes);
  // The review says the same in its own words.
  const said = [blocked ?? [], ...changes.map(({ name, waiting }) => (waiting ? closedGateLine(name) : []))].flat();
  return {
    ...(stackIn(preview.steps[0]?.urn ?? "") ?? named),
    complete: preview.errors.length === 0 && (listed !== undefined || !hasVoices),
    errors: preview.errors,
    ...(blocked !== undefined && { blocked }),
    counts: countsOf(changes),
    charge: chargeOf(changes, facts),
    quota: Array.isArray(account) ? quotaOf(changes, account, facts) : account,
    changes,
    others: Array.isArray(account) ? othersOf(changes, account, ids, facts) : account,
    remarks: remarksOn(stayingVoices(ofVoices, listed, held), todayMs),
    notes: [
      ...(facts.notes ?? []),
      ...passedGates(preview),
      ...preview.notes.filter((note) => !said.some((line) => note.includes(line))),
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

function byKindActionAndName(a: Change, b: Change): number {
  return (
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
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

function chargeOf(changes: Change[], { currency, limits = {} }: ReviewFacts): Review["charge"] {
  const billed = changes.filter(isBilled);
  const count = (kind: ResourceKind, of = billed) => of.filter((change) => change.kind === kind).length;
  const unpriced = billed.filter((change) => change.unpriced);
  return {
    atMost: sumOf(changes.map(({ charge }) => charge)),
    currency,
    voices: count("voice"),
    imageTasks: count("image"),
    decisions: count("decision"),
    unpriced: { imageTasks: count("image", unpriced), decisions: count("decision", unpriced) },
    limit: limits.maxCost,
    imageTaskLimit: limits.maxImageTasks,
    decisionLimit: limits.maxDecisions,
  };
}

/** The changes of the preview's steps, and the voices that a refresh would create again. */
function changesOf(facts: ReviewFacts, ids: IdsInState, account: ListedVoice[] | undefined): Change[] {
  const { held = [], acceptMissing, elsewhere = new Set(), statesKnown = true, preview } = facts;
  const { hasFile, namespace, takeOver, nowMs } = facts;
  const { steps } = preview;
  const urnsOf = (isSuch: (step: Step) => boolean) => new Set(steps.filter(isSuch).map(({ urn }) => urn));
  const context = {
    listed: account && new VoiceIndex(account),
    ...{ ids, elsewhere, statesKnown, hasFile, namespace, takeOver, nowMs },
    adopted: new Set(steps.flatMap(({ op, newState }) => (op === "create" ? String(newState?.inputs.adopt) : []))),
    contested: new Set<string>(),
    refreshProblem: account && refreshProblem(held, account, acceptMissing),
    deletedFirst: urnsOf((step) => kindOf(step) !== undefined && isDeletedFirst(step)),
    deleted: urnsOf((step) => step.op === "delete" || (step.op === "replace" && !isDeletedFirst(step))),
    refreshed: urnsOf(({ op }) => op === "refresh"),
  };
  const changes = steps.flatMap((step) => {
    const change = changeOf(step, context);
    return change === undefined ? [] : [withCharge(change, step, facts)];
  });
  const isContested = ({ action, takes = "" }: Change) => action === "adopt" && context.contested.has(takes);
  return changes
    .map((change) => (isContested(change) ? { warning: contestedVoice, ...change } : change))
    .sort(byKindActionAndName);
}

const contestedVoice = "the update may fail: the resource that has the voice to adopt takes it again";

/** Why `pulumi up --refresh` would fail, by the rules of the refresh itself. */
function refreshProblem(held: VoiceHolder[], listed: ListedVoice[], accept: Loss["accept"]): string | undefined {
  const sharing = held.filter(({ isOld, retained }) => !isOld && !retained).map(({ voice }) => voice);
  const shared = sharing.find((voice, index) => sharing.indexOf(voice) < index);
  if (shared !== undefined) return `two resources hold the voice ${visible(shared)}. Run \`pulumi up\` first`;
  const present = new Set(listed.map(({ voice }) => voice));
  const voices = [...countedVoices(held)];
  const missing = voices.filter((voice) => !present.has(voice)).length;
  return massLossProblem({ stack: held[0]?.stack ?? "", held: voices.length, missing, accept });
}

/** The voices that there are after the update, as far as the preview shows them. */
function stayingVoices(steps: Step[], listed: ListedVoice[] = [], held: VoiceHolder[] = []) {
  const rows = new Map(listed.map((row) => [row.voice, row]));
  const saved = new Map(held.map(({ voice, rights }) => [voice, rights]));
  return steps.flatMap(({ op, urn, oldState, newState }) => {
    if (!["same", "create", "update", "replace"].includes(op)) return [];
    const kept = op === "same" || op === "update" ? rows.get(oldState?.id ?? "") : undefined;
    // A preview shows no secret, and the state may have been read with its secrets.
    const known = op === "same" ? saved.get(oldState?.id ?? "") : undefined;
    const rights = known ?? storedRights((newState ?? oldState)?.inputs.rights);
    return [{ name: shownName(urn), urn, voice: kept?.voice, rights, createdAt: kept?.gmtCreate }];
  });
}

function notesOf(change: Change): string[] {
  const { urn, name, id = "", pictures = [], renamedFrom } = change;
  const leavesPictures = change.action !== "update" || change.fields.some(({ field }) => field === "saveTo");
  const notes = [
    leavesPictures &&
      pictures.length > 0 &&
      `no state will name ${pictures.map(visible).join(", ")}; what is saved stays`,
    change.retained &&
      change.kind === "voice" &&
      `its voice ${visible(id)} stays in the account. \`npx pulumi-cloudvoice delete ${visible(id)}\` deletes it then`,
    change.sameEvidence && `${evidenceRemark(change.rights)}. Check that it covers this recording`,
    renamedFrom !== undefined &&
      `to rename the resource at no cost, add aliases: [${aliasOf(renamedFrom, urn)}] to its options` +
        (urn.includes("VoiceCatalog$") ? ", with a transform of the catalog" : ""),
  ];
  return notes.filter((note) => typeof note === "string").map((note) => `${name}: ${note}`);
}

function aliasOf(old: string, urn: string): string {
  const [from, to] = [old, urn].map((each) => visible(nameInUrn(each)));
  const isNameAlone = old.slice(0, -nameInUrn(old).length) === urn.slice(0, -nameInUrn(urn).length);
  return isNameAlone && from !== to ? `{ name: ${JSON.stringify(from)} }` : JSON.stringify(visible(old));
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

/** The oldest first. A voice that a change takes is none of them. */
function othersOf(changes: Change[], listed: ListedVoice[], ids: IdsInState, facts: ReviewFacts): Review["others"] {
  const { preview, held, nowMs, todayMs = nowMs } = facts;
  if (!preview.whole && held === undefined)
    return {
      unknown: "the preview lacks unchanged resources. Run it with --show-sames, or name the stack with --stack",
    };
  const taken = new Set(changes.map(({ takes }) => takes));
  const others = listed.filter(({ voice }) => !ids.has(voice) && !taken.has(voice));
  return selectVoices(others, {}, todayMs);
}
