import { hasClonedShape } from "../../rules/naming";
import { isRecord } from "../../rules/is-record";
import type { Forms } from "../../rules/forms";
import { describeShape } from "./describe";
import { FormProblem, isSamePath, isText, type Path, plain, shownPath, valuesAt } from "./fields";
import { pathOf } from "./forms";
import { doubtfulFields, failedFields, type Field, fieldsOf, isEmpty, isYes, meaningOf, totalNames } from "./harmless";
import { textsIn } from "../redact";
import { isRefusal } from "./refusal";
import type { SeenFields } from "./seen-fields";
import { chosenReading, isUsualName, type Reading, statedReading, type VoiceRow } from "./voice-rows";

/** One response to a list call. */
export interface VoicePage {
  rows: VoiceRow[];
  /** The place of the rows, also if there are none. Undefined if nothing shows it. */
  container: Path | undefined;
  /** The number of voices as the service states it. It may count only this page. */
  total: number | undefined;
  /** The fields beside the rows. */
  fields: Field[];
  /** All texts except the names of rows, in lower case. A voice that was not read may be named in one of them. */
  texts: string;
  /** Why voices may exist that are not among the rows. Undefined if the response is understood completely. */
  doubt: string | undefined;
}

export interface ListContext {
  forms?: Forms | undefined;
  /** The parameters of the request, which the response may repeat. */
  request: Readonly<Record<string, unknown>>;
  /** The place of the voices in another page or an earlier list. */
  known?: Path | undefined;
  /** The fields of earlier lists with voices in them. */
  seen?: Pick<SeenFields, "has" | "lacks">;
}

/**
 * Reads a response to a list call. Finds voices at any place. Concludes that there are no others only if each field is
 * understood. Throws a {@link FormProblem} if there are two possible readings, if something may be a voice that was not
 * read as one, or if the response is a refusal.
 */
export function readVoiceList(json: unknown, context: ListContext): VoicePage {
  if (typeof json !== "object" || json === null) throw new FormProblem("the listed voices");
  const { forms, request, known, seen } = context;
  const stated = pathOf(forms, "voices");
  const reading = stated ? statedReading(json, stated, pathOf(forms, "voice")) : chosenReading(json, known);
  const isKnownEmpty = known !== undefined && isEmptyAt(json, known);
  const beside = withoutPlace(json, reading?.path ?? stated ?? (isKnownEmpty ? known : undefined));
  const fields = fieldsOf(beside);
  const names = new Set(reading?.rows.map(({ voice }) => voice));
  const texts = folded(
    textsIn(json)
      .filter((text) => !names.has(text))
      .join("\n"),
  );
  const total = totalOf(json, fields, pathOf(forms, "total"));
  const doubt = forms?.error ? errorAt(json, forms.error.split(".")) : failureIn(beside, fields);
  if (reading !== undefined && reading.rows.length > 0) {
    if (!stated) assertOnlyPlace(reading, fields, known);
    return {
      ...{ rows: reading.rows, container: reading.path, total, fields, texts },
      doubt: doubt ?? reading.doubt ?? repeated(reading),
    };
  }

  if (!stated && isRefusal(json)) throw new FormProblem("the listed voices");
  if (stated && doubt !== undefined) throw new FormProblem(`nothing at forms.error, and ${doubt}`);
  if (!stated && mentionsVoice(json, isKnownEmpty)) throw new FormProblem("the listed voices");
  const place = emptyPlace(json, fields, stated ?? known);
  // Each response of the voice interface has one of these. Anything else may be of another service.
  const isOurs = fields.some(({ path }) => /^(requestid|count)$/.test(plain(path.at(-1) ?? "")));
  if (place === undefined && !isOurs) throw new FormProblem("the listed voices");
  if (Array.isArray(json) && json.length > 0 && !stated) throw new FormProblem("the listed voices");
  const unknown = forms?.error ? [] : unknownFields(fieldsOf(withoutPlace(json, place)), request, seen);
  return { rows: [], container: place, total, fields, texts, doubt: doubt ?? emptinessDoubt(json, place, unknown) };
}

/** A service may write names in another case, or with white space around them. */
export const folded = (text: string) => text.trim().toLowerCase();

/** Whether one of these texts is the name, or has it as a word. */
export function isNamedIn(texts: string, name: string): boolean {
  const wanted = folded(name);
  // An empty name would be found at the end of the texts again and again.
  if (wanted === "") return false;
  const isPart = (beside = " ") => /[\w-]/.test(beside);
  for (let at = texts.indexOf(wanted); at >= 0; at = texts.indexOf(wanted, at + 1))
    if (!isPart(texts[at - 1]) && !isPart(texts[at + wanted.length])) return true;
  return false;
}

const withoutPlace = (json: unknown, place: Path | undefined) => (place === undefined ? json : without(json, place));

/** The response without the place of the voices. An array with one object is an envelope. */
function without(json: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined || typeof json !== "object" || json === null) return undefined;
  const isEnvelope = name !== "*" || (Array.isArray(json) && json.length === 1);
  const entries = Object.entries(json).map(([key, each]: [string, unknown]) => {
    if (name === "*" ? typeof each !== "object" : key !== name) return [key, each] as const;
    return [key, isEnvelope ? without(each, rest) : undefined] as const;
  });
  const left = entries.filter(([, each]) => each !== undefined);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** A field that no list with voices in it had proves nothing, whatever its name, unless it is left empty. */
function unknownFields(fields: Field[], request: ListContext["request"], seen: ListContext["seen"]): Field[] {
  const doubtful = doubtfulFields(fields, request, (field) => seen?.has(field) === true);
  return fields.filter((field) => doubtful.includes(field) || (!isEmpty(field.value) && seen?.lacks(field)));
}

function emptinessDoubt(json: unknown, place: Path | undefined, unknown: Field[]): string | undefined {
  if (place === undefined) return `it has no place for voices: it has ${describeShape(json)}`;
  if (unknown.length === 0) return undefined;
  const names = unknown.slice(0, 5).map(({ path }) => shownPath(path));
  return `the meaning of ${names.join(", ")}${unknown.length > 5 ? ", …" : ""} is not known`;
}

/** Why a response is no list, or only a part of one. */
function failureIn(json: unknown, fields: readonly Field[]): string | undefined {
  const failed = failedFields(fields)[0] ?? fields.find((field) => meaningOf(field) === "suspect");
  if (failed) return `${shownPath(failed.path)} may mean a failure`;
  return isRefusal(json) ? "it names an error" : undefined;
}

function errorAt(json: unknown, path: Path): string | undefined {
  const stands = valuesAt(json, path).some((value) => meaningOf({ path: ["code"], value }) !== "nothing");
  return stands ? `${shownPath(path)} says that the call failed` : undefined;
}

/** The field that says that more voices follow. A field that never changes means nothing. */
export function saysMore(fields: readonly Field[], seen?: ListContext["seen"]): Field | undefined {
  return fields.find((field) => meaningOf(field) === "more" && (isYes(field.value) || !seen?.has(field)));
}

/** The place of the rows in a response that has none: an empty list or map, or null where rows are known to be. */
function emptyPlace(json: unknown, fields: readonly Field[], known: Path | undefined): Path | undefined {
  // If earlier voices were elsewhere, nothing shows that this place is the right one.
  if (known !== undefined) return isEmptyAt(json, known) ? known : undefined;
  const empties = fields.filter(({ value }) => isEmptyValue(value));
  const usual = empties.find(({ path }) => isUsualName(path));
  if (usual) return usual.path;
  const others = empties.filter(({ path, value }) => !isAside(path) && (path.length > 1 || Array.isArray(value)));
  return others.length === 1 ? others[0]?.path : undefined;
}

/** Whether the place is empty, or an array or map that contains it. An empty envelope proves nothing. */
function isEmptyAt(json: unknown, path: Path): boolean {
  const values = valuesAt(json, path);
  if (values.length > 0) return values.every((value) => value === null || isEmptyValue(value));
  const star = path.indexOf("*");
  return star >= 0 && valuesAt(json, path.slice(0, star)).some(isEmptyValue);
}

const isEmptyValue = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** Names of fields that may be beside the voices and never contain them. */
const asideNames = new Set([
  ...["error", "errors", "warning", "warnings", "message", "messages", "detail", "details", "failed", "failures"],
  ...["exceptions", "usage", "billing", "meta", "metadata", "header", "headers", "link", "links", "tags", "labels"],
  ...["flags", "debug", "extra", "notes", "facets", "deleted", "permissions", "scopes", "sort", "filter", "filters"],
  ...["suggestions", "folders"],
]);
const isAside = (path: Path) => path.some((name) => asideNames.has(name.toLowerCase()));

/**
 * If no name looks like that of a cloned voice, the rows may be something else, and the empty list beside them may be
 * the place of the voices. The place of earlier voices decides, or a field name that means voices.
 */
function assertOnlyPlace({ rows, path, isOne }: Reading, fields: readonly Field[], known: Path | undefined): void {
  if (known !== undefined && isSamePath(path, known)) return;
  // Voices beside the empty place of the voices are deleted, or do not belong to the account.
  const own = fields.find(
    (field) => isEmptyValue(field.value) && (known ? isSamePath(field.path, known) : isUsualName(field.path)),
  );
  if (own && !isUsualName(path))
    throw new FormProblem(`one list of voices, but there are ${shownPath(path)} and ${shownPath(own.path)}`);
  if (rows.some(({ voice }) => hasClonedShape(voice))) return;
  const ofVoices = (each: Path) => isOne !== true && isUsualName(each);
  const empty = fields.find((field) => isEmptyValue(field.value) && !isAside(field.path));
  if (empty === undefined || (ofVoices(path) && !ofVoices(empty.path))) return;
  throw new FormProblem(`one list of voices, but there are ${shownPath(path)} and ${shownPath(empty.path)}`);
}

function repeated({ rows, path }: Reading): string | undefined {
  const isTwice = new Set(rows.map(({ voice }) => voice)).size < rows.length;
  return isTwice ? `a voice came twice in ${shownPath(path)}` : undefined;
}

/** A limit of the account's plan, and not a number of voices that it has. */
const isOfPlan = (path: Path) => path.some((name) => /^(quotas?|limits?|plan|package)$/i.test(name));

function totalOf(json: unknown, fields: readonly Field[], stated: Path | undefined): number | undefined {
  const values = stated
    ? valuesAt(json, stated)
    : fields
        .filter(({ path }) => totalNames.test(plain(path.at(-1) ?? "")) && !isAside(path) && !isOfPlan(path))
        .map(({ value }) => value);
  const totals = values.flatMap((value) => (/^\d{1,9}$/.test(String(value)) ? Number(value) : []));
  return totals.length === 0 ? undefined : Math.max(...totals);
}

/**
 * Whether something in the response may be a voice that was not read as one. A group that is known to be empty may have
 * a field name that means voices.
 */
function mentionsVoice(value: unknown, hasEmptyGroups: boolean, name = ""): boolean {
  const ofVoice = /^(voice|voiceid|voicename|gmtcreate|targetmodel)$/.test(plain(name)) || hasClonedShape(name);
  if (isText(value)) return ofVoice || hasClonedShape(value) || isTable(value);
  if (!Array.isArray(value))
    return isRecord(value) && Object.entries(value).some(([key, each]) => mentionsVoice(each, hasEmptyGroups, key));
  const isOfVoices = /voice/i.test(name) && !hasEmptyGroups && value.some((each) => each !== null && each !== "");
  return (
    isOfVoices ||
    isTable(value.join()) ||
    value.some((each) => Array.isArray(each) || mentionsVoice(each, hasEmptyGroups, name))
  );
}

/** Whether a text has the column heads of a table of voices. */
function isTable(text: string): boolean {
  const word = text.search(/\bvoice\b/);
  return word >= 0 && text.includes("gmt_create", word);
}
