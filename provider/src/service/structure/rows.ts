import { isRecord } from "../../rules/is-record";
import { errorFields } from "./error-fields";
import { FormProblem, isNumber, isText, pathTo, placesOf, plain } from "./fields";

/** The fields of a listed voice that the contract names. */
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

const expected = "the listed voices";
const deepestContainer = 5;
/** The objects that are searched for the voices. It bounds the work on a hostile response. */
const mostSearched = 1000;

interface Candidate {
  container: Container;
  rows: Row[];
}

/**
 * The listed voices: the one array, or map, of objects that have a `voice`. The contract leaves open where it is and
 * what it is called. `known` is where another page had them: then only that place can be empty. Throws a
 * {@link FormProblem} if there are two, or if nothing shows that the account is empty.
 */
export function findRows(json: unknown, known?: Container): FoundRows {
  const search = new Search(json);
  const usual = usualContainer(json);
  if (usual === undefined) search.visit(json, []);
  else search.visit(usual.value, usual.container);
  const [first, second] = search.candidates.filter(isNew);
  if (first !== undefined && second !== undefined)
    throw new FormProblem(
      `one list of voices, and there are ${shownPath(first.container)} and ${shownPath(second.container)}`,
    );
  const total = totalOf(json);
  if (first !== undefined) {
    // A map of one voice looks like an envelope. Another page has shown where the map is.
    const isInside = known?.every((name, index) => name === first.container[index]) === true;
    return { ...first, ...(isInside && { container: known }), total, isProven: true };
  }
  const error = errorFields(json);
  if (error.code !== undefined) throw new FormProblem(expected);
  const saysNothing = error.message === undefined;
  const none = { rows: [], total };
  // A voice in a place that was not understood: no other place can show that the account is empty.
  const emptyGroups = known && groupsWithoutRows(json, known);
  if (mentionsVoice(json, emptyGroups)) throw new FormProblem(expected);
  const isEmpty = known === undefined ? search.isEmpty : emptyGroups !== undefined || isEmptyAt(json, known);
  const isProof = search.hasCount || (known === undefined ? search.isUsuallyEmpty : isEmpty);
  if (isEmpty || (total === 0 && search.isVoiceResponse)) return { ...none, isProven: saysNothing && isProof };
  // The contract gives each list a `count`. A service may leave out a container without voices.
  if (!saysNothing || !placesOf(json).some(({ record }) => isNumber(record.count))) throw new FormProblem(expected);
  return { ...none, isProven: false };
}

/** The same rows in two places are one list. */
function isNew({ rows }: Candidate, index: number, all: Candidate[]): boolean {
  return !all
    .slice(0, index)
    .some((other) => other.rows.length === rows.length && other.rows.every((row, at) => row.voice === rows[at]?.voice));
}

/** The list under the names that the nearest public service gives it. */
function usualContainer(json: unknown): { container: Container; value: unknown } | undefined {
  const found = [["output"], []].flatMap((envelope) =>
    ["voice_list", "voices"].flatMap((name) => {
      const container = [...envelope, name];
      const value = valueAt(json, container);
      return Array.isArray(value) ? [{ container, value }] : [];
    }),
  );
  return found.length === 1 ? found[0] : undefined;
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

/** What is in the place of the voices, if it is groups that have none. */
function groupsWithoutRows(json: unknown, container: Container): object | undefined {
  const value = valueAt(json, container);
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return undefined;
  return rowsIn(value, container, container.length)?.length === 0 ? value : undefined;
}

export function shownPath(container: Container): string {
  return container.reduce<string>(pathTo, "") || "the response";
}

class Search {
  readonly candidates: Candidate[] = [];
  /** There is an empty array, or an empty object inside an envelope, in a response of this service. */
  isEmpty = false;
  /** There is one with a usual name. */
  isUsuallyEmpty = false;
  private searched = 0;
  /** Whether it has one of the fields that the contract gives every response of the voice interface. */
  readonly isVoiceResponse: boolean;
  /** Whether it has the one that an error does not have, and so may be proof. */
  readonly hasCount: boolean;

  constructor(json: unknown) {
    const places = placesOf(json);
    this.hasCount = places.some(({ record }) => isNumber(record.count));
    this.isVoiceResponse = this.hasCount || places.some(({ record }) => isText(record.request_id));
  }

  visit(value: unknown, container: Container): void {
    const { length: depth } = container;
    const name = container.at(-1) ?? "";
    if (isOther(name)) return;
    const isUsual = /^voice(list|s)$/.test(plain(name));
    // Another service's response may hold an empty array too.
    const isOurs = isUsual || this.isVoiceResponse;
    this.isUsuallyEmpty ||= isUsual && typeof value === "object" && Object.keys(value ?? {}).length === 0;
    if (value === null && isUsual) this.isEmpty = true;
    if (typeof value !== "object" || value === null || depth > deepestContainer || ++this.searched > mostSearched)
      return;
    const rows = rowsIn(value, container, depth);
    if (rows !== undefined && rows.length > 0) this.candidates.push({ container, rows });
    else if (Array.isArray(value)) this.isEmpty ||= rows !== undefined && depth > 0 && isOurs;
    // At the top level it may be an envelope.
    else if (Object.keys(value).length === 0) this.isEmpty ||= isUsual || (depth > 1 && isOurs);
    else {
      const found = this.candidates.length;
      for (const [key, inner] of Object.entries(value)) this.visit(inner, [...container, key]);
      // The only entry of a map, whose voice stands deeper.
      const only = depth > 0 && this.candidates.length === found ? rowOf(value) : undefined;
      if (only !== undefined) this.candidates.push({ container, rows: [only.row] });
    }
  }
}

/** Fields with names of this kind hold no voices, even if they are empty. */
function isOther(name: string): boolean {
  return /^(errors?|warnings?|messages?|details?|usage|meta(data)?|headers?|links?|tags|debug|extra)$/i.test(name);
}

/** The voices in a container; undefined if it is none. An empty array holds no voices, an empty object is no container. */
function rowsIn(container: object, path: Container, depth: number): Row[] | undefined {
  if (Array.isArray(container)) return rowsInArray(container as unknown[], path, depth);
  // The response itself and what holds `request_id` are no map of voices.
  if (depth === 0) return undefined;
  const entries = Object.entries(container);
  if (entries.length === 0) return undefined;
  const found = entries.map(([, value]) => rowOf(value));
  const [first] = found;
  // With one entry, the object may as well be an envelope: then what is in it is the container.
  const isMap = found.every((row) => row !== undefined && row.path === first?.path);
  if (isMap && (entries.length > 1 || first?.path === "")) return found.flatMap((each) => each?.row ?? []);
  if (entries.every(([, value]) => isRecord(value) && isText(value.target_model) && value.voice === undefined))
    return entries.map(([voice, value]) => ({ ...rowFields([value as Record<string, unknown>]), voice }));
  // A map to arrays is one list if its keys are the models or the names of the voices in them.
  const groups = entries.map(([key, value]) => {
    const rows = Array.isArray(value) ? rowsInArray(value as unknown[], [...path, key], depth + 1) : undefined;
    return rows?.every((row) => [row.voice, row.target_model].includes(key)) ? rows : undefined;
  });
  return groups.every((group) => group !== undefined) ? groups.flat() : undefined;
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
  const totals = places.flatMap(({ record }) =>
    Object.entries(record).flatMap(([name, value]) => {
      const total = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
      return totalNames.includes(plain(name)) && Number.isInteger(total) && (total as number) >= 0
        ? [total as number]
        : [];
    }),
  );
  return totals.length === 0 ? undefined : Math.max(...totals);
}

/** Whether anything in the response, but for groups that are known to have no voices, may describe one. */
function mentionsVoice(value: unknown, emptyGroups: object | undefined, depth = 0): boolean {
  if (typeof value !== "object" || value === null || value === emptyGroups) return false;
  if (depth > 2 * deepestContainer) return false;
  const isMention = (each: unknown) => mentionsVoice(each, emptyGroups, depth + 1);
  if (Array.isArray(value)) return value.slice(0, mostSearched).some(isMention);
  return Object.entries(value).some(([name, each]: [string, unknown]) => {
    if (isOther(name) || each === emptyGroups) return false;
    if (isRecord(each) || Array.isArray(each))
      return (/voice/i.test(name) && hasText(each, depth + 1)) || isMention(each);
    return (name === "voice" || name === "gmt_create") && isText(each);
  });
}

function hasText(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null || depth > 2 * deepestContainer) return isText(value);
  return Object.values(value).some((each) => hasText(each, depth + 1));
}
