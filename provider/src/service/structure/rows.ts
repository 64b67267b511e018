import { isRecord } from "../../rules/is-record";
import { opened } from "../response-fields";
import { errorFields, saysFailed } from "./error-fields";
import { FormProblem, isNumber, isText, pathTo, placesOf, plain } from "./fields";

export interface Row {
  voice: string;
  target_model: unknown;
  gmt_create: unknown;
}

export interface FoundRows {
  rows: Row[];
  /** The names that lead to them; undefined if there are none. */
  container?: Container | undefined;
  /** How many voices the service says that there are. It may count only those of this page. */
  total: number | undefined;
  /**
   * Whether the place of the voices was recognised, also if it is empty. Otherwise the response has only what the
   * contract names beside the voices: it may be the list of an empty account, and proves nothing.
   */
  isProven: boolean;
}

/** The names that lead from a response to its voices. */
export type Container = readonly string[];

const deepestContainer = 5;
/** The objects that are searched for the voices. It bounds the work on a hostile response. */
const mostSearched = 1000;

interface Candidate {
  container: Container;
  rows: Row[];
  isOne?: boolean;
}

/**
 * The listed voices: the one array, or map, of objects that have a `voice`, or its groups. The contract leaves open where
 * it is and what it is called. `known` is where another page had them: then only that place can be empty. Throws a
 * {@link FormProblem} if there are two, or if nothing shows that the account is empty.
 */
export function findRows(json: unknown, known?: Container): FoundRows {
  const search = new Search(json, usualContainer(json));
  // A place whose name promises something else may still be the only one that has the voices.
  const list = search.list() ?? new Search(json).list();
  const total = totalOf(json);
  if (list !== undefined) {
    // A map of one voice looks like an envelope. Another page has shown where the map is.
    const isInside = known?.every((name, index) => name === list.container?.[index]) === true;
    return { ...list, ...(isInside && { container: known }), total, isProven: true };
  }
  const place = known && valueAt(json, known);
  const isEmpty = known === undefined ? search.isEmpty : hasOnlyEmpty(place) || isEmptyAt(json, known);
  const error = errorFields(withoutWarnings(json));
  const saysNone = isEmpty && /^(no|empty)(data|voice|list|row|item|record|result)/.test(plain(error.code ?? ""));
  const saysNothing = error.code === undefined && error.message === undefined;
  const isNone = isEmpty || (total === 0 && search.isVoiceResponse);
  // A voice in a place that was not understood: no other place can show that the account is empty.
  const isHidden = mentionsVoice(unwrapped(json), hasOnlyEmpty(place) ? place : undefined);
  // The contract gives each list a `count`. A service may leave out a container without voices.
  if ((error.code !== undefined && !saysNone) || isHidden || !(isNone || (saysNothing && search.hasCount)))
    throw new FormProblem("the listed voices");
  const isProof = search.hasCount || (known === undefined ? search.isUsuallyEmpty : isEmpty);
  return { rows: [], total, isProven: isNone && saysNothing && isProof && !saysFailed(json) };
}

/** A warning refuses nothing. */
function withoutWarnings(value: unknown, depth = 0): unknown {
  if (!isRecord(value) || depth > 2) return value;
  const entries = Object.entries(value).filter(([name]) => !/^warnings?$/i.test(name));
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutWarnings(each, depth + 1)]));
}

/** The same rows in two places are one list, and an object that repeats a voice of a list is none. */
function isNew({ rows, isOne }: Candidate, index: number, all: Candidate[]): boolean {
  return !all.some((other, at) =>
    isOne === other.isOne
      ? at < index && other.rows.length === rows.length && other.rows.every((row, i) => row.voice === rows[i]?.voice)
      : isOne && other.rows.some(({ voice }) => voice === rows[0]?.voice),
  );
}

/** The list under the names that the nearest public service gives it, or the whole response. */
function usualContainer(json: unknown): Container {
  const usual = [["output", "voice_list"], ["output", "voices"], ["voice_list"], ["voices"]];
  const [found, other] = usual.filter((container) => Array.isArray(valueAt(json, container)));
  return other === undefined && found !== undefined ? found : [];
}

function valueAt(json: unknown, container: Container): unknown {
  let value = json;
  for (const name of container) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** Whether the container is empty, or one of the arrays and maps that it was in. An empty envelope says nothing. */
function isEmptyAt(json: unknown, container: Container): boolean {
  return container.some((_, index) => {
    const value = valueAt(json, container.slice(0, index + 1));
    if (value === null) return index === container.length - 1;
    if (typeof value !== "object" || Object.keys(value).length > 0) return false;
    return index > 0 || container.length === 1 || Array.isArray(value);
  });
}

/** Whether a value is groups, and none of them has anything in it. */
function hasOnlyEmpty(value: unknown, depth = 0): boolean {
  const inner = Object.values(value ?? {}).filter((each: unknown) => typeof each === "object" && each !== null);
  const isEmpty = (each: object) => Object.keys(each).length === 0 || hasOnlyEmpty(each, depth + 1);
  return depth < deepestContainer && inner.length > 0 && inner.every(isEmpty);
}

export function shownPath(container: Container): string {
  return container.reduce<string>(pathTo, "") || "the response";
}

/** Without a start, it opens all places, whatever their names promise. */
class Search {
  private readonly candidates: Candidate[] = [];
  /** There is an empty array, or an empty object inside an envelope, in a response of this service. */
  isEmpty = false;
  isUsuallyEmpty = false;
  private searched = 0;
  /** Whether it has one of the fields that the contract gives every response of the voice interface. */
  readonly isVoiceResponse: boolean;
  /** Whether it has the one that an error does not have, and so may be proof. */
  readonly hasCount: boolean;

  constructor(
    json: unknown,
    private readonly start?: Container,
  ) {
    const places = placesOf(json);
    this.hasCount = places.some(({ record }) => isNumber(record.count));
    this.isVoiceResponse = this.hasCount || places.some(({ record }) => isText(record.request_id));
    this.visit(valueAt(json, start ?? []), start ?? []);
  }

  /** The one list that was found, or its groups: containers beside each other, whose voices differ and are complete. */
  list(): { container: Container | undefined; rows: Row[] } | undefined {
    const lists = this.candidates.filter(isNew);
    const [first, second] = lists;
    if (first === undefined || second === undefined) return first;
    const rows = lists.flatMap((each) => each.rows);
    const complete = new Set(rows.flatMap((row) => (isText(row.target_model) ? row.voice : [])));
    const at = first.container.findIndex((name, index) => name !== second.container[index]);
    const path = ({ container }: Candidate) => JSON.stringify(container.map((name, index) => index === at || name));
    const areGroups = lists.every((each) => path(each) === path(first)) && this.searched <= mostSearched;
    const container = at > 0 ? first.container.slice(0, at) : undefined;
    if (areGroups && complete.size === rows.length) return { container, rows };
    const paths = [first, second].map(({ container }) => shownPath(container)).join(" and ");
    throw new FormProblem(`one list of voices, and there are ${paths}`);
  }

  private visit(given: unknown, container: Container): void {
    const value = opened(given);
    const { length: depth } = container;
    const name = container.at(-1) ?? "";
    if (this.start && isOther(name)) return;
    const isUsual = /^voice(list|s)$/.test(plain(name));
    // Another service's response may hold an empty array too, and so may a row that was not understood.
    const isOurs = isUsual || (this.isVoiceResponse && !container.includes("0"));
    this.isUsuallyEmpty ||= isUsual && typeof value === "object" && Object.keys(value ?? {}).length === 0;
    if (value === null && isUsual) this.isEmpty = true;
    if (typeof value !== "object" || value === null || depth > deepestContainer || ++this.searched > mostSearched)
      return;
    const rows = rowsIn(value, container, depth);
    if (rows !== undefined && rows.length > 0) this.candidates.push({ container, rows });
    // An array with one object is an envelope as well.
    else if (Array.isArray(value) && (rows !== undefined || value.length !== 1))
      this.isEmpty ||= rows !== undefined && depth > 0 && isOurs;
    // At the top level it may be an envelope.
    else if (Object.keys(value).length === 0) this.isEmpty ||= isUsual || (depth > 1 && isOurs);
    else {
      const found = this.candidates.length;
      for (const [key, inner] of Object.entries(value)) this.visit(inner, [...container, key]);
      const only = depth > 0 && this.candidates.length === found ? rowOf(value) : undefined;
      if (isText(only?.row.target_model)) this.candidates.push({ container, rows: [only.row], isOne: true });
    }
  }
}

const isOther = (name: string) =>
  /^(errors?|warnings?|messages?|details?|usage|meta(data)?|headers?|links?|tags|debug|extra)$/i.test(name);

/** The voices in a container; undefined if it is none. An empty array holds no voices, an empty object is no container. */
function rowsIn(container: object, path: Container, depth: number): Row[] | undefined {
  if (Array.isArray(container)) return rowsInArray(container as unknown[], path, depth);
  // The response itself and what holds `request_id` are no map of voices.
  const entries = Object.entries(container);
  if (depth === 0 || entries.length === 0) return undefined;
  const found = entries.map(([, value]) => rowOf(value));
  const [first] = found;
  // With one entry, the object may as well be an envelope: then what is in it is the container.
  const isMap = found.every((row) => row !== undefined && row.path === first?.path);
  if (isMap && (entries.length > 1 || first?.path === "")) return found.flatMap((each) => each?.row ?? []);
  const isKeyed = entries.every(([, each]) => isRecord(each) && isText(each.target_model) && each.voice === undefined);
  if (!isKeyed) return undefined;
  return entries.map(([voice, value]) => ({ ...rowFields([value as Record<string, unknown>]), voice }));
}

function rowsInArray(array: unknown[], path: Container, depth: number): Row[] | undefined {
  if (array.length === 0) return [];
  const found = array.map(rowOf);
  const first = found.find((row) => row !== undefined);
  if (first !== undefined) {
    const other = found.findIndex((row) => row?.path !== first.path);
    if (other >= 0) throw new FormProblem(`a voice in ${shownPath([...path, String(other)])}`);
    return found.flatMap((each) => each?.row ?? []);
  }
  if (depth > deepestContainer || array.length > mostSearched) return undefined;
  // Arrays of arrays, and objects that each hold one list beside other fields, for example one for each model.
  const groups = array.map((group) => {
    if (typeof group !== "object" || group === null) return undefined;
    if (Array.isArray(group)) return rowsInArray(group as unknown[], path, depth + 1);
    const lists = Object.values(group).flatMap((value: unknown) =>
      Array.isArray(value) ? [rowsInArray(value as unknown[], path, depth + 1)] : [],
    );
    return lists.length === 1 ? lists[0] : undefined;
  });
  return groups.every((group) => group !== undefined) ? groups.flat() : undefined;
}

const deepestRow = 2;

/**
 * The voice that an object describes, in its own fields or in an object inside it, and the path to its name. Undefined
 * if it describes none, or several.
 */
function rowOf(value: unknown): { row: Row; path: string } | undefined {
  const places = placesOf(value, deepestRow, false);
  const [named, other] = places.filter(({ record }) => isText(record.voice));
  if (named === undefined || (other !== undefined && named.path !== "")) return undefined;
  // The fields beside the name come before those of other objects.
  return { row: rowFields([named.record, ...places.map(({ record }) => record)]), path: named.path };
}

function rowFields(records: Record<string, unknown>[]): Row {
  const field = (name: string) => records.find((each) => (each[name] ?? undefined) !== undefined)?.[name];
  return { voice: field("voice") as string, target_model: field("target_model"), gmt_create: field("gmt_create") };
}

const totalNames = ["total", "totals", "totalcount", "totalnum", "totalnumber", "totalvoices", "totalitems"];
totalNames.push("totalelements", "totalrecords", "totalresults", "totalhits", "voicecount", "voicetotal");

function totalOf(json: unknown): number | undefined {
  const places = placesOf(json).filter(({ path }) => !/usage|bill|cost|error|warning/i.test(path));
  const totals = places
    .flatMap(({ record }) => Object.entries(record))
    .filter(([name, value]) => totalNames.includes(plain(name)) && (isText(value) || isNumber(value)))
    .flatMap(([, value]) => (/^\d{1,9}$/.test(String(value)) ? Number(value) : []));
  return totals.length === 0 ? undefined : Math.max(...totals);
}

/** What the only field of a response holds, if that is the response: its name says nothing of what is in it. */
function unwrapped(json: unknown): unknown {
  const [only, ...others] = isRecord(json) ? Object.values(json) : [];
  const has = (isField: (record: Record<string, unknown>) => boolean) =>
    placesOf(only, 1).some(({ record }) => isField(record));
  const isWhole = has(({ count }) => isNumber(count)) && has((record) => isText(record.request_id));
  return others.length === 0 && isWhole ? unwrapped(only) : json;
}

/** Whether anything in the response may describe a voice. Groups that are known to have none may be named for voices. */
function mentionsVoice(value: unknown, emptyGroups: unknown, depth = 0, isNamed = false, isAside = false): boolean {
  if (isText(value)) return isNamed || (/\bvoice\b/.test(value) && value.includes("gmt_create"));
  if (typeof value !== "object" || value === null) return false;
  if (depth > 2 * deepestContainer) return true;
  const isMention = (each: unknown) => mentionsVoice(each, emptyGroups, depth + 1, isNamed);
  if (Array.isArray(value)) {
    const isTable = value.some((each) => Array.isArray(each) && each.some(isText));
    return isTable || isMention(value.filter(isText).join()) || value.slice(0, mostSearched).some(isMention);
  }
  const isRow = /^(gmtcreate|targetmodel)$/m.test(Object.keys(value).map(plain).join("\n"));
  return Object.entries(value).some(([name, each]: [string, unknown]) => {
    if (isText(each) && /^(voice|gmtcreate)$/.test(plain(name))) return isRow || !isAside;
    if (typeof each !== "object" || each === emptyGroups) return isMention(each);
    const isFor = isNamed || (/voice/i.test(name) && !isAside);
    return mentionsVoice(each, emptyGroups, depth + 1, isFor, isRecord(each) && isOther(name));
  });
}
