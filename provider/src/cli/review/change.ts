import { adoptionProblem, resolveExistingVoice, sharedVoice, type UnfinishedCreate } from "../../rules/existing-voice";
import { hasGeneratedName } from "../../rules/voice";
import { priceOf, type Prices, sumOf } from "../../rules/price";
import { type Rights, secretText, storedRights } from "../../rules/rights";
import { isRecord } from "../../rules/is-record";
import { audioPlace } from "../../rules/audio";
import { chooseName } from "../../rules/naming";
import { dynamicUrn, nameInUrn, resourceKind, type ResourceKind } from "../../rules/resource-types";
import { isReplacedOnDemand } from "../../rules/voice-holder";
import { splitUnknown, unknownValue } from "../../rules/unknown";
import type { VoiceIndex } from "../../service/voices/voice-index";
import { type Audio, audioOf, type FieldChange, fieldChanges, givenFields, show, shownRights } from "./fields";
import type { IdsInState } from "./ids-in-state";
import type { Step } from "./preview";

/**
 * `adopt` and `take` create a resource with what exists. With `adopt` the program names the voice or the task.
 * With `take` the voice has the name that was generated for the resource.
 */
export const actions = ["create", "adopt", "take", "replace", "update", "delete"] as const;
export type Action = (typeof actions)[number];

export interface Change {
  kind: ResourceKind;
  action: Action;
  name: string;
  urn: string;
  why: string;
  fields: FieldChange[];
  /** The highest charge, for a decision an estimate. 0 if nothing is billed, and if the price is not known. */
  charge: number;
  unpriced?: boolean;
  /** The rights of a voice after the update, or those of one that goes. */
  rights?: Rights;
  /** The voice is replaced by another recording, and the evidence of its rights is the same text, or secret before and after. */
  sameEvidence?: boolean;
  /** The voice or task before the update. */
  id?: string;
  /** The existing voice or task that is adopted or taken over, which costs nothing. */
  takes?: string | undefined;
  /** The old voice is deleted before the new one is created. */
  deletesFirst?: boolean;
  /** The old voice leaves the state and stays in the account (`retainOnDelete`). */
  retained?: boolean;
  audio?: { old?: Audio; new?: Audio };
  /** Where the pictures of an existing image are saved, relative to the program folder, or in a bucket. */
  pictures?: string[];
  /** The URN in the state of a deleted resource with the same content, for which this is probably a new name. */
  renamedFrom?: string;
  /** The URN in the program of a new resource with the same content. */
  renamedTo?: string;
  /** The change may show only because outputs of others are unknown in the preview: see `withUnsure`. */
  unsure?: boolean;
  /** A failure of the update that can be predicted. */
  warning?: string;
  /** The URNs of the changes that will not be made if this one fails. */
  waiting?: string[];
}

export interface ChangeContext {
  /** The voices of the account; undefined if they are not known. */
  listed: VoiceIndex | undefined;
  ids: IdsInState;
  /** The voices that the program adopts, and those of them that a replacement would take again by their names. */
  adopted: ReadonlySet<string>;
  contested: Set<string>;
  /** Why a refresh would fail, so that it creates nothing again. */
  refreshProblem: string | undefined;
  elsewhere: ReadonlySet<string>;
  /** Whether the states of all stacks in which a new voice may be held could be read. */
  statesKnown: boolean;
  /**
   * What generated names are made with: the setting, or else the organization. Undefined for a preview that may be of
   * another stack.
   */
  namespace: string | undefined;
  /** Whether the program's folder has a file. Undefined for a preview that may be of another folder. */
  hasFile?: ((path: string) => boolean) | undefined;
  /** URNs that were refreshed in this preview. If such a resource is created, the refresh found its voice missing. */
  refreshed: ReadonlySet<string>;
  /** The creates that earlier runs left unfinished, by the names of their voices. */
  unfinished?: ReadonlyMap<string, UnfinishedCreate> | undefined;
  /** Asks whether voices under own names are taken, and returns whether a person has said so. */
  askToTake: (why: string) => boolean;
  /** URNs of resources that are deleted before they are replaced. */
  deletedFirst: ReadonlySet<string>;
  /** URNs of resources that are deleted, or whose old copies are. */
  deleted: ReadonlySet<string>;
}

/** A change before its charge is known. */
type UnpricedChange = Omit<Change, "charge" | "unpriced">;
type Unexplained = Omit<UnpricedChange, "why">;
const ops = ["create", "replace", "update", "delete"] as const;
type Inputs = Record<string, unknown>;

/** Undefined for a resource of another package. */
export function kindOf({ newState, oldState }: Step): ResourceKind | undefined {
  return resourceKind((newState ?? oldState)?.type ?? "");
}

/**
 * Undefined for a step that changes nothing, or a resource of another package. A voice that the account does not have
 * changes in any case.
 */
export function changeOf(step: Step, context: ChangeContext): UnpricedChange | undefined {
  const kind = kindOf(step);
  if (kind !== undefined && isMissing(step, kind, context)) return recreationOf(step, context);
  const { oldState, urn } = step;
  const op = step.op === "import" ? ("adopt" as const) : ops.find((known) => known === step.op);
  if (kind === undefined || op === undefined) return undefined;
  const change = {
    kind,
    action: op,
    name: shownName(urn),
    urn,
    fields: fieldsOf(step, kind),
    ...(oldState?.id !== undefined && { id: oldState.id }),
    ...(kind === "voice" && voiceOutcome(step, context)),
    ...(kind === "image" && op === "create" && adoptedTask(step)),
    // A preview does not say what.
    ...(op === "adopt" && { takes: `what its option import names (${shownName(urn)})` }),
    ...(kind === "image" && oldState && { pictures: picturesIn(oldState.outputs) }),
  };
  const why = reasonFor(change, step, context);
  const rights = kind === "voice" ? rightsOf(step, change.fields) : {};
  const remark = rights.sameEvidence ? `; ${evidenceRemark(rights.rights)}` : "";
  return { ...change, why: why + remark, ...rights };
}

/** The rights after the update, or of a voice that goes, and whether they were given for another recording. */
function rightsOf({ op, oldState, newState }: Step, fields: FieldChange[]): Pick<Change, "rights" | "sameEvidence"> {
  const [before, after] = [oldState, newState ?? oldState].map((state) => {
    const stored = storedRights(state?.inputs.rights);
    return stored && shownRights(stored);
  });
  const isAnother = op === "replace" && fields.some(({ field }) => field === "audio");
  return {
    ...(after && { rights: after }),
    ...(isAnother && after && before?.evidence === after.evidence && { sameEvidence: true }),
  };
}

export function evidenceRemark(rights: Rights | undefined): string {
  return rights?.evidence === secretText
    ? "another recording, and whether its evidence is another is secret"
    : "another recording under the same evidence";
}

/** Whether a billed request is sent: a voice is created, a task submitted, or a decision asked. */
export function isBilled({ action, takes, unsure }: Pick<Change, "action" | "takes" | "unsure">): boolean {
  return (action === "create" || action === "replace") && takes === undefined && unsure !== true;
}

export function withCharge(change: UnpricedChange, { newState }: Step, prices: Prices): Change {
  const price = isBilled(change) ? priceOf(change.kind, newState?.inputs ?? {}, prices) : 0;
  return { ...change, ...(price === undefined ? { charge: 0, unpriced: true } : { charge: sumOf([price]) }) };
}

/**
 * The resources whose outputs the step's inputs take and that are deleted before they are replaced. The engine deletes
 * such a step's resource before them, even if its inputs turn out the same.
 */
function sourcesDeletedFirst({ newState }: Step, { deletedFirst }: ChangeContext): string[] {
  const sources = Object.values(newState?.propertyDependencies ?? {}).flatMap((urns) => urns ?? []);
  return [...new Set(sources)].filter((urn) => deletedFirst.has(urn));
}

/** The change that a refresh would find for a voice that is in the state and not in the account. */
function recreationOf({ urn, oldState, newState }: Step, context: ChangeContext): UnpricedChange | undefined {
  const state = newState ?? oldState;
  const found = changeOf({ op: "create", urn, newState: state && namedAnew(state, urn, context) }, context);
  if (found === undefined) return undefined;
  const { takes, ...created } = found;
  const audio = created.action !== "adopt" ? newState?.inputs.audio : undefined;
  const lost = typeof audio === "string" && "path" in audioPlace(audio) && context.hasFile?.(audio) === false;
  const problem = lost ? `the recording ${show(audio)} does not exist` : context.refreshProblem;
  const warning = problem === undefined ? created.warning : `the update will fail: ${problem}`;
  return {
    ...created,
    // A voice under the name in the state is no promise if its name may be another one now.
    ...(created.action === "take" && context.namespace === undefined
      ? { action: "create" }
      : takes !== undefined && { takes }),
    why: "missing at the service; `pulumi up --refresh` creates it again, an update without a refresh does not",
    ...(oldState?.id !== undefined && { id: oldState.id }),
    ...(warning !== undefined && { warning: warning.replace("the update", "`pulumi up --refresh`") }),
  };
}

/** A voice that is created again is named as a new one. The name in the state may have come with an alias. */
function namedAnew<T extends { inputs: Inputs }>(state: T, urn: string, { namespace }: ChangeContext): T {
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

function isMissing({ op, oldState }: Step, kind: ResourceKind, { listed }: ChangeContext): boolean {
  const { id = "" } = oldState ?? {};
  return listed !== undefined && kind === "voice" && (op === "same" || op === "update") && !listed.get(id);
}

export function shownName(urn: string): string {
  return show(nameInUrn(urn));
}

function fieldsOf({ op, oldState, newState, replaceReasons }: Step, kind: ResourceKind): FieldChange[] {
  const [olds, news] = [oldState?.inputs ?? {}, newState?.inputs ?? {}];
  if (op === "create" || op === "import") return givenFields(kind, news);
  return op === "delete" ? [] : fieldChanges(kind, olds, news, op === "replace" ? (replaceReasons ?? []) : []);
}

function voiceOutcome(step: Step, context: ChangeContext): Partial<Change> {
  const { op, oldState, newState } = step;
  const before = oldState ? audioOf(oldState.inputs) : undefined;
  const after = audioOf(newState?.inputs ?? {});
  // The engine deletes this voice before it calls the provider for the new one, or the resource is to have another.
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
function oldVoice({ op, oldState }: Step, { deleted }: ChangeContext): Partial<Change> {
  return {
    ...(isDeletedFirst({ op, oldState }) && { deletesFirst: true }),
    ...((oldState?.retainOnDelete || deleted.has(oldState?.deletedWith ?? "")) && { retained: true }),
  };
}

function newVoice(step: Step, context: ChangeContext, gone?: string): Partial<Change> {
  const { adopt, targetModel } = step.newState?.inputs ?? {};
  const isNew = step.op === "create";
  const warningOf = (problem?: string) => problem !== undefined && { warning: `the update will fail: ${problem}` };
  if (typeof adopt === "string") {
    const problem = problemOf(adopt, targetModel, context);
    return { ...(isNew && { action: "adopt" }), takes: show(adopt), ...warningOf(problem) };
  }
  const { reuse, reject } = findExistingVoice(step, context, gone);
  return reuse ? { ...(isNew && { action: "take" }), takes: reuse.voice } : { ...warningOf(reject) };
}

function problemOf(voice: string, targetModel: unknown, { listed, ids }: ChangeContext): string | undefined {
  if (!listed || voice === unknownValue || voice === secretText) return undefined;
  const problem = adoptionProblem(show(voice), listed.get(voice), targetModel);
  return problem ?? (ids.kept.has(voice) ? sharedVoice(show(voice)) : undefined);
}

/** Applies the rules of the create itself to a voice that has the resource's generated name. */
function findExistingVoice(
  { urn, oldState, newState }: Step,
  { listed, ids, elsewhere, statesKnown, unfinished, adopted, contested, askToTake }: ChangeContext,
  gone: string | undefined,
) {
  const news = newState?.inputs ?? {};
  const { preferredName, targetModel } = news;
  if (!hasGeneratedName(news) || typeof preferredName !== "string") return { lines: [] };
  const isHeld = (voice: string) => voice === gone || elsewhere.has(voice) || ids.isHeldBeside(urn, voice);
  const named = listed?.named(preferredName, String(targetModel)) ?? [];
  const free = named.filter(({ voice }) => !isHeld(voice));
  for (const { voice } of free) if (adopted.has(voice)) contested.add(voice);
  // Which of the two comes first is not known: at worst this one pays.
  const found = free.filter(({ voice }) => !adopted.has(voice));
  const verdictIf = (isAccepted: boolean) =>
    resolveExistingVoice(preferredName, found, {
      generated: true,
      holderOf: () => undefined,
      isOwn: (voice) => voice === oldState?.id,
      unfinished: unfinished?.get(preferredName),
      statesKnown,
      isAccepted,
    });
  const verdict = verdictIf(false);
  if (!verdict.isQuestion) return verdict;
  return askToTake(verdict.reject ?? "") ? verdictIf(true) : { lines: [] };
}

function reasonFor(change: Unexplained, step: Step, context: ChangeContext): string {
  const { action, takes = "", retained } = change;
  switch (action) {
    case "create":
      return context.refreshed.has(step.urn) ? "missing at the service; created again" : "new in the program";
    case "adopt":
      return `new in the program; adopts ${show(takes)}`;
    case "take":
      return `new in the program; takes over the existing voice ${show(takes)}`;
    case "replace": {
      const reason = replaceReason(change, step.replaceReasons ?? [], sourcesDeletedFirst(step, context));
      if (takes !== "") return `${reason}; takes over the existing voice ${show(takes)}`;
      return retained ? `${reason}; the old voice stays in the account` : reason;
    }
    case "update": {
      const { renamedFrom } = step;
      return renamedFrom === undefined ? updateReason(change) : `keeps the voice of ${show(renamedFrom)}; free`;
    }
    case "delete":
      return retained
        ? "no longer in the program; removed from the state, and its voice stays in the account"
        : "no longer in the program";
  }
}

function replaceReason({ fields }: Unexplained, reasons: string[], sources: string[]): string {
  if (fields.length === 0 && sources.length > 0)
    return `takes an output of ${sources.map(shownName).join(" and ")}, which is deleted before it is replaced`;
  if (fields.length > 0) return `${names(fields)} changed`;
  if (reasons.includes("taskStatus")) return "its task failed, or a person said that another one is submitted";
  if (reasons.includes("preferredName"))
    return "its voice now belongs to the new resource for which the voice's name was generated";
  return "requested by --replace or by a taint";
}

function updateReason({ kind, fields, audio }: Unexplained): string {
  const changed = names(fields);
  if (changed === "audio" && audio?.old?.sha256 !== undefined && audio.old.sha256 === audio.new?.sha256)
    return "the same recording under another path; free";
  if (changed !== "") return `${changed} changed; free`;
  return kind === "image" ? "continues with its task; free" : "free";
}

function names(fields: FieldChange[]): string {
  return fields.map(({ field }) => field).join(", ");
}

/** A task that the program takes over costs nothing. */
function adoptedTask({ newState }: Step): Partial<Change> {
  const task = newState?.inputs.adoptTask;
  return typeof task === "string" ? { action: "adopt", takes: show(task) } : {};
}

function picturesIn({ images }: Inputs): string[] {
  if (!Array.isArray(images)) return [];
  return images.flatMap((image: unknown) => (isRecord(image) && typeof image.file === "string" ? [image.file] : []));
}
