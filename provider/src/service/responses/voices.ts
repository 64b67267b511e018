import { isRecord } from "../../rules/is-record";
import type { Forms } from "../../rules/forms";
import { hasClonedShape } from "../../rules/naming";
import { textsIn } from "../redact";
import { isSuccessValue } from "./codes";
import { describeShape } from "./describe";
import { maxIdLength } from "./json";
import * as at from "./forms";
import { FormProblem, type Found, isText, type Path, shownPath } from "./forms";
import { type Asked, isEmpty, isNo, isYes, judged, type Judged, leavesOf, statedError, unprovenBy } from "./meaning";
import { isAside, isNamed, plain } from "./names";
import { isRefusal } from "./refusal";

/** A listed voice. */
export interface VoiceRow {
  voice: string;
  target_model: unknown;
  gmt_create: unknown;
  /** The word by which the row says that the voice is deleted, failed or not usable: `status: DELETED`. */
  unusable?: string;
}

/** One response to a list call. */
export interface VoicePage {
  rows: VoiceRow[];
  /** The place of the voices, also if there are none. Undefined if nothing shows it. */
  place: Path | undefined;
  /** The number of voices as the service states it. It may count only this page. */
  total: number | undefined;
  /** The field that says that more voices follow. */
  more: Path | undefined;
  /** All texts except the names of rows, in lower case. A voice that was not read may be named in one of them. */
  texts: string;
  /** Why voices may exist that are not among the rows. Undefined if the response is understood completely. */
  doubt: string | undefined;
  /** The fields because of which an empty list with the other fields of this response would prove nothing. */
  unproven: Judged[];
}

interface Container {
  path: Path;
  rows: VoiceRow[];
  /** The entries without a name. */
  nameless: number;
}

interface ListContext extends Asked {
  /** The place of the voices on an earlier page. Behind the last page it may be null. */
  known?: Path | undefined;
}

/**
 * Reads a response to a list call. Throws a {@link FormProblem} if the voices may be at two places, or if the response
 * shows neither voices nor that it is an empty list of this service.
 */
export function readVoiceList(json: unknown, { request, forms, known }: ListContext): VoicePage {
  if (typeof json !== "object" || json === null) throw new FormProblem("the listed voices");
  const nameIn = namesBy(forms);
  const found = forms?.voices === undefined ? listIn(json, nameIn) : statedList(json, forms, nameIn);
  const rows = found?.rows ?? [];
  const place = rows.length > 0 ? found?.path : emptyPlace(json, found, known);
  const leaves = judged(
    leavesOf(json).filter(({ path }) => place === undefined || !isWithin(path, place)),
    { request, forms },
  );
  const error = statedError(json, forms);
  const unproven = typeof error === "string" ? [] : leaves.filter(({ meaning }) => meaning !== "nothing");
  const page = {
    ...{ rows, place, unproven, total: totalIn(json, forms) },
    more: leaves.find(({ meaning }) => meaning === "more")?.path,
    texts: textsBeside(json, rows),
  };
  if (found !== undefined && rows.length > 0) {
    const failing = leaves.find(
      ({ path, meaning }) => /failure|part/.test(meaning) && !path.some((step) => isNamed(step, "echo")),
    );
    const failed = typeof error === "string" ? undefined : (error ?? failing);
    const nameless = found.nameless > 0 ? `an entry of ${shownPath(found.path)} names no voice` : undefined;
    return { ...page, doubt: failed ? `${shownPath(failed.path)} may mean a failure` : (nameless ?? repeated(found)) };
  }
  const isFirst = Number(request?.page_index ?? 0) === 0;
  if (isRefusal(json, "", forms) || (isFirst && error === undefined && saysFailed(leaves)))
    throw new FormProblem("the listed voices");
  if (place === undefined) {
    // Each response of the voice interface has a request id or a count. Anything else may be of another service.
    const isOurs = leaves.some(({ path }) => /^(requestid|count)$/.test(plain(path.at(-1) ?? "")));
    const errorPath = at.pathOf(forms, "error") ?? [];
    const isOpen = ({ path, meaning }: Judged) => meaning !== "nothing" && path.join(".") !== errorPath.join(".");
    if (!isOurs || leaves.some(isOpen)) throw new FormProblem("the listed voices");
    return { ...page, doubt: `it has no place for voices: it has ${describeShape(json)}` };
  }
  // The voices may be in the other list, in a form that is not known.
  const other = leaves.find(({ meaning, value }) => meaning === "unknown" && Array.isArray(value));
  if (other && forms?.voices === undefined && !isUsualName(place)) throw new FormProblem("the listed voices");
  return { ...page, doubt: unprovenBy(unproven) };
}

type NameIn = (row: unknown) => unknown;

/** Reads the name in a row: at the path of the setting, else its field `voice`. */
function namesBy(forms: Forms | undefined): NameIn {
  const path = at.pathOf(forms, "voice");
  if (path !== undefined) return (row) => at.valuesAt(row, path)[0]?.value;
  return (row) => (isRecord(row) ? own(row, "voice") : undefined);
}

/** Whether a failure is more than a number, which may be the service's own one of success. */
function saysFailed(leaves: readonly Judged[]): boolean {
  const placeOf = ({ path }: Found) => JSON.stringify(path.slice(0, -1));
  const isSaid = ({ path, value }: Found) =>
    isNamed(path.at(-1) ?? "", "message") && isText(value) && !isSuccessValue(value);
  const explained = new Set(leaves.filter(isSaid).map(placeOf));
  const failures = leaves.filter(({ meaning }) => meaning === "failure");
  return failures.some((leaf) => !/^-?\d+$/.test(String(leaf.value)) || explained.has(placeOf(leaf)));
}

/** The one array or map of voices, or the one empty array or map. Undefined if nothing is one. */
function listIn(json: object, nameIn: NameIn): Container | undefined {
  const fields = Array.isArray(json) ? [{ path: [], value: json }] : at.fieldsIn(json);
  const lists = fields.flatMap((field) => containerOf(field, nameIn));
  const empties = fields.filter(({ path, value }) => isEmptyList(value) && !path.some(isAside));
  const usual = empties.find(({ path }) => isUsualName(path));
  if (lists.length === 0) {
    // An empty object at the top may be an envelope.
    const others = empties.filter(({ path, value }) => path.length > 1 || Array.isArray(value));
    const empty = usual ?? (others.length === 1 ? others[0] : undefined);
    return empty && { path: empty.path, rows: [], nameless: 0 };
  }
  const isCloned = ({ voice }: VoiceRow) => hasClonedShape(voice);
  // The shape of the contract tells cloned voices from other objects that have a `voice`.
  const [first, second] = lists.length === 1 ? lists : lists.filter(({ rows }) => rows.every(isCloned));
  const other = second?.path ?? (first && !isUsualName(first.path) ? usual?.path : undefined);
  if (first === undefined || other !== undefined) {
    const [one, two] = other === undefined || first === undefined ? lists.map(({ path }) => path) : [first.path, other];
    throw new FormProblem(`one list of voices, but there are ${shownPath(one ?? [])} and ${shownPath(two ?? [])}`);
  }
  if (!isUsualName(first.path) && !first.rows.some(isCloned)) throw new FormProblem("the listed voices");
  return first;
}

export const isUsualName = (path: Path) => /^voice(list|s)$/.test(plain(path.at(-1) ?? ""));
const isEmptyList = (value: unknown) => typeof value === "object" && value !== null && isEmpty(value);

/** The field as a list of voices: an array of objects that have a `voice`, or a map by names of a cloned shape. */
function containerOf({ path, value }: Found, nameIn: NameIn): Container[] {
  if (Array.isArray(value)) {
    const rows = value.flatMap((entry: unknown) => rowFrom(nameIn(entry), entry));
    return rows.length === 0 ? [] : [{ path, rows, nameless: value.length - rows.length }];
  }
  const entries = isRecord(value) ? Object.entries(value) : [];
  const isMap = entries.length > 0 && entries.every(([key, entry]) => hasClonedShape(key) && isRecord(entry));
  return isMap ? [{ path, rows: entries.flatMap(([key, entry]) => rowFrom(key, entry)), nameless: 0 }] : [];
}

/** The voices where the setting says that they are. A name is at `forms.voice`, or it is the key in a map. */
function statedList(json: object, forms: Forms, nameIn: NameIn): Container | undefined {
  const found = at.read(json, "voices", forms);
  const path = at.pathOf(forms, "voices") ?? [];
  if (found.length === 0) return undefined;
  let nameless = 0;
  const rows = found.flatMap(({ value }) => {
    if (value === null) return [];
    if (typeof value !== "object") throw new FormProblem(`a list or a map at ${shownPath(path)} (forms.voices)`);
    if (isRecord(value) && isText(nameIn(value))) return rowFrom(nameIn(value), value);
    return Object.entries(value).flatMap(([key, entry]: [string, unknown]) => {
      const byKey = Array.isArray(value) ? entry : isRecord(entry) && forms.voice === undefined ? key : undefined;
      const row = rowFrom(nameIn(entry) ?? byKey, entry);
      if (row.length === 0 && entry !== null) nameless++;
      return row;
    });
  });
  if (rows.length === 0 && nameless > 0) throw new FormProblem(`a voice's name in ${shownPath(path)} (forms.voice)`);
  return { path, rows, nameless };
}

/** An empty list elsewhere than earlier voices proves nothing. */
function emptyPlace(json: object, found: Container | undefined, known: Path | undefined): Path | undefined {
  if (known === undefined) return found?.path;
  const isNull = at.valuesAt(json, known).some(({ value }) => value === null);
  return isNull || (found && isWithin(found.path, known)) ? known : undefined;
}

const isWithin = (path: Path, place: Path) =>
  path.every((name, index) => (place[index] ?? name) === name || place[index] === "*");

/** The row of a named voice. None if the name is no text, or the address of a sample. */
function rowFrom(voice: unknown, entry: unknown): VoiceRow[] {
  if (!isText(voice) || /^\s*((https?:)?\/\/|data:)/i.test(voice)) return [];
  const row = isRecord(entry) ? entry : {};
  const unusable = unusableIn(row);
  const fields = {
    voice: at.boundedId("voice", voice),
    target_model: own(row, "targetmodel"),
    gmt_create: own(row, "gmtcreate"),
  };
  return [{ ...fields, ...(unusable !== undefined && { unusable }) }];
}

/** The field of an object itself. */
function own(record: Record<string, unknown>, name: string): unknown {
  for (const key in record) if (plain(key) === name) return record[key];
  return undefined;
}

const mostOfWord = 200;

/** Stems of words that mark an unusable voice. */
const unusableWords = new RegExp(
  "\\b(delet|remov|purg|destroy|terminat|archiv|fail|err|invalid|expir|disabl|block|bann|froz|suspend|revok|reject|" +
    "unusable|unavail|undeploy|inactive)",
  "i",
);

/**
 * The word with which a row says that its voice is unusable. Services keep rows of voices that are gone or do not work.
 */
function unusableIn(row: Record<string, unknown>): string | undefined {
  for (const [name, value] of Object.entries(row)) {
    const key = plain(name);
    const isState = /^(voice)?(status|state)$/.test(key) && isText(value) && unusableWords.test(value.trim());
    const isFlag = /^(is)?(deleted|removed|disabled|expired|blocked)$/.test(key) && isYes(value);
    const isDenied = /^(is)?(usable|available|enabled|active)$/.test(key) && value !== null && isNo(value);
    const isDate = /^(gmt)?(deleted?|removed)(at|time)$/.test(key) && isText(value);
    // It is only shown.
    if (isState || isFlag || isDenied || isDate) return `${name}: ${String(value)}`.slice(0, mostOfWord);
  }
  return undefined;
}

function repeated({ rows, path }: Container): string | undefined {
  const isTwice = new Set(rows.map(({ voice }) => voice)).size < rows.length;
  return isTwice ? `a voice came twice in ${shownPath(path)}` : undefined;
}

function totalIn(json: object, forms: Forms | undefined): number | undefined {
  const totals = at
    .read(json, "total", forms)
    .flatMap(({ path, value }) =>
      /^\d{1,9}$/.test(String(value)) && (forms?.total !== undefined || !path.some(isAside)) ? Number(value) : [],
    );
  return totals.length === 0 ? undefined : Math.max(...totals);
}

function textsBeside(json: object, rows: readonly VoiceRow[]): string {
  const names = new Set(rows.map(({ voice }) => voice));
  const texts = textsIn(json).filter((text) => !names.has(text));
  return folded(texts.join("\n"));
}

/** A service may write names in another case, or with white space around them. */
export const folded = (text: string) => text.trim().toLowerCase();

/** Whether one of these texts is the name, or has it as a word. */
export function isNamedIn(texts: string, name: string): boolean {
  const wanted = folded(name);
  // An empty name would be found at the end of the texts again and again.
  if (wanted === "") return false;
  const isPart = (beside = " ") => /[\w-]/.test(beside);
  for (let start = texts.indexOf(wanted); start >= 0; start = texts.indexOf(wanted, start + 1))
    if (!isPart(texts[start - 1]) && !isPart(texts[start + wanted.length])) return true;
  return false;
}

/**
 * The voice that a create made. An unneeded field must not lose a paid voice, so only its name is required. Of two voices,
 * the one with the requested name counts.
 */
export function readCreatedVoice(json: unknown, preferredName: string, forms?: Forms) {
  const name = plain(at.pathOf(forms, "voice")?.at(-1) ?? "voice");
  const named = at.distinct(at.fieldsIn(json, name), isText);
  const asked = named.filter(({ value }) => value.includes(`${preferredName}-voice-`));
  // Another name counts where the contract and the nearest service have it.
  const usual = named.filter(({ path }) => path.length === 1 || plain(path[0] ?? "") === "output");
  if (asked.length === 0 && usual[0]) at.assertOnlyPlace(json, usual[0], isText);
  const voice = at.onlyValue("voice", asked.length > 0 ? asked : usual);
  const mode = at.firstField(json, "fallbackmode", isSomething);
  return {
    voice: at.boundedId("voice", voice),
    targetModel: at.firstField(json, "targetmodel", isText)?.slice(0, maxIdLength),
    degraded: mode !== undefined && !isEmpty(mode) && !isNo(mode),
    degradedReason: at.firstField(json, "fallbackreason", isSomething),
    count: at.firstField(json, "count", at.isNumber) ?? 1,
  };
}

const isSomething = (value: unknown): value is string | number | boolean | object =>
  value !== undefined && value !== null;

/**
 * Whether a response to a delete is understood completely, so that the voice is certainly gone. Otherwise the list decides.
 */
export function saysDeleted(status: number, json: unknown, body: string, voice: string, forms?: Forms): boolean {
  if (status === 204 && body.trim() === "") return true;
  if (status !== 200 || !isRecord(json)) return false;
  const leaves = leavesOf(json);
  const error = statedError(json, forms);
  if (error === "success") return true;
  const request = { action: "delete", voice, model: "svc-voice-enrollment" };
  if (leaves.length === 0 || typeof error === "object") return false;
  return judged(leaves, { request, forms }).every(({ meaning }) => meaning === "nothing");
}
