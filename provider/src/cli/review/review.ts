import type { Forms } from "../../rules/forms";
import { closedGateLine } from "../../rules/decision-answers";
import { storedRights } from "../../rules/rights";
import { doubtfulPrices, type Prices, type PriceTexts, sumOf } from "../../rules/price";
import { nameInUrn, type ResourceKind } from "../../rules/resource-types";
import { missingSettingsIn } from "../../rules/missing-settings";
import { decisionQuestion, imageQuestion } from "../../rules/pay-again";
import type { Question } from "../../rules/question";
import type { Settings } from "../../rules/settings";
import { visible } from "../../rules/visible";
import type { VoiceHolder } from "../../voices/holder";
import { doubtOfCreate, takeQuestionOf, type UnfinishedCreate, voiceQuestion } from "../../voices/judge/create";
import { sharedByState } from "../../voices/judge/keep";
import { countedVoices, keyQuestion, missingQuestion } from "../../voices/judge/missing";
import { Holdings, isOver, planVoices, voiceQuotaExceeded } from "../../voices/judge/quota";
import { stackIn, type StackName } from "../../stacks/names";
import type { ListedVoice } from "../../service/voices/client";
import { isUnreadId } from "../../service/billed-requests";
import { clonedVoices } from "../../service/voices/account";
import { selectVoices, type ShownVoice } from "../listing";
import type { LastOperation } from "../stack";
import { type Remarks, remarksOn } from "./remarks";
import { VoiceIndex } from "../../service/voices/voice-index";
import { type AccountVoices, inState, type Quota, type StackQuota, trustedAccount, voiceSteps } from "./voices";
import {
  type Action,
  actions,
  type Change,
  type ChangeContext,
  changeOf,
  isMissing,
  evidenceRemark,
  isBilled,
  kindOf,
  shownName,
  withCharge,
} from "./change";
import { explainTogether } from "./explain";
import { passedGates } from "./gates";
import { kinds } from "./fields";
import { IdsInState } from "./ids";
import type { Preview, Step } from "./preview";
import { withUnsure } from "./unsure";
import { isDeletedFirst } from "./voice-outcome";
import { type Asking, ReviewQuestions, type ShownQuestion } from "./questions";

export interface OtherVoice extends ShownVoice {
  /** The stack that has it in its state, if that is known. */
  stack?: string;
}

/** The content of every form of the review. `--json` prints it as it is. */
export interface Review extends StackName {
  /**
   * False when the preview failed, or when the account of a stack with voices could not be listed. The update may then
   * do more than is listed here.
   */
  complete: boolean;
  errors: string[];
  /** The questions that a person has to decide first. */
  questions: ShownQuestion[];
  /** How the setting `forms` differs from that of the stack's last operation. It decides what responses mean. */
  changedForms?: string;
  /** Sentences about prices in the stack's configuration that make a charge look small, or have changed. */
  doubtfulPrices?: string[];
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
    /** The values of `--max-cost`, `--max-voices`, `--max-image-tasks` and `--max-decisions`. */
    limit?: number | undefined;
    voiceLimit?: number | undefined;
    imageTaskLimit?: number | undefined;
    decisionLimit?: number | undefined;
  };
  quota: (Quota & { stack?: StackQuota | undefined }) | { unknown: string };
  changes: Change[];
  /** Voices of the account that are not in this stack's state. */
  others: OtherVoice[] | { unknown: string };
  remarks: Remarks;
  notes: string[];
}

type FromSettings = "voiceQuota" | "quotaCheck" | "stackQuota" | "voiceBaseUrl" | "imageBaseUrl" | "decisionBaseUrl";
type FromContext = Partial<Pick<ChangeContext, "elsewhere" | "statesKnown" | "namespace" | "hasFile">>;

export interface ReviewFacts extends Pick<Settings, FromSettings>, FromContext, Prices {
  preview: Preview;
  /** The name of the stack for a preview without steps: only steps contain it. */
  named?: StackName;
  account: AccountVoices;
  /** Why the account's list does not prove that a voice is gone. */
  doubt?: string | undefined;
  /** What the service reports about image tasks that it may no longer know, by the URNs of the images. */
  doubtfulTasks?: ReadonlyMap<string, { taskId: string; said: string | undefined }>;
  /** Voices whose creates may have been billed, by their preferred names. */
  unfinished?: ReadonlyMap<string, UnfinishedCreate> | undefined;
  asking?: Omit<Asking, "nowMs">;
  /** The questions to answer before the key is sent to the addresses in the settings. */
  addressQuestions?: readonly Question[];
  fingerprint?: string;
  held?: VoiceHolder[] | undefined;
  last?: LastOperation | undefined;
  /** The value of the setting `forms`. */
  forms?: Forms | undefined;
  /** The prices in the stack's configuration, without those that the environment overrides. Empty if there are none. */
  filePrices?: PriceTexts;
  limits?: Partial<Record<"maxCost" | "maxVoices" | "maxImageTasks" | "maxDecisions", number | undefined>>;
  /** Facts about how the update will run that the reviewer should know. */
  notes?: string[];
  nowMs: number;
  /** The service's time, by which voices are old and rights end. Default: `nowMs`. */
  todayMs?: number;
}

export function reviewOf(facts: ReviewFacts): Review {
  const { preview, named = { project: "", stack: "" }, held, nowMs, todayMs = nowMs } = facts;
  const steps = preview.steps.filter((step) => kindOf(step) !== undefined);
  const ofVoices = steps.filter((step) => kindOf(step) === "voice");
  const stackName = stackIn(preview.steps[0]?.urn ?? "") ?? named;
  const stack = `${stackName.project}/${stackName.stack}`;
  const questions = new ReviewQuestions({ ...(facts.asking ?? { backend: "", accepted: new Set() }), nowMs });
  for (const question of facts.addressQuestions ?? []) questions.ask(question);
  const account = trustedAccount(facts.account, inState(ofVoices, held), facts.fingerprint, (voice, recorded) =>
    questions.ask(
      keyQuestion("is not in this account", voice, recorded, facts.fingerprint ?? "", stack, facts.voiceBaseUrl),
    ),
  );
  const listed = Array.isArray(account) ? account : undefined;
  const ids = new IdsInState(steps, held, preview.whole);
  const explained = explainTogether(
    changesOf(facts, ids, listed, questions, stack),
    preview,
    facts.last?.removedByRefresh,
  );
  const planned = withUnsure(explained, steps);
  const changes = [...planned, ...waitingDeletes(held ?? [], listed ?? [], planned)].sort(byKindActionAndName);
  askAboutTasks(steps, facts, questions, stack);
  const hasVoices = ofVoices.length > 0 || (held ?? []).length > 0;
  const blocked = missingSettingsIn(preview.notes);
  const priceRemarks = doubtfulPrices(facts.filePrices ?? {}, facts.last?.prices).map(visible);
  // Left out, because the review says the same in its own words.
  const said = [blocked ?? [], ...changes.map(({ name, waiting }) => (waiting ? closedGateLine(name) : []))].flat();
  return {
    ...stackName,
    questions: questions.shown(),
    complete: preview.errors.length === 0 && (listed !== undefined || !hasVoices),
    errors: preview.errors,
    ...changedForms(facts),
    ...(priceRemarks.length > 0 && { doubtfulPrices: priceRemarks }),
    ...(blocked !== undefined && { blocked }),
    counts: countsOf(changes),
    charge: chargeOf(changes, facts),
    quota: Array.isArray(account) ? quotaOf(planned, account, facts) : account,
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

/**
 * The voices that an earlier update replaced and did not delete, for example because it failed elsewhere. The next
 * update deletes them, and no step of a preview shows it.
 */
function waitingDeletes(held: VoiceHolder[], listed: ListedVoice[], planned: Change[]): Change[] {
  const present = new Set(listed.map(({ voice }) => voice));
  const current = held.filter(({ isOld }) => !isOld).map(({ voice }) => voice);
  const staying = new Set([...current, ...planned.map(({ takes }) => takes)]);
  const waiting = held.filter(
    ({ isOld, retained, voice }) => isOld && retained !== true && present.has(voice) && !staying.has(voice),
  );
  return waiting.map(({ savedUrn: urn, voice: id }) => ({
    ...{ kind: "voice", action: "delete", name: shownName(urn), urn, id, fields: [], charge: 0 },
    why: "replaced by an earlier update, which ended before it deleted this voice",
  }));
}

/** By the rule of the update itself. */
function changedForms({ forms, last }: Pick<ReviewFacts, "forms" | "last">): Pick<Review, "changedForms"> {
  if (last === undefined) return {};
  const [before, after] = [formsText(last.forms), formsText(JSON.stringify(forms ?? {}))];
  return before === after ? {} : { changedForms: `from ${before} to ${after}` };
}

/** `text` is JSON, unless somebody has written something else into the configuration. */
function formsText(text: string): string {
  try {
    const forms = Object.entries(JSON.parse(text || "{}") as Forms).sort();
    return visible(forms.map((each) => each.join("=")).join(", ")) || "none";
  } catch {
    return visible(text);
  }
}

export function isOverQuota({ quota, charge: { voices: added }, errors, notes }: Review): boolean {
  const isSaid = (line: string) => line.includes(`(${voiceQuotaExceeded})`);
  if (errors.some(isSaid)) return true;
  if (!("limit" in quota) || quota.check !== "error") return false;
  // The preview makes this check itself, and only warns.
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
    voiceLimit: limits.maxVoices,
    imageTaskLimit: limits.maxImageTasks,
    decisionLimit: limits.maxDecisions,
  };
}

/** The changes of the preview's steps, and the voices that a refresh would create again. */
function changesOf(
  facts: ReviewFacts,
  ids: IdsInState,
  account: ListedVoice[] | undefined,
  questions: ReviewQuestions,
  stack: string,
): Change[] {
  const { held = [], elsewhere = new Map<string, string>(), statesKnown = true, preview } = facts;
  const { hasFile, namespace, unfinished } = facts;
  if (account) askAboutMissing(held, account, facts, questions, stack);
  const { steps } = preview;
  const urnsOf = (isSuch: (step: Step) => boolean) => new Set(steps.filter(isSuch).map(({ urn }) => urn));
  const listed = account && new VoiceIndex(account);
  const adopts = (step: Step) =>
    step.op === "create" ||
    (step.op === "replace" && step.newState?.inputs.adopt !== step.oldState?.id) ||
    isMissing(step, kindOf(step), { listed });
  const context = {
    listed,
    ...{ ids, elsewhere, statesKnown, hasFile, namespace, unfinished },
    askToTake: (why: string) => questions.ask(takeQuestionOf(facts.voiceBaseUrl, stack, why)),
    askToPay: (name: string, unfinished: UnfinishedCreate, held: ListedVoice[]) => {
      const doubt = doubtOfCreate(unfinished, held, unfinished.listDoubt ?? facts.doubt);
      const about = { name, stack, prices: facts, origin: facts.voiceBaseUrl };
      if (doubt !== undefined) questions.ask(voiceQuestion(doubt, about));
    },
    adopted: new Set(steps.filter(adopts).map(({ newState }) => String(newState?.inputs.adopt))),
    contested: new Set<string>(),
    refreshProblem: account && sharedProblem(held),
    deletedFirst: urnsOf((step) => kindOf(step) !== undefined && isDeletedFirst(step)),
    deleted: urnsOf((step) => step.op === "delete" || (step.op === "replace" && !isDeletedFirst(step))),
    refreshed: urnsOf(({ op }) => op === "refresh"),
  };
  const changes = steps.flatMap((step) => {
    const change = changeOf(step, context);
    return change === undefined ? [] : [withCharge(change, step, facts)];
  });
  const losesVoice = (step: Step) =>
    kindOf(step) === "voice" && isDeletedFirst(step) && step.oldState?.retainOnDelete !== true;
  const idsDeletedFirst = new Set(steps.filter(losesVoice).map(({ oldState }) => oldState?.id));
  const isContested = ({ takes = "", id }: Change) =>
    context.contested.has(takes) || (takes !== id && idsDeletedFirst.has(takes));
  return changes
    .map((change) => (isContested(change) ? { warning: contestedVoice, ...change } : change))
    .sort(byKindActionAndName);
}

const contestedVoice = "the update may fail: the resource that holds the voice to adopt keeps it, or deletes it first";

/** Why `pulumi up --refresh` would fail. */
function sharedProblem(held: VoiceHolder[]): string | undefined {
  const problems = held.map(({ voice }) =>
    sharedByState(
      voice,
      held.filter((each) => each.voice === voice),
    ),
  );
  const shared = problems.find((problem) => problem !== undefined);
  return shared && visible(shared);
}

/** The questions of a refresh before missing voices leave the state. */
function askAboutMissing(
  held: VoiceHolder[],
  listed: ListedVoice[],
  facts: ReviewFacts,
  questions: ReviewQuestions,
  stack: string,
): void {
  const present = new Set(listed.map(({ voice }) => voice));
  const voices = [...countedVoices(held, facts.fingerprint)];
  const missing = voices.filter((voice) => !present.has(voice)).length;
  if (missing === 0) return;
  const loss = { stack, held: voices.length, missing, doubt: facts.doubt };
  const question = missingQuestion(loss, { ...facts, origin: facts.voiceBaseUrl });
  if (question) questions.ask(question);
}

/** The questions that an update would ask about tasks and answers that may already be paid for. */
function askAboutTasks(steps: Step[], facts: ReviewFacts, questions: ReviewQuestions, stack: string): void {
  const { doubtfulTasks, imageBaseUrl, decisionBaseUrl } = facts;
  for (const step of steps) {
    const { urn, op, oldState, newState } = step;
    const inputs = newState?.inputs ?? oldState?.inputs ?? {};
    const asked = { name: shownName(urn), stack, inputs, prices: facts };
    const kind = kindOf(step);
    const stays = op === "same" || op === "update";
    const task = doubtfulTasks?.get(urn);
    if (kind === "image" && stays && task)
      questions.ask(
        imageQuestion(task.taskId, task.said, { ...asked, origin: imageBaseUrl, urn: oldState?.urn ?? urn }),
      );
    if (kind === "decision" && stays && isUnreadId(oldState?.id ?? ""))
      questions.ask(decisionQuestion(oldState?.id ?? "", { ...asked, origin: decisionBaseUrl }));
  }
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
      `saved pictures stay, but nothing refers to them after this update: ${pictures.map(visible).join(", ")}`,
    change.retained &&
      change.kind === "voice" &&
      `its voice ${visible(id)} stays in the account. \`npx --no-install pulumi-cloudvoice delete ${visible(id)}\` deletes it then`,
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
  const before = { held: new Holdings(held ?? []), inAccount: clonedVoices(listed).length, exists };
  const { account, stack } = planVoices(voiceSteps(changes), before);
  // If the account has no room for old and new voices, a set deletes as many old voices first as it must.
  const isOfSet = ({ urn, action, retained }: Change) =>
    urn.includes("VoiceSet$") && (action === "replace" || action === "delete") && retained !== true;
  const mayGoFirst = changes.filter(isOfSet).length;
  const peak = Math.min(account.peak, Math.max(voiceQuota, account.now, account.peak - mayGoFirst));
  return {
    ...{ limit: voiceQuota, check: quotaCheck, now: account.now, peak, after: account.after },
    ...(stackQuota !== undefined &&
      held && { stack: { limit: stackQuota, now: stack.now, peak: stack.peak, after: stack.after } }),
  };
}

/** Voices in no state of this stack, oldest first, without those that a change takes over. */
function othersOf(changes: Change[], listed: ListedVoice[], ids: IdsInState, facts: ReviewFacts): Review["others"] {
  const { preview, held, elsewhere, nowMs, todayMs = nowMs } = facts;
  if (!preview.whole && held === undefined)
    return {
      unknown: "the preview lacks unchanged resources. Run it with --show-sames, or name the stack with --stack",
    };
  const taken = new Set(changes.map(({ takes }) => takes));
  const others = listed.filter(({ voice }) => !ids.has(voice) && !taken.has(voice));
  return selectVoices(others, {}, todayMs).map((row) => {
    const stack = elsewhere?.get(row.voice);
    return { ...row, ...(stack !== undefined && { stack: visible(stack) }) };
  });
}
