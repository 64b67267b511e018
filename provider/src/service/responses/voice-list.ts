import { isRecord } from "../../rules/is-record";
import { hasClonedShape } from "../../rules/naming";
import type { Forms } from "../../rules/forms";
import { describeShape } from "./describe";
import { FormProblem, isSamePath, isText, type Path, plain, shownPath, valuesAt } from "./fields";
import { pathOf } from "./forms";
import { doubtfulFields, type Field, fieldsOf, meaningOf, failedField, totalNames } from "./harmless";
import { isRefusal } from "./refusal";

/** A listed voice. */
export interface VoiceRow {
  voice: string;
  target_model: unknown;
  gmt_create: unknown;
  /** What the row says of itself if the voice is deleted, failed or not usable: `status: DELETED`. */
  unusable?: string;
}

/** One response to a list call. */
export interface VoicePage {
  rows: VoiceRow[];
  /** Where the rows are, or would be. Undefined if nothing shows it. */
  container: Path | undefined;
  /** How many voices the service says that there are. It may count only those of this page. */
  total: number | undefined;
  /** The fields beside the rows. */
  fields: Field[];
  /**
   * Why a voice that is not among the rows may exist all the same. Undefined if the response is understood whole.
   */
  doubt: string | undefined;
}

export interface ListContext {
  forms?: Forms | undefined;
  /** The parameters of the request, which the response may repeat. */
  request: Readonly<Record<string, unknown>>;
  /** Where another page or an earlier list had its voices. */
  known?: Path | undefined;
  /** Whether lists with voices in them had this value too. */
  wasSeen?: (field: Field) => boolean;
}

/**
 * Reads a response to a list call. Voices are read wherever they are. That there are no others is concluded only if each
 * field is understood. Throws a {@link FormProblem} if there are two possible readings, if something in the response may
 * be a voice and was not read as one, or if it is a refusal.
 */
export function readVoiceList(json: unknown, context: ListContext): VoicePage {
  if (typeof json !== "object" || json === null) throw new FormProblem("the listed voices");
  const { forms, request, known, wasSeen } = context;
  const stated = pathOf(forms, "voices");
  const reading = stated ? statedReading(json, stated, pathOf(forms, "voice")) : chosenReading(json, known);
  const isKnownEmpty = known !== undefined && isEmptyAt(json, known);
  const fields = beside(fieldsOf(json), reading?.path ?? stated ?? (isKnownEmpty ? known : undefined));
  const total = totalOf(json, fields, pathOf(forms, "total"));
  const doubt = forms?.error ? errorAt(json, forms.error.split(".")) : failureIn(json, fields);
  if (reading !== undefined && reading.rows.length > 0) {
    if (!stated) assertOnlyPlace(reading, fields, known);
    return {
      ...{ rows: reading.rows, container: reading.path, total, fields },
      doubt: doubt ?? reading.doubt ?? repeated(reading),
    };
  }

  if (!stated && isRefusal(json)) throw new FormProblem("the listed voices");
  if (stated && doubt !== undefined) throw new FormProblem(`nothing at forms.error, and ${doubt}`);
  if (!stated && mentionsVoice(json, isKnownEmpty)) throw new FormProblem("the listed voices");
  const place = emptyPlace(json, fields, stated ?? known, stated !== undefined);
  // Each response of the voice interface has one of these. Anything else may be of another service.
  const isOurs = fields.some(({ path }) => /^(requestid|count)$/.test(plain(path.at(-1) ?? "")));
  if (place === undefined && !isOurs) throw new FormProblem("the listed voices");
  if (Array.isArray(json) && json.length > 0 && !stated) throw new FormProblem("the listed voices");
  const unknown = forms?.error ? [] : doubtfulFields(beside(fields, place), request, wasSeen);
  return { rows: [], container: place, total, fields, doubt: doubt ?? emptinessDoubt(json, place, unknown) };
}

/** The fields that are neither inside the place of the voices nor around it. */
function beside(fields: Field[], place: Path | undefined): Field[] {
  if (place === undefined) return fields;
  const isInOrAround = (path: Path) =>
    path.slice(0, place.length).every((name, at) => name === place[at] || place[at] === "*");
  return fields.filter(({ path }) => !isInOrAround(path));
}

function emptinessDoubt(json: unknown, place: Path | undefined, unknown: Field[]): string | undefined {
  if (place === undefined) return `it has no place for voices: it has ${describeShape(json)}`;
  if (unknown.length === 0) return undefined;
  const names = unknown.slice(0, 5).map(({ path }) => shownPath(path));
  return `the meaning of ${names.join(", ")}${unknown.length > 5 ? ", …" : ""} is not known`;
}

/** What a response says that is no list, or only a part of one. */
function failureIn(json: unknown, fields: readonly Field[]): string | undefined {
  const failed = failedField(fields) ?? fields.find((field) => meaningOf(field) === "suspect");
  if (failed) return `${shownPath(failed.path)} may mean a failure`;
  return isRefusal(json) ? "it names an error" : undefined;
}

function errorAt(json: unknown, path: Path): string | undefined {
  const stands = valuesAt(json, path).some((value) => meaningOf({ path: ["code"], value }) !== "nothing");
  return stands ? `${shownPath(path)} says that the call failed` : undefined;
}

const isTrue = (value: unknown) => /^(true|1|yes)$/i.test(String(value).trim());
const isFalse = (value: unknown) => /^(false|0|no)$/i.test(String(value).trim());

/** The field by which the response says that there are more voices than it has. One that never changes says nothing. */
export function saysMore(fields: readonly Field[], wasSeen?: ListContext["wasSeen"]): Field | undefined {
  return fields.find((field) => meaningOf(field) === "more" && (isTrue(field.value) || !wasSeen?.(field)));
}

interface Reading {
  path: Path;
  rows: VoiceRow[];
  /** One object that stands by itself. */
  isOne?: boolean;
  doubt?: string;
}

/** The voices where the setting `forms` says that they are. */
function statedReading(json: unknown, path: Path, name: Path | undefined): Reading | undefined {
  const containers = valuesAt(json, path);
  if (containers.length === 0) throw new FormProblem(`something at ${shownPath(path)} (forms.voices)`);
  const rows = containers.flatMap((container) => {
    if (typeof container !== "object" || container === null) return [];
    return Object.entries(container).map(([key, entry]: [string, unknown], index) => {
      const [stated] = name ? valuesAt(entry, name) : [];
      const own = name
        ? stated
        : isRecord(entry)
          ? (entry.voice ?? (Array.isArray(container) ? undefined : key))
          : entry;
      if (!isText(own)) throw new FormProblem(`a voice's name in ${shownPath([...path, String(index)])} (forms.voice)`);
      return rowFrom(own, isRecord(entry) ? [entry] : []);
    });
  });
  return { path, rows };
}

const mostReadings = 100;

/** The one reading of the response. Undefined if nothing in it is a voice. */
function chosenReading(json: unknown, known: Path | undefined): Reading | undefined {
  const { readings, nameless } = readingsIn(json);
  if (readings.length > mostReadings) throw new FormProblem(`one list of voices, and there are ${readings.length}`);
  const all = grouped(readings.filter(isNew));
  const atKnown = all.find(({ path }) => known !== undefined && isSamePath(path, known));
  if (atKnown) return atKnown;
  const lists = all.some(({ isOne }) => isOne !== true) ? all.filter(({ isOne }) => isOne !== true) : all;
  // The shape of the contract tells cloned voices from other objects that have a `voice`.
  const shaped = lists.filter(({ rows }) => rows.some(({ voice }) => hasClonedShape(voice)));
  const [first, second] = shaped.length > 0 ? shaped : lists;
  if (first && shaped.length === 0 && nameless[0]) throw new FormProblem(`a voice's name in ${shownPath(nameless[0])}`);
  if (first === undefined || second === undefined) return first;
  throw new FormProblem(`one list of voices, and there are ${shownPath(first.path)} and ${shownPath(second.path)}`);
}

/** The same voices in two places are one list, and an object that repeats a voice of a list is none. */
function isNew(reading: Reading, index: number, all: readonly Reading[]): boolean {
  return !all.some((other, at) => {
    if (at === index || (reading.isOne !== true && other.isOne === true)) return false;
    const names = new Set(other.rows.map(({ voice }) => voice));
    const isInside = reading.rows.every(({ voice }) => names.has(voice));
    return isInside && (names.size > reading.rows.length || at < index || other.isOne !== reading.isOne);
  });
}

/** Lists that differ only by the model of their voices are groups of one list. */
function grouped(readings: readonly Reading[]): Reading[] {
  const groups = new Map<string, Reading>();
  for (const reading of readings) {
    const at = reading.path.findIndex((name) => reading.rows.every((row) => row.target_model === name));
    const path = at < 0 ? reading.path : reading.path.map((name, index) => (index === at ? "*" : name));
    const key = JSON.stringify(path);
    const group = groups.get(key);
    groups.set(key, { ...reading, path, rows: [...(group?.rows ?? []), ...reading.rows] });
  }
  return [...groups.values()];
}

const deepestContainer = 6;

/** Every list, map or single object of voices. What is inside a row says nothing about other voices. */
function readingsIn(json: unknown): { readings: Reading[]; nameless: Path[] } {
  const found = new Map<string, Reading>();
  /** Rows that do not name themselves, and whose keys are no names of voices. */
  const nameless: Path[] = [];
  const add = (reading: Reading) => {
    const key = JSON.stringify([reading.path, reading.isOne ?? false]);
    const same = found.get(key);
    if (same === undefined) found.set(key, reading);
    else {
      same.rows.push(...reading.rows);
      if (reading.doubt !== undefined) same.doubt ??= reading.doubt;
    }
  };
  const visit = (value: unknown, path: Path) => {
    if (typeof value !== "object" || value === null || path.length > deepestContainer) return;
    const entries = Object.entries(value) as [string, unknown][];
    const rows = Array.isArray(value) ? rowsIn(entries, path, false) : path.length > 0 ? mapRows(entries, path) : [];
    if (rows.length > 0) return rows.forEach(add);
    if (isRecord(value) && isText(value.voice)) {
      const isRow = isText(value.target_model) || hasClonedShape(value.voice);
      return isRow ? add({ path, rows: [rowFrom(value.voice, [value])], isOne: true }) : undefined;
    }
    // What is inside a row says nothing about other voices.
    if (isRecord(value) && path.length > 1 && isRowWithoutName(value)) return void nameless.push(path);
    for (const [name, each] of entries) visit(each, [...path, Array.isArray(value) ? "*" : name]);
  };
  visit(json, []);
  return { readings: [...found.values()], nameless };
}

/** A map of voices: each value is a row. Its key is the voice's name, unless the row names itself. */
function mapRows(entries: readonly [string, unknown][], path: Path): Reading[] {
  if (entries.length === 0 || !entries.every(([, value]) => isRecord(value))) return [];
  const records = entries as readonly [string, Record<string, unknown>][];
  const areNamed = records.every(([name]) => hasClonedShape(name));
  const areRows = records.every(([, row]) => isRowWithoutName(row));
  const byKey: Reading[] =
    areNamed || (areRows && (records.length > 1 || isUsualName(path)))
      ? [{ path, rows: records.map(([name, row]) => keyedRow(name, row)) }]
      : [];
  const inside = areRows ? [] : rowsIn(entries, path, true);
  const [first] = byKey;
  if (first === undefined) return inside;
  // Two possible readings, unless both give the same names. A name in the contract's shape wins over one without.
  const others = inside.filter(({ rows }) => rows.some(({ voice }, at) => voice !== first.rows[at]?.voice));
  return areNamed && !others.some(({ rows }) => rows.some(({ voice }) => hasClonedShape(voice)))
    ? byKey
    : [...byKey, ...others.map((other) => ({ ...other, path: [...other.path, "*"] }))];
}

/** A row of a map by name. The name may stand in the row again, or in an object inside it, beside the other fields. */
function keyedRow(name: string, row: Record<string, unknown>): VoiceRow {
  const same = namedRows(row).find((each) => each.row.voice === name);
  return same?.row ?? rowFrom(name, [row, ...innerRecords(row)]);
}

const isUsualName = (path: Path) => /^voice(list|s)$/.test(plain(path.at(-1) ?? ""));

const isRowWithoutName = (row: Record<string, unknown>) =>
  !isText(row.voice) && (isText(row.target_model) || "gmt_create" in row);

const deepestRow = 2;

/** The rows of a list, or of the values of a map. A row is an entry with a `voice`, or the one object inside that has it. */
function rowsIn(entries: readonly [string, unknown][], path: Path, isMap: boolean): Reading[] {
  const groups = new Map<string, { rows: VoiceRow[]; count: number }>();
  for (const [, entry] of entries) {
    // A row without a name of its own, whatever is inside it.
    if (isRecord(entry) && isRowWithoutName(entry)) continue;
    for (const { at, row } of namedRows(entry)) {
      const key = JSON.stringify(at);
      const group = groups.get(key) ?? { rows: [], count: 0 };
      groups.set(key, group);
      group.rows.push(row);
      group.count++;
    }
  }
  if (isMap && [...groups.values()].every(({ count }) => count < entries.length)) return [];
  // With one entry, the object may as well be an envelope of a list.
  if (isMap && entries.length === 1 && !groups.has("[]")) return [];
  return [...groups].map(([at, { rows, count }]) => ({
    path: groups.size === 1 ? path : [...path, "*", ...(JSON.parse(at) as string[])],
    rows,
    ...(count < entries.length && { doubt: `an entry of ${shownPath(path)} names no voice` }),
  }));
}

/** The rows that an entry of a list may be: itself if it has a name, else the objects inside it that have one. */
function namedRows(
  entry: unknown,
  at: Path = [],
  outer: Record<string, unknown>[] = [],
): { at: Path; row: VoiceRow }[] {
  if (!isRecord(entry)) return [];
  if (isText(entry.voice)) return [{ at, row: rowFrom(entry.voice, [entry, ...outer, ...innerRecords(entry)]) }];
  if (at.length >= deepestRow) return [];
  return Object.entries(entry).flatMap(([name, inner]) => namedRows(inner, [...at, name], [entry, ...outer]));
}

/** The objects inside a row, without those that describe another voice. */
const innerRecords = (row: Record<string, unknown>) =>
  Object.values(row).filter((each): each is Record<string, unknown> => isRecord(each) && !isText(each.voice));

/** The fields of a row: those beside its name come before those of the objects around and inside it. */
function rowFrom(voice: string, records: Record<string, unknown>[]): VoiceRow {
  const field = (name: string) => records.find((each) => (each[name] ?? undefined) !== undefined)?.[name];
  const unusable = unusableIn(records[0] ?? {});
  return {
    ...{ voice, target_model: field("target_model"), gmt_create: field("gmt_create") },
    ...(unusable !== undefined && { unusable }),
  };
}

const unusableWords =
  /^(deleted?|removed|failed?|failure|error|invalid|expired|disabled|blocked|banned|frozen|unusable|unavailable|undeployed|rejected)$/i;

/** What a row says of itself. The lists of services keep rows of voices that are gone or do not work. */
function unusableIn(row: Record<string, unknown>): string | undefined {
  for (const [name, value] of Object.entries(row)) {
    const key = plain(name);
    const isState =
      /^(voice)?(status|state)$/.test(key) && typeof value === "string" && unusableWords.test(value.trim());
    const isFlag = /^(is)?(deleted|removed|disabled|expired|blocked)$/.test(key) && isTrue(value);
    const isDenied = /^(is)?(usable|available|enabled|active)$/.test(key) && isFalse(value);
    if (/^(gmt)?(deleted?|removed)(at|time)$/.test(key) && isText(value)) return `${name}: ${value}`;
    if (isState || isFlag || isDenied) return `${name}: ${String(value)}`;
  }
  return undefined;
}

/** Where the rows would be in a response without any: an empty list or map. A null only where rows were, or are stated. */
function emptyPlace(
  json: unknown,
  fields: readonly Field[],
  known: Path | undefined,
  isStated: boolean,
): Path | undefined {
  if (known !== undefined) {
    const isEmpty = isEmptyAt(json, known);
    if (isEmpty || isStated) return isEmpty ? known : undefined;
  }
  const empties = fields.filter(({ value }) => typeof value === "object" && value !== null && isEmptyValue(value));
  // Elsewhere than where earlier voices were, nothing shows that the place is the one of the voices.
  if (known !== undefined) return undefined;
  const usual = empties.find(({ path }) => isUsualName(path));
  if (usual) return usual.path;
  const others = empties.filter(({ path, value }) => !isAside(path) && (path.length > 1 || Array.isArray(value)));
  return others.length === 1 ? others[0]?.path : undefined;
}

/** Whether the place is empty, or an array or a map around it. An empty envelope says nothing. */
function isEmptyAt(json: unknown, path: Path): boolean {
  const values = valuesAt(json, path);
  if (values.length > 0) return values.every((value) => value === null || isEmptyValue(value));
  const star = path.indexOf("*");
  return star >= 0 && valuesAt(json, path.slice(0, star)).some(isEmptyValue);
}

const isEmptyValue = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** What stands beside voices, and is never their place. */
const isAside = (path: Path) =>
  path.some((name) =>
    /^(errors?|warnings?|messages?|details?|usage|billing|meta(data)?|headers?|links?|tags|labels|flags|debug|extra|notes|facets|fail(ed|ures)|exceptions|deleted|permissions|scopes|sort|filters?|suggestions|folders)$/i.test(
      name,
    ),
  );

/**
 * If no name looks like one of a cloned voice, the rows may be something else, and the empty list beside them the one of the
 * voices. Where the voices were before, or a name that speaks of voices, decides.
 */
function assertOnlyPlace({ rows, path, isOne }: Reading, fields: readonly Field[], known: Path | undefined): void {
  if (known !== undefined && isSamePath(path, known)) return;
  // Voices beside the empty place of the voices are deleted ones, or others that are not of the account.
  const own = fields.find(
    (field) => isEmptyValue(field.value) && (known ? isSamePath(field.path, known) : isUsualName(field.path)),
  );
  if (own && !isUsualName(path))
    throw new FormProblem(`one list of voices, and there are ${shownPath(path)} and ${shownPath(own.path)}`);
  if (rows.some(({ voice }) => hasClonedShape(voice))) return;
  const ofVoices = (each: Path) => isOne !== true && isUsualName(each);
  const empty = fields.find((field) => isEmptyValue(field.value) && !isAside(field.path));
  if (empty === undefined || (ofVoices(path) && !ofVoices(empty.path))) return;
  throw new FormProblem(`one list of voices, and there are ${shownPath(path)} and ${shownPath(empty.path)}`);
}

function repeated({ rows, path }: Reading): string | undefined {
  const isTwice = new Set(rows.map(({ voice }) => voice)).size < rows.length;
  return isTwice ? `a voice came twice in ${shownPath(path)}` : undefined;
}

/** What an account may have, and not what it has. */
const isOfPlan = (path: Path) => path.some((name) => /^(quotas?|limits?|plan|package)$/i.test(name));

function totalOf(json: unknown, fields: readonly Field[], stated: Path | undefined): number | undefined {
  const values = stated
    ? valuesAt(json, stated)
    : fields
        .filter(({ path }) => totalNames.includes(plain(path.at(-1) ?? "")) && !isAside(path) && !isOfPlan(path))
        .map(({ value }) => value);
  const totals = values.flatMap((value) => (/^\d{1,9}$/.test(String(value)) ? Number(value) : []));
  return totals.length === 0 ? undefined : Math.max(...totals);
}

/**
 * Whether anything in the response may describe a voice that was not read as one. Groups of voices that are known to be empty
 * may be named for voices.
 */
function mentionsVoice(value: unknown, hasEmptyGroups: boolean, name = ""): boolean {
  const key = plain(name);
  if (typeof value === "string") {
    if (value.trim() === "" || key === "model") return false;
    const isNamed = /^(voice|voiceid|voicename|gmtcreate|targetmodel)$/.test(key) || /-voice-\d{8}/.test(value);
    const word = value.search(/\bvoice\b/);
    return isNamed || (word >= 0 && value.includes("gmt_create", word));
  }
  if (typeof value !== "object" || value === null) return false;
  const entries = Object.entries(value) as [string, unknown][];
  if (entries.length === 0) return false;
  if (
    Array.isArray(value) &&
    !hasEmptyGroups &&
    /voice/.test(key) &&
    value.some((each) => each !== null && each !== "")
  )
    return true;
  if (Array.isArray(value) && value.some((each) => Array.isArray(each) && each.some(isText))) return true;
  if (Array.isArray(value) && /^voice.*gmt_create/.test(value.filter(isText).join())) return true;
  return entries.some(([inner, each]) => mentionsVoice(each, hasEmptyGroups, Array.isArray(value) ? name : inner));
}
