import { changedInputs, isSame } from "../../rules/inputs";
import type { ResourceKind } from "../../rules/resource-types";
import { resources } from "../../rules/resources";
import { withoutSignatures } from "../../rules/public-url";
import { type Rights, storedRights } from "../../rules/rights";
import { asSeen, splitUnknown, unknownValue, withoutDifferences } from "../../rules/values";
import { visible } from "../../rules/visible";
import { hasGeneratedName, voiceReplacements, voiceUpdates } from "../../rules/voice";

export interface FieldChange {
  field: string;
  old?: string;
  new?: string;
  /** The two texts look the same. */
  looksSame?: boolean;
}

export interface Audio {
  place: string;
  seconds?: number | undefined;
  sha256?: string | undefined;
}

type Inputs = Record<string, unknown>;

export const kinds = Object.keys(resources) as ResourceKind[];

/** The fields of a new resource without its rights, which have their own column, and without a generated name. */
export function newFields(kind: ResourceKind, news: Inputs): FieldChange[] {
  const hidden = hasGeneratedName(news) ? ["rights", "preferredName"] : ["rights"];
  const declared = Object.keys(resources[kind].inputs.shape);
  const fields = declared.filter((field) => news[field] !== undefined && !hidden.includes(field));
  return fields.map((field) => ({ field, new: cut(valueText(field, news)) }));
}

/**
 * The changed fields, by the provider's own rules. Workaround: the engine's replace reasons are added, because a
 * preview shows every secret as `[secret]`, so two different secrets compare as equal.
 */
export function fieldChanges(kind: ResourceKind, olds: Inputs, news: Inputs, reasons: string[]): FieldChange[] {
  const { values, unknown } = splitUnknown(news);
  const changedBy = (effect: "replaces" | "updates") =>
    kind === "voice"
      ? (effect === "replaces" ? voiceReplacements : voiceUpdates)(olds, values, unknown)
      : changedInputs(resources[kind].inputs, effect, olds, values, unknown);
  // Names in a preview's JSON are untrusted: `hasOwn` keeps out e.g. `constructor`.
  const reasonsOfEngine = reasons.filter((reason) => Object.hasOwn(olds, reason) || Object.hasOwn(news, reason));
  const changed = new Set([...changedBy("replaces"), ...reasonsOfEngine, ...changedBy("updates")]);
  // The recording is the first field, because people want to hear it.
  const isAudio = changed.delete("audioSha256") || changed.has("audio");
  // A generated name changes only because another field changes.
  if (hasGeneratedName(olds) && hasGeneratedName(news)) changed.delete("preferredName");
  return [...new Set([...(isAudio ? ["audio"] : []), ...changed])].map((field) => {
    const [old, fresh] = [valueText(field, olds), valueText(field, news)];
    const from = firstDifference(old, fresh);
    return {
      field: visible(field),
      ...(Object.hasOwn(olds, field) && { old: cut(old, from) }),
      ...(Object.hasOwn(news, field) && { new: cut(fresh, from) }),
      ...(looksSame(olds[field], news[field]) && { looksSame: true }),
    };
  });
}

/** Whether two different texts look the same, because they differ only in white space or in how they are encoded. */
function looksSame(old: unknown, fresh: unknown): boolean {
  const asShown = (value: unknown) => withoutDifferences(asSeen(value), [(text) => text.replace(/\s+/g, " ").trim()]);
  return !isSame(old, fresh) && isSame(asShown(old), asShown(fresh));
}

export function audioOf({ audio, audioSeconds, audioSha256 }: Inputs): Audio | undefined {
  if (typeof audio !== "string") return undefined;
  return {
    place: withoutSignatures(audio),
    seconds: typeof audioSeconds === "number" ? audioSeconds : undefined,
    sha256: typeof audioSha256 === "string" ? audioSha256 : undefined,
  };
}

/** `audio/narrator.wav (12.3 s, df4ac9a)`. */
export function audioText({ place, seconds, sha256 }: Audio): string {
  const facts = [seconds !== undefined && `${seconds.toFixed(1)} s`, sha256?.slice(0, 7)].filter(Boolean);
  return facts.length > 0 ? `${show(place)} (${facts.join(", ")})` : show(place);
}

/** Formats rights for people. Hides secret parts. */
export function shownRights(rights: Rights): Rights {
  return Object.fromEntries(Object.entries(rights).map(([name, value]) => [name, show(value)])) as Rights;
}

/** `Jane; https://files.example/7; until 2027-12-31`. */
export function rightsText({ holder, evidence, until }: Rights): string {
  return [holder, evidence, until !== undefined && `until ${until}`].filter(Boolean).join("; ");
}

function valueText(field: string, inputs: Inputs): string {
  const rights = field === "rights" ? storedRights(inputs.rights) : undefined;
  if (rights) return rightsText(shownRights(rights));
  const audio = field === "audio" ? audioOf(inputs) : undefined;
  return audio ? audioText(audio) : oneLine(inputs[field]);
}

/** A value as one line of plain text, shortened to fit a table. */
export function show(value: unknown): string {
  return cut(oneLine(value));
}

function oneLine(value: unknown): string {
  if (value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return visible(withoutSignatures(text).replaceAll(unknownValue, "(known only during the update)"));
}

const longest = 200;

function cut(text: string, from = 0): string {
  const rest = from > 0 ? `…${text.slice(from)}` : text;
  return rest.length > longest ? `${rest.slice(0, longest)}…` : rest;
}

/** The number of characters to cut at the start of two long texts, so that their first difference shows. */
function firstDifference(old: string, fresh: string): number {
  if (Math.max(old.length, fresh.length) <= longest) return 0;
  let at = 0;
  while (at < old.length && old[at] === fresh[at]) at++;
  return Math.max(0, at - 40);
}
