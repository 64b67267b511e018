import { isBoundToAnother, resolveExistingVoice } from "../../rules/existing-voice";
import { voicesCost } from "../../rules/price";
import { isRecord } from "../../rules/is-record";
import { unknownValue } from "../../rules/unknown";
import type { VoiceIndex } from "../../service/voices/voice-index";
import {
  type Audio,
  audioOf,
  type FieldChange,
  fieldChanges,
  fieldsGiven,
  isGenerated,
  type Kind,
  show,
} from "./fields";
import type { Step } from "./preview";

/** `adopt` and `take` create a resource with a voice that is there: the one by the program's word, the other by its own name. */
export const actions = ["create", "adopt", "take", "replace", "update", "delete"] as const;
export type Action = (typeof actions)[number];

export interface Change {
  kind: Kind;
  action: Action;
  name: string;
  urn: string;
  why: string;
  fields: FieldChange[];
  /** US dollars, at most. */
  charge: number;
  /** The voice or task that is there before. */
  id?: string;
  /** The voice that is taken or adopted, and not paid for. */
  takes?: string;
  /** A replacement whose old voice goes first. */
  deletesFirst?: boolean;
  /** Leaves the state alone: its voice stays in the account (`retainOnDelete`). */
  retained?: boolean;
  audio?: { old?: Audio; new?: Audio };
  /** Saved pictures of an image that exists, relative to the program's folder. */
  pictures?: string[];
  /** What will go wrong, as far as that can be seen. */
  warning?: string;
}

export interface Surroundings {
  /** Voices of the account that no resource keeps: what a create may find. */
  free: VoiceIndex;
  accountIsKnown: boolean;
  /** Resources that a refresh looked up before: one that is created now was gone. */
  refreshed: ReadonlySet<string>;
  nowMs: number;
}

const kinds = new Map<string, Kind>([
  ["pulumi-nodejs:dynamic/cloudvoice:CloudVoice", "voice"],
  ["pulumi-nodejs:dynamic/cloudvoice:GeneratedImage", "image"],
  ["pulumi-nodejs:dynamic/cloudvoice:Decision", "decision"],
]);
const operations = ["create", "replace", "update", "delete"] as const;

export function replacesOrDeletes({ action }: Change): boolean {
  return action === "replace" || action === "delete";
}

export function kindOf({ newState, oldState }: Step): Kind | undefined {
  return kinds.get((newState ?? oldState)?.type ?? "");
}

/** What a step does, when it is one of this package's and does anything. */
export function changeOf(step: Step, around: Surroundings): Change | undefined {
  const kind = kindOf(step);
  const operation = operations.find((known) => known === step.op);
  if (kind === undefined || operation === undefined) return undefined;
  const { oldState, newState, urn } = step;
  const olds = oldState?.inputs ?? {};
  const news = newState?.inputs ?? {};
  const fields = {
    create: () => fieldsGiven(kind, news),
    delete: () => [],
    replace: () => fieldChanges(kind, olds, news, step.replaceReasons ?? []),
    update: () => fieldChanges(kind, olds, news, []),
  }[operation]();
  const change = {
    kind,
    action: operation,
    name: nameIn(urn),
    urn,
    fields,
    charge: 0,
    ...(oldState?.id !== undefined && { id: oldState.id }),
  };
  const outcome = kind === "voice" ? voiceOutcome(step, operation, around) : {};
  const whole = {
    ...change,
    ...outcome,
    ...(kind === "image" && oldState && { pictures: picturesOf(oldState.outputs) }),
  };
  return { ...whole, why: whyOf(whole, around.refreshed.has(urn), step.replaceReasons ?? []) };
}

/** A voice that the state holds and the account has not: the update does not see it, unless it refreshes. */
export function recreationOf({ urn, oldState }: Step): Change {
  const why = "gone at the service: `up --refresh` makes it again, an update without refresh leaves it missing";
  return {
    kind: "voice",
    action: "create",
    name: nameIn(urn),
    urn,
    why,
    fields: fieldsGiven("voice", oldState?.inputs ?? {}),
    charge: voicesCost(1),
  };
}

function nameIn(urn: string): string {
  return show(urn.split("::").slice(3).join("::"));
}

type VoiceOutcome = Pick<Change, "audio"> &
  Partial<Pick<Change, "action" | "takes" | "charge" | "deletesFirst" | "retained" | "warning">>;

function voiceOutcome({ oldState, newState }: Step, operation: string, around: Surroundings): VoiceOutcome {
  const news = newState?.inputs ?? {};
  const old = oldState ? audioOf(oldState.inputs) : undefined;
  const fresh = audioOf(news);
  const audio = { ...(old && { old }), ...(fresh && { new: fresh }) };
  // The old state of a replacement is marked when it outlives the creation of the new one.
  const ending = {
    ...(operation === "replace" && oldState?.delete !== true && { deletesFirst: true }),
    ...((operation === "replace" || operation === "delete") && oldState?.retainOnDelete && { retained: true }),
  };

  if (operation === "delete") return { audio, ...ending };
  if ((operation === "create" || operation === "replace") && typeof news.adopt === "string") {
    const fault = adoptionFault(news.adopt, news.targetModel, around);
    const takes = show(news.adopt);
    return {
      audio,
      ...ending,
      ...(operation === "create" && { action: "adopt" }),
      takes,
      ...(fault !== undefined && { warning: `the update will fail: the voice to adopt, ${takes}, ${fault}` }),
    };
  }
  if (operation !== "create" && operation !== "replace") return { audio };
  const { reuse: take, reject: refuse } = foundFor(news, around);
  if (take) return { audio, ...ending, ...(operation === "create" && { action: "take" }), takes: take.voice };
  return {
    audio,
    ...ending,
    charge: voicesCost(1),
    ...(refuse !== undefined && { warning: `the update will fail: ${refuse}` }),
  };
}

function adoptionFault(
  voice: string,
  targetModel: unknown,
  { free, accountIsKnown }: Surroundings,
): string | undefined {
  if (!accountIsKnown || voice === unknownValue || voice === "[secret]") return undefined;
  const found = free.get(voice);
  if (!found) return "is not in the account, or another resource keeps it";
  return isBoundToAnother(found, targetModel) ? `is bound to ${show(found.targetModel)}` : undefined;
}

/** What the create would find under its own name, judged as the create will judge it. */
function foundFor(news: Record<string, unknown>, { free, nowMs }: Surroundings) {
  const { preferredName, targetModel } = news;
  if (!isGenerated(news) || typeof preferredName !== "string") return {};
  return resolveExistingVoice(preferredName, true, free.named(preferredName, String(targetModel), true), nowMs);
}

function whyOf(
  { kind, action, fields, takes = "", audio, retained }: Omit<Change, "why">,
  wasRefreshed: boolean,
  reasons: string[],
): string {
  const changed = fields.map(({ field }) => field).join(", ");
  switch (action) {
    case "create":
      return wasRefreshed ? "gone at the service, made again" : "new in the program";
    case "adopt":
      return `new in the program; adopts ${show(takes)}`;
    case "take":
      return `new in the program; its voice is there already: ${show(takes)}`;
    case "delete":
      return retained === true
        ? "no longer in the program; leaves the state, its voice stays in the account"
        : "no longer in the program";
    case "update":
      if (changed === "audio" && audio?.old?.sha256 !== undefined && audio.old.sha256 === audio.new?.sha256)
        return "the same recording under another path; free";
      return changed !== "" ? `${changed} changed; free` : kind === "image" ? "goes on with its task; free" : "free";
    case "replace": {
      const asked = reasons.includes("taskStatus")
        ? "its task failed, or the service knows it no more"
        : reasons.includes("preferredName")
          ? "its voice goes to the new resource of the name that it was made under"
          : "on request (--replace, a taint)";
      const reason = changed !== "" ? `${changed} changed` : asked;
      const stays = retained === true ? "; the old voice stays in the account" : "";
      return takes === "" ? `${reason}${stays}` : `${reason}; the voice is there already: ${show(takes)}`;
    }
  }
}

function picturesOf({ images }: Record<string, unknown>): string[] {
  if (!Array.isArray(images)) return [];
  return images.flatMap((image: unknown) => (isRecord(image) && typeof image.file === "string" ? [image.file] : []));
}
