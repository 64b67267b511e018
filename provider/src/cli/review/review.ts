import { decisionReplacements } from "../../decide/decision";
import { judgeFound } from "../../decide/found-voice";
import { imageReplacements } from "../../decide/image";
import { nameInVoice, voiceCarriesName } from "../../decide/naming";
import { voicesCost } from "../../decide/price";
import { quotaFaultBegins } from "../../decide/quota";
import { isRecord } from "../../decide/record";
import { createdAt } from "../../decide/time";
import { splitUnknown, unknownValue } from "../../decide/unknown";
import { voiceReplacements } from "../../decide/voice";
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

export type Kind = "voice" | "image" | "decision";
const kindOrder: readonly Kind[] = ["voice", "image", "decision"];
export const actions = ["create", "adopt", "take", "replace", "update", "delete"] as const;
export type Action = (typeof actions)[number];

export interface Quota {
  limit: number;
  now: number;
  /** The most at any one time during the update. */
  peak: number;
  after: number;
}

export interface Change {
  kind: Kind;
  /** `adopt` and `take` create a resource with a voice that is there: the one by the program's word, the other by its own name. */
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
  audio?: { old?: Audio; new?: Audio };
  /** Saved pictures of an image that exists, relative to the program's folder. */
  pictures?: string[];
}

export interface FieldChange {
  field: string;
  old?: string;
  new?: string;
}

export interface Audio {
  place: string;
  seconds?: number;
  sha256?: string;
}

export interface OtherVoice {
  voice: string;
  name: string;
  createdAt: string;
}

interface Listed {
  voice: string;
  targetModel: string;
  gmtCreate?: string | undefined;
}

export interface ReviewFacts {
  preview: Preview;
  /** All voices of the account, or why they are not known. */
  account: Listed[] | { unknown: string };
  /** Ids that the state holds beyond those of the preview's steps; undefined when the state could not be asked. */
  held?: string[] | undefined;
  voiceQuota: number;
  maxCost?: number | undefined;
  nowMs: number;
}

const kinds: Record<string, Kind> = {
  "pulumi-nodejs:dynamic/cloudvoice:CloudVoice": "voice",
  "pulumi-nodejs:dynamic/cloudvoice:GeneratedImage": "image",
  "pulumi-nodejs:dynamic/cloudvoice:Decision": "decision",
};

export function reviewOf({ preview, account, held, voiceQuota, maxCost, nowMs }: ReviewFacts): Review {
  const steps = preview.steps.filter(({ oldState, newState }) => kinds[(newState ?? oldState)?.type ?? ""] !== undefined);
  const listed = Array.isArray(account) ? account : [];
  const refreshed = new Map(steps.filter(({ op }) => op === "refresh").map((step) => [step.urn, step]));
  const notes = [...preview.notes];
  const changes = steps.flatMap((step) => {
    const change = changeOf(step, listed, refreshed.get(step.urn), nowMs, notes);
    return change ? [change] : [];
  });

  changes.sort((a, b) => kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind) || actions.indexOf(a.action) - actions.indexOf(b.action) || (a.urn < b.urn ? -1 : 1));

  const known = new Set([...steps.map(idOf), ...changes.map(({ takes }) => takes), ...(held ?? [])]);
  return {
    project: urnPart(preview, 3),
    stack: stackOf(preview) ?? "",
    complete: preview.errors.length === 0,
    errors: preview.errors,
    counts: countsOf(changes),
    charge: chargeOf(changes, maxCost),
    quota: Array.isArray(account) ? quotaOf(changes, listed, voiceQuota) : account,
    changes,
    others: othersOf(account, known, preview.whole || held !== undefined),
    notes,
  };
}

function changeOf(step: Step, listed: Listed[], refreshed: Step | undefined, nowMs: number, notes: string[]): Change | undefined {
  const kind = kinds[(step.newState ?? step.oldState)?.type ?? ""];
  const action = { create: "create", replace: "replace", update: "update", delete: "delete" }[step.op] as Action | undefined;
  if (kind === undefined || action === undefined) return undefined;

  const olds = step.oldState?.inputs ?? {};
  const news = step.newState?.inputs ?? {};
  const fields = action === "create" ? fieldsGiven(kind, news) : action === "delete" ? [] : fieldChanges(kind, olds, news, step.replaceReasons ?? []);
  const change: Change = { kind, action, name: show(nameIn(step.urn)), urn: step.urn, why: "", fields, charge: 0 };
  const id = idOf(step);
  if (id !== undefined) change.id = id;
  if (kind === "voice") describeVoice(change, step, listed, nowMs, notes);
  if (kind === "image" && step.oldState) change.pictures = picturesOf(step.oldState.outputs);
  change.why = whyOf(change, refreshed);
  return change;
}

function describeVoice(change: Change, { newState, oldState }: Step, listed: Listed[], nowMs: number, notes: string[]): void {
  const news = newState?.inputs ?? {};
  const old = oldState && audioOf(oldState.inputs);
  const fresh = newState && audioOf(news);
  change.audio = { ...(old && { old }), ...(fresh && { new: fresh }) };
  if (change.action === "replace" && oldState?.delete !== true) change.deletesFirst = true;
  if (change.action !== "create" && change.action !== "replace") return;

  if (typeof news.adopt === "string" && change.action === "create") {
    Object.assign(change, { action: "adopt", takes: news.adopt });
    if (!listed.some(({ voice }) => voice === news.adopt)) notes.push(`${change.name}: the voice to adopt, ${show(news.adopt)}, was not seen in the account`);
    return;
  }
  change.charge = voicesCost(1);
  const { preferredName, targetModel, nameVersion } = news;
  if (nameVersion === undefined || typeof preferredName !== "string") return;
  const found = listed.filter((row) => row.targetModel === targetModel && voiceCarriesName(row.voice, preferredName));
  const { take, refuse } = judgeFound(preferredName, true, found, nowMs);
  if (refuse !== undefined) notes.push(`${change.name}: the update will fail: ${refuse}`);
  if (!take) return;
  Object.assign(change, { takes: take.voice, charge: 0 });
  if (change.action === "create") change.action = "take";
}

function whyOf({ kind, action, fields, takes, audio }: Change, refreshed: Step | undefined): string {
  switch (action) {
    case "create":
      return refreshed ? "gone at the service, made again" : "new in the program";
    case "adopt":
      return `new in the program; adopts ${show(takes ?? "")}`;
    case "take":
      return `new in the program; its voice is there already: ${show(takes ?? "")}`;
    case "delete":
      return "no longer in the program";
    case "update":
      if (fields.length === 1 && audio?.old?.sha256 !== undefined && audio.old.sha256 === audio.new?.sha256) return "the same recording under another path; free";
      return fields.length > 0 ? `${listFields(fields)} changed; free` : kind === "image" ? "goes on with its task; free" : "free";
    case "replace": {
      const reason = fields.length > 0 ? `${listFields(fields)} changed` : "on request (--replace, a taint), or a task that failed";
      return takes === undefined ? reason : `${reason}; the voice is there already: ${show(takes)}`;
    }
  }
}

function listFields(fields: FieldChange[]): string {
  return fields.map(({ field }) => field).join(", ");
}

const declared = {
  voice: ["targetModel", "audio", "preferredName", "text", "language", "triggers", "adopt"],
  image: ["model", "prompt", "negativePrompt", "size", "n", "promptExtend", "watermark", "triggers", "saveTo"],
  decision: ["state", "questions", "triggers", "expect"],
} as const;

/** What a new resource is made from. */
function fieldsGiven(kind: Kind, news: Record<string, unknown>): FieldChange[] {
  const given = declared[kind].filter((field) => news[field] !== undefined && !(field === "preferredName" && news.nameVersion !== undefined));
  return given.map((field) => ({ field, new: shown(field, news) }));
}

/** What differs and matters, by the very rules that the provider decides by; the engine's own reasons tell of secrets. */
function fieldChanges(kind: Kind, olds: Record<string, unknown>, news: Record<string, unknown>, reasons: string[]): FieldChange[] {
  const { known, unknown } = splitUnknown(news);
  const rules = { voice: voiceReplacements, image: imageReplacements, decision: decisionReplacements }[kind];
  const free = { voice: ["audio", "adopt"], image: ["saveTo", "timeoutSeconds"], decision: ["expect"] }[kind];
  const changed = new Set([...rules(olds, known, unknown), ...reasons, ...free.filter((field) => show(olds[field]) !== show(news[field]))].map((field) => (field === "audioSha256" ? "audio" : field)));
  // A generated name follows from the rest.
  if (olds.nameVersion !== undefined && news.nameVersion !== undefined) changed.delete("preferredName");
  return [...changed].map((field) => ({
    field,
    // Fields are named by the preview, so what an object has by nature does not count.
    ...(Object.hasOwn(olds, field) && { old: shown(field, olds) }),
    ...(Object.hasOwn(news, field) && { new: shown(field, news) }),
  }));
}

function shown(field: string, inputs: Record<string, unknown>): string {
  return field === "audio" ? audioText(audioOf(inputs)) : show(inputs[field]);
}

function audioOf(inputs: Record<string, unknown>): Audio | undefined {
  const { audio, audioSeconds, audioSha256 } = inputs;
  if (typeof audio !== "string") return undefined;
  return {
    place: audio,
    ...(typeof audioSeconds === "number" && { seconds: audioSeconds }),
    ...(typeof audioSha256 === "string" && { sha256: audioSha256 }),
  };
}

/** `audio/narrator.wav (12.3 s, df4ac9a)`. */
export function audioText(audio: Audio | undefined): string {
  if (!audio) return "";
  const facts = [audio.seconds !== undefined && `${audio.seconds.toFixed(1)} s`, audio.sha256?.slice(0, 7)].filter((fact) => typeof fact === "string");
  return `${show(audio.place)}${facts.length > 0 ? ` (${facts.join(", ")})` : ""}`;
}

function picturesOf({ images }: Record<string, unknown>): string[] {
  if (!Array.isArray(images)) return [];
  return images.flatMap((image: unknown) => (isRecord(image) && typeof image.file === "string" ? [image.file] : []));
}

function countsOf(changes: Change[]): Review["counts"] {
  const none = () => Object.fromEntries(actions.map((action) => [action, 0])) as Record<Action, number>;
  const counts = { voice: none(), image: none(), decision: none() };
  for (const { kind, action } of changes) counts[kind][action]++;
  return counts;
}

function chargeOf(changes: Change[], limit: number | undefined): Review["charge"] {
  const made = (kind: Kind) => changes.filter((change) => change.kind === kind && (change.action === "create" || change.action === "replace"));
  const voices = made("voice").filter(({ charge }) => charge > 0).length;
  return { atMost: voicesCost(voices), voices, imageTasks: made("image").length, decisions: made("decision").length, limit };
}

/** New voices come first and old ones go last, except where a replacement deletes first. */
function quotaOf(changes: Change[], listed: Listed[], limit: number): Quota {
  const there = new Set(listed.map(({ voice }) => voice));
  const voices = changes.filter(({ kind }) => kind === "voice");
  const fresh = voices.filter(({ charge }) => charge > 0).length;
  const taken = new Set(voices.map(({ takes }) => takes));
  const goes = voices.filter((change) => ["replace", "delete"].includes(change.action) && there.has(change.id ?? "") && !taken.has(change.id));
  const firsts = goes.filter(({ deletesFirst }) => deletesFirst).length;
  const now = listed.length;
  return { limit, now, peak: Math.max(now, now + fresh - firsts), after: now + fresh - goes.length };
}

function othersOf(account: ReviewFacts["account"], known: ReadonlySet<string | undefined>, stateIsKnown: boolean): Review["others"] {
  if (!Array.isArray(account)) return account;
  if (!stateIsKnown) return { unknown: "the preview does not show what stays unchanged; make it with --show-sames, or name the stack with --stack" };
  return account
    .filter(({ voice }) => !known.has(voice))
    .map(({ voice, gmtCreate }) => ({ voice, name: nameInVoice(voice) ?? "", createdAt: createdAt(gmtCreate) ?? "" }))
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}

function idOf({ oldState }: Step): string | undefined {
  return oldState?.id;
}

function nameIn(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

export function stackOf(preview: Preview): string | undefined {
  return urnPart(preview, 2) || undefined;
}

/** `urn:pulumi:<stack>::<project>::…`. */
function urnPart({ steps }: Preview, part: 2 | 3): string {
  return /^urn:(pulumi):([^:]+)::([^:]+)::/.exec(steps[0]?.urn ?? "")?.[part] ?? "";
}

/** One line of plain text, whatever the program put in: nothing that steers a terminal or turns the direction of writing. */
export function show(value: unknown): string {
  if (value === undefined) return "";
  if (value === unknownValue) return "(known only during the update)";
  const text = (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(unknownValue, "(known only during the update)");
  const plain = text.replace(/\p{C}/gu, (character) => (character === "\n" ? "⏎" : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`));
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}

/** As the provider judges it: an account that is too full is a fault of those who want more. */
export function isOverQuota({ quota, charge, errors }: Review): boolean {
  return ("limit" in quota && charge.voices > 0 && quota.peak > quota.limit) || errors.some((error) => error.includes(quotaFaultBegins));
}

export function isOverCost({ charge }: Review): boolean {
  return charge.limit !== undefined && charge.atMost > charge.limit;
}
