import { priceOf, type Prices, sumOf } from "../../rules/price";
import { type Rights, secretText, storedRights } from "../../rules/rights";
import { isRecord } from "../../rules/values";
import { nameInUrn, resourceKind, type ResourceKind } from "../../rules/resource-types";
import type { Plan } from "../../rules/plan-line";
import { type FieldChange, fieldChanges, newFields, show, shownRights } from "./fields";
import type { Step } from "./preview";
import { hasGeneratedName } from "../../rules/voice";
import { textsOf, visible } from "../../rules/visible";
import { type VoiceContext, type VoiceOutcome, voiceOutcome } from "./voice-outcome";

/** `adopt`: for a voice or task that the program names. `take`: for a voice with the resource's generated name. */
export const actions = ["create", "adopt", "take", "replace", "update", "delete"] as const;
export type Action = (typeof actions)[number];

export interface Change extends Omit<VoiceOutcome, "action"> {
  kind: ResourceKind;
  action: Action;
  name: string;
  urn: string;
  why: string;
  fields: FieldChange[];
  /** The highest charge. For a decision, an estimate. 0 if nothing is billed, or if the price is not known. */
  charge: number;
  unpriced?: boolean;
  /** The rights of a voice after the update. For a deleted voice: before the update. */
  rights?: Rights | undefined;
  /** The id of the voice or task before the update. */
  id?: string | undefined;
  /** The pictures of an existing image: paths (relative to the program's folder) or addresses in a bucket. */
  pictures?: string[];
  /** The URN in the state of a deleted resource with equal content: probably this resource before a rename. */
  renamedFrom?: string;
  /** The URN in the program of a new resource with equal content: probably this resource after a rename. */
  renamedTo?: string;
  /** The change may show only because a preview does not know outputs of other resources: see `withUnsure`. */
  unsure?: boolean;
  /** The gate of a decision. */
  gate?: Plan["gate"];
  /** The URNs of the changes that wait for this change, and are not made if it fails. */
  waiting?: string[];
}

export interface ChangeContext extends VoiceContext {
  /** Whether the output is of `pulumi refresh --preview-only`. */
  isRefresh: boolean;
  /** The URNs that this preview refreshed. If such a resource is created, the refresh found its voice missing. */
  refreshed: ReadonlySet<string>;
  /** The URNs of the replaced resources, also of other packages. */
  replaced: ReadonlySet<string>;
}

type UnpricedChange = Omit<Change, "charge" | "unpriced">;
type Unexplained = Omit<UnpricedChange, "why">;
const changingOps = ["create", "replace", "update", "delete"] as const;

/** The kind of the step's resource. Undefined for a resource of another package. */
export function kindOf({ newState, oldState }: Step): ResourceKind | undefined {
  return resourceKind((newState ?? oldState)?.type ?? "");
}

/** Undefined for a resource of another package, and for an unchanged one unless its voice or a picture is missing. */
export function changeOf(step: Step, context: ChangeContext): UnpricedChange | undefined {
  if (isMissing(step, context)) return recreationOf(step, context);
  const kind = kindOf(step);
  const lost = kind === "image" ? lostPictures(step, context) : [];
  if (lost.length > 0 && !changingOps.some((op) => op === step.op)) return restorationOf(step, lost);
  const action = step.op === "import" ? "adopt" : changingOps.find((op) => op === step.op);
  const change = kind && action && plannedChange(step, kind, action, context);
  const gate = context.plans.get(step.urn)?.gate;
  return change && gate ? { ...change, gate } : change;
}

function plannedChange(step: Step, kind: ResourceKind, action: Action, context: ChangeContext): UnpricedChange {
  const { oldState, urn } = step;
  const change: Unexplained = {
    ...{ kind, action, name: shownName(urn), urn, fields: fieldsOf(step, kind), id: oldState?.id },
    ...(kind === "voice" && voiceOutcome(step, context)),
    ...(kind === "image" && action === "create" && adoptedTask(step)),
    // A preview does not show the id of an import.
    ...(action === "adopt" && { takes: `the id in its option import (${shownName(urn)})` }),
    ...(kind === "image" && oldState && { pictures: picturesIn(oldState.outputs) }),
  };
  const [before, after] = kind === "voice" ? [rightsIn(oldState), rightsIn(step.newState ?? oldState)] : [];
  const remark = evidenceRemark(change, before, after);
  const why = textsOf([reasonFor(change, step, context), remark]).join("; ");
  return { ...change, why, ...(after && { rights: after }) };
}

function rightsIn(state: Step["oldState"]): Rights | undefined {
  const stored = storedRights(state?.inputs.rights);
  return stored && shownRights(stored);
}

/** A remark if a voice gets another recording while the evidence of its rights stays, or may stay, the same. */
function evidenceRemark({ action, fields }: Unexplained, before?: Rights, after?: Rights): string | undefined {
  const isAnother = action === "replace" && fields.some(({ field }) => field === "audio");
  if (!isAnother || after === undefined || before?.evidence !== after.evidence) return undefined;
  return after.evidence === secretText
    ? "another recording; the evidence is secret, changed or not"
    : "another recording under the same evidence";
}

/**
 * The voices that an update deletes from the account: without those that stay, because another resource has them or
 * because their resource did not create them.
 */
export function goingVoices(changes: readonly Change[]): { voice: string; name: string }[] {
  const taken = new Set(changes.flatMap(({ takes }) => takes ?? []));
  const seen = new Set<string>();
  return changes.flatMap(({ kind, action, id, name, retained, keptBy, unsure }) => {
    const leavesState = kind === "voice" && (action === "delete" || action === "replace");
    if (!leavesState || id === undefined || taken.has(id) || seen.has(id)) return [];
    if (keptBy !== undefined || retained === true || unsure === true) return [];
    // The second delete of one voice does nothing.
    seen.add(id);
    return [{ voice: id, name }];
  });
}

/** Whether a billed request is sent: a voice is created, a task submitted, or a decision asked. */
export function isBilled({ action, takes, unsure }: Pick<Change, "action" | "takes" | "unsure">): boolean {
  return (action === "create" || action === "replace") && takes === undefined && unsure !== true;
}

export function withCharge(change: UnpricedChange, { newState }: Step, prices: Prices): Change {
  const price = isBilled(change) ? priceOf(change.kind, newState?.inputs ?? {}, prices) : 0;
  return { ...change, ...(price === undefined ? { charge: 0, unpriced: true } : { charge: sumOf([price]) }) };
}

/** The change that `pulumi up --refresh` makes for a voice that is in the state and not in the account. */
function recreationOf(step: Step, context: ChangeContext): UnpricedChange {
  const { urn, oldState, newState } = step;
  const state = newState ?? oldState;
  const {
    takes: _takes,
    warning: _warning,
    ...created
  } = plannedChange({ op: "create", urn, newState: state }, "voice", "create", context);
  return {
    ...created,
    action: "create",
    why: "missing at the service; `pulumi up --refresh` creates it again, an update without a refresh does not",
    id: oldState?.id,
  };
}

/**
 * The saved pictures that are missing. In a refresh, a dynamic provider does not know the URN, so a line without a URN
 * is about every resource that has a file of this name. A preview lacks the file names of a secret picture.
 */
function lostPictures({ urn, oldState }: Step, { plans }: ChangeContext): string[] {
  const names = plans.get(urn)?.gone ?? [];
  const gone = new Set([...names, ...(plans.get("")?.gone ?? [])]);
  const files = picturesIn(oldState?.outputs ?? {}).filter((file) => gone.has(visible(fileName(file))));
  return files.length > 0 ? files : [...names];
}

function restorationOf({ urn, oldState }: Step, lost: string[]): UnpricedChange {
  const why = `missing: ${lost.map(show).join(", ")}; \`pulumi up --refresh\` saves it again while its URL works; free`;
  return { kind: "image", action: "update", name: shownName(urn), urn, fields: [], id: oldState?.id, why };
}

/** Whether the voice is missing by the provider's plan. In a refresh: whether the step is a `delete`. */
export function isMissing(step: Step, { plans, isRefresh }: Pick<ChangeContext, "plans" | "isRefresh">): boolean {
  const { op, urn } = step;
  if (kindOf(step) !== "voice") return false;
  if (isRefresh) return op === "delete";
  return (op === "same" || op === "update") && plans.get(urn)?.gone !== undefined;
}

export function shownName(urn: string): string {
  return show(nameInUrn(urn));
}

function fieldsOf({ op, oldState, newState, replaceReasons }: Step, kind: ResourceKind): FieldChange[] {
  const [olds, news] = [oldState?.inputs ?? {}, newState?.inputs ?? {}];
  if (op === "create" || op === "import") return newFields(kind, news);
  return op === "delete" ? [] : fieldChanges(kind, olds, news, op === "replace" ? (replaceReasons ?? []) : []);
}

function reasonFor(change: Unexplained, step: Step, context: ChangeContext): string {
  const { kind, action, takes = "", retained, stays, keptBy, deletesFirst } = change;
  const whyKept =
    keptBy !== undefined
      ? `the old voice stays, because ${keptBy} has it too`
      : stays !== undefined
        ? `the old voice stays in the account: ${stays}`
        : retained
          ? "the old voice stays in the account"
          : deletesFirst && "the old voice is deleted before the new one is created";
  switch (action) {
    case "create":
      return context.refreshed.has(step.urn) ? "missing at the service; created again" : "new in the program";
    case "adopt":
      return `new in the program; adopts ${show(takes)}`;
    case "take":
      return `new in the program; takes over the existing voice ${show(takes)}`;
    case "replace": {
      const reason = replaceReason(change, step, context);
      if (takes !== "") return `${reason}; takes over the existing voice ${show(takes)}`;
      return textsOf([reason, whyKept, losesName(step) && "the new voice gets a generated name"]).join("; ");
    }
    case "update":
      return updateReason(change, step);
    case "delete":
      return textsOf(["no longer in the program", kind === "voice" && whyKept]).join("; ");
  }
}

function replaceReason({ fields }: Unexplained, step: Step, { replaced }: ChangeContext): string {
  const sources = Object.values(step.newState?.propertyDependencies ?? {}).flatMap((urns) => urns ?? []);
  const taken = [...new Set(sources)].filter((urn) => replaced.has(urn)).map(shownName);
  // If a resource that this one depends on is deleted first, the engine may replace this one too, unchanged.
  if (fields.length > 0 || taken.length > 0)
    return textsOf([
      fields.length > 0 && `${names(fields)} changed`,
      taken.length > 0 && `uses outputs of the replaced ${taken.join(" and ")}`,
    ]).join("; ");
  if (step.replaceReasons?.includes("taskStatus"))
    return "its task failed, or a person accepted that another task is submitted";
  return "requested by --replace or by a taint";
}

/** Whether an adopted voice, whose name may have been chosen, is replaced by a voice with a generated name. */
function losesName({ oldState, newState }: Step): boolean {
  return oldState?.outputs.adopted === true && hasGeneratedName(newState?.inputs ?? {});
}

function updateReason({ kind, fields, audio }: Unexplained, { oldState }: Step): string {
  const changed = names(fields);
  // Every preview shows an update of a closed gate until the gate opens.
  if (kind === "decision" && changed === "" && oldState?.initErrors?.length)
    return "the kept answers are compared with expect again; free";
  if (changed === "audio" && audio?.old?.sha256 !== undefined && audio.old.sha256 === audio.new?.sha256)
    return "the same recording under another path; free";
  if (changed !== "") return `${changed} changed; free`;
  return kind === "image" ? "continues with its task; free" : "free";
}

function names(fields: FieldChange[]): string {
  return fields.map(({ field }) => field).join(", ");
}

function adoptedTask({ newState }: Step): Partial<Change> {
  const task = newState?.inputs.adoptTask;
  return typeof task === "string" ? { action: "adopt", takes: show(task) } : {};
}

const fileName = (address: string) => address.slice(address.lastIndexOf("/") + 1);

function picturesIn({ images }: Record<string, unknown>): string[] {
  if (!Array.isArray(images)) return [];
  return images.flatMap((image: unknown) => (isRecord(image) && typeof image.file === "string" ? [image.file] : []));
}
