import { isRecord } from "../../rules/is-record";
import { hasClonedShape } from "../../rules/naming";
import { boundedId, FormProblem, isSamePath, isText, type Path, plain, shownPath, valuesAt } from "./fields";
import { isNo, isYes } from "./harmless";

/*
 * Finds the rows of voices in a response to a list call, and reads them. voice-list.ts judges whether the response is
 * complete.
 */

/** A listed voice. */
export interface VoiceRow {
  voice: string;
  target_model: unknown;
  gmt_create: unknown;
  /** The word by which the row says that the voice is deleted, failed or not usable: `status: DELETED`. */
  unusable?: string;
}

/** A possible reading of a response: voices, and their place. */
export interface Reading {
  path: Path;
  rows: VoiceRow[];
  /** One object that stands by itself. */
  isOne?: boolean;
  doubt?: string;
}

/** The voices where the setting `forms` says that they are. */
export function statedReading(json: unknown, path: Path, name: Path | undefined): Reading | undefined {
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
export function chosenReading(json: unknown, known: Path | undefined): Reading | undefined {
  const { readings, nameless } = readingsIn(json);
  if (readings.length > mostReadings) throw new FormProblem(`one list of voices, but there are ${readings.length}`);
  const all = grouped(readings.filter(isNew));
  const atKnown = all.find(({ path }) => known !== undefined && isSamePath(path, known));
  if (atKnown) return atKnown;
  const lists = all.some(({ isOne }) => isOne !== true) ? all.filter(({ isOne }) => isOne !== true) : all;
  // The shape of the contract tells cloned voices from other objects that have a `voice`.
  const shaped = lists.filter(({ rows }) => rows.some(({ voice }) => hasClonedShape(voice)));
  const [first, second] = shaped.length > 0 ? shaped : lists;
  if (first && shaped.length === 0 && nameless[0]) throw new FormProblem(`a voice's name in ${shownPath(nameless[0])}`);
  if (first === undefined || second === undefined) return first;
  throw new FormProblem(`one list of voices, but there are ${shownPath(first.path)} and ${shownPath(second.path)}`);
}

/**
 * If two places have the same voices, they are one list. An object that repeats a voice of a list is no second list.
 */
function isNew(reading: Reading, index: number, all: readonly Reading[]): boolean {
  return !all.some((other, at) => {
    if (at === index || (reading.isOne !== true && other.isOne === true)) return false;
    const names = new Set(other.rows.map(({ voice }) => voice));
    const isInside = reading.rows.every(({ voice }) => names.has(voice));
    // A larger list at an unexpected place also contains other things.
    if (isInside && isUsualName(reading.path) && !isUsualName(other.path) && names.size > reading.rows.length)
      return false;
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

/** Every list, map or single object of voices. The inside of a row is not searched for other voices. */
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
    if (isRecord(value) && isName(value.voice)) {
      const isRow = isText(value.target_model) || hasClonedShape(value.voice);
      return isRow ? add({ path, rows: [rowFrom(value.voice, [value])], isOne: true }) : undefined;
    }
    // The inside of a row is not searched for other voices.
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
  // There are two readings, unless both give the same names. A name in the contract's shape wins over one in another
  // shape.
  const others = inside.filter(({ rows }) => rows.some(({ voice }, at) => voice !== first.rows[at]?.voice));
  return areNamed && !others.some(({ rows }) => rows.some(({ voice }) => hasClonedShape(voice)))
    ? byKey
    : [...byKey, ...others.map((other) => ({ ...other, path: [...other.path, "*"] }))];
}

/** A row of a map by name. The row, or an object inside it beside the other fields, may repeat the name. */
function keyedRow(name: string, row: Record<string, unknown>): VoiceRow {
  const same = namedRows(row).find((each) => each.row.voice === name);
  return same?.row ?? rowFrom(name, [row, ...innerRecords(row)]);
}

export const isUsualName = (path: Path) => /^voice(list|s)$/.test(plain(path.at(-1) ?? ""));

const isRowWithoutName = (row: Record<string, unknown>) =>
  !isName(row.voice) && (isText(row.target_model) || "gmt_create" in row);

const deepestRow = 2;

/**
 * The rows of a list, or of the values of a map. A row is an entry with a `voice`, or with one object inside that has
 * it.
 */
function rowsIn(entries: readonly [string, unknown][], path: Path, isMap: boolean): Reading[] {
  const groups = new Map<string, { rows: VoiceRow[]; count: number }>();
  for (const [, entry] of entries) {
    // Such a row has no name of its own, whatever is inside it.
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
  // With one entry, the object may just be an envelope around a list.
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
  if (isName(entry.voice)) return [{ at, row: rowFrom(entry.voice, [entry, ...outer, ...innerRecords(entry)]) }];
  if (at.length >= deepestRow) return [];
  return Object.entries(entry).flatMap(([name, inner]) => namedRows(inner, [...at, name], [entry, ...outer]));
}

/** The objects inside a row, except those that describe another voice. */
const innerRecords = (row: Record<string, unknown>) =>
  Object.values(row).filter((each): each is Record<string, unknown> => isRecord(each) && !isName(each.voice));

/** The fields of a row: those beside its name come before those of the objects around and inside it. */
function rowFrom(voice: string, records: Record<string, unknown>[]): VoiceRow {
  const field = (name: string) => records.find((each) => (each[name] ?? undefined) !== undefined)?.[name];
  const unusable = unusableIn(records[0] ?? {});
  return {
    ...{ voice: boundedId("voice", voice), target_model: field("target_model"), gmt_create: field("gmt_create") },
    ...(unusable !== undefined && { unusable }),
  };
}

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
    const isState =
      /^(voice)?(status|state)$/.test(key) && typeof value === "string" && unusableWords.test(value.trim());
    const isFlag = /^(is)?(deleted|removed|disabled|expired|blocked)$/.test(key) && isYes(value);
    const isDenied = /^(is)?(usable|available|enabled|active)$/.test(key) && value !== null && isNo(value);
    if (/^(gmt)?(deleted?|removed)(at|time)$/.test(key) && isText(value)) return shortWord(name, value);
    if (isState || isFlag || isDenied) return shortWord(name, String(value));
  }
  return undefined;
}

/** It is only shown. */
const shortWord = (name: string, value: string) => `${name}: ${value}`.slice(0, 200);

/** A sample's address is not a name. */
const isName = (value: unknown): value is string => isText(value) && !/^\s*((https?:)?\/\/|data:)/i.test(value);
