import type { Forms } from "../../rules/forms";
import { hasClonedShape } from "../../rules/naming";
import { textsIn } from "../redact";
import { isSuccessValue } from "./codes";
import { describeShape } from "./describe";
import {
  fieldsIn,
  type Found,
  FormProblem,
  isInside,
  isText,
  nameOf,
  type Path,
  pathOf,
  read,
  shownPath,
  valuesAt,
} from "./forms";
import { type Asked, isEmpty, judged, type Judged, leavesOf, statedError, unprovenBy } from "./meaning";
import { isAside, isNamed, plain } from "./names";
import { isRefusal } from "./refusal";
import { isListOfVoices, type Rows, rowsIn, statedRows, type VoiceRow } from "./voice-rows";

/** One response to a list call. */
export interface VoicePage {
  rows: VoiceRow[];
  /** The path of the list of voices, even if it is empty. Undefined if nothing shows the path. */
  place: Path | undefined;
  /** The number of voices as the service states it. It may count only this page. */
  total: number | undefined;
  /** The field that says that more voices follow. */
  more: Path | undefined;
  /** All texts except the names of rows, in lower case. A voice that was not read may be named in one of them. */
  texts: string;
  /** Why voices may exist that are not among the rows. Undefined if the response is understood completely. */
  doubt: string | undefined;
  /** The fields that keep an empty list of this form from proving that there are no voices. */
  unproven: Judged[];
}

interface ListContext extends Asked {
  /** The path of the voices on an earlier page. On a page behind the last, its value may be null. */
  known?: Path | undefined;
}

interface VoiceList extends Rows {
  path: Path;
}

const expected = "the listed voices";

/**
 * Reads a response to a list call. Throws a {@link FormProblem} if the voices may be at two places, or if the response
 * shows neither voices nor that it is an empty list of this service.
 */
export function readVoiceList(json: unknown, { request, forms, known }: ListContext): VoicePage {
  if (typeof json !== "object" || json === null) throw new FormProblem(expected);
  const list = forms?.voices === undefined ? listIn(json, forms) : statedList(json, forms);
  const rows = list?.rows ?? [];
  const place = rows.length > 0 || known === undefined ? list?.path : emptyPlace(json, known);
  const isBeside = ({ path }: Found) => place === undefined || !isInside(place.slice(0, path.length), path);
  const beside = judged(leavesOf(json).filter(isBeside), { request, forms });
  const open = beside.filter(({ meaning }) => meaning !== "nothing");
  const stated = statedError(json, forms);
  // If the setting says that the call has not failed, no other field counts.
  const unproven = typeof stated === "string" ? [] : open;
  const failing = typeof stated === "object" ? stated : unproven.find(mayMeanLoss);
  const total = totalIn(json, forms);
  return {
    ...{ rows, place, unproven, total, texts: textsBeside(json, rows) },
    more: open.find(({ meaning }) => meaning === "more")?.path,
    doubt:
      list !== undefined && rows.length > 0
        ? doubtIn(list, failing)
        : doubtWithoutRows(json, { place, total, beside, unproven, request, forms }),
  };
}

/** Why a list with rows may lack some. */
function doubtIn({ rows, path, nameless }: VoiceList, failing: Found | undefined): string | undefined {
  if (failing) return `${shownPath(failing.path)} may mean a failure`;
  if (nameless > 0) return `an entry of ${shownPath(path)} names no voice`;
  const isTwice = new Set(rows.map(({ voice }) => voice)).size < rows.length;
  return isTwice ? `a voice came twice in ${shownPath(path)}` : undefined;
}

/** Whether a field beside voices may mean that voices are missing. */
const mayMeanLoss = ({ path, meaning }: Judged) =>
  (meaning === "failure" || meaning === "part") && !path.some((name) => isNamed(name, "echo"));

/**
 * Why voices may exist although a response has none. Throws if the response reports a failure, or may have voices in
 * another form.
 */
function doubtWithoutRows(
  json: object,
  { place, total, beside, unproven, request, forms }: WithoutRows,
): string | undefined {
  // A later page that may report a failure makes the list doubtful, so that a person is asked.
  const isFirst = Number(request?.page_index ?? 0) === 0;
  if (isRefusal(json, "", forms) || (isFirst && saysFailed(unproven))) throw new FormProblem(expected);
  const open = beside.filter(({ meaning }) => meaning !== "nothing");
  if (place === undefined) {
    // Each response of the voice interface has a request id or a count. Anything else may be of another service.
    const isOurs = beside.some((field) => isNamed(nameOf(field), "requestId") || plain(nameOf(field)) === "count");
    // A field that is not known may have the voices, unless the response counts none.
    if (!isOurs || (open.length > 0 && total !== 0)) throw new FormProblem(expected);
    return `the response has no field with voices (what it has: ${describeShape(json)})`;
  }
  const isOtherList = open.some(({ meaning, value }) => meaning === "unknown" && Array.isArray(value));
  if (isOtherList && forms?.voices === undefined && !isUsualName(place)) throw new FormProblem(expected);
  return unprovenBy(unproven);
}

interface WithoutRows extends Pick<VoicePage, "place" | "total" | "unproven"> {
  beside: readonly Judged[];
  request: Asked["request"];
  forms: Forms | undefined;
}

/** Whether the call failed. A number alone may be the service's own code of success. */
function saysFailed(unproven: readonly Judged[]): boolean {
  const failures = unproven.filter(({ meaning }) => meaning === "failure");
  const isExplained = unproven.some(
    (field) => isNamed(nameOf(field), "message") && isText(field.value) && !isSuccessValue(field.value),
  );
  return failures.some(({ value }) => isExplained || !/^-?\d+$/.test(String(value)));
}

/**
 * The one array or map of voices, or the one empty array or map. Undefined if there is neither. Throws if several may
 * be meant.
 */
function listIn(json: object, forms: Forms | undefined): VoiceList | undefined {
  const fields = Array.isArray(json) ? [{ path: [], value: json }] : fieldsIn(json);
  const lists = fields.flatMap(({ path, value }) =>
    isListOfVoices(value, forms) ? [{ path, ...rowsIn(value, forms) }] : [],
  );
  const empties = fields.filter(({ path, value }) => isEmptyList(value) && !path.some(isAside));
  const usualEmpty = empties.find(({ path }) => isUsualName(path));
  if (lists.length === 0) {
    // An empty object at the top may be an envelope.
    const others = empties.filter(({ path, value }) => path.length > 1 || Array.isArray(value));
    const path = (usualEmpty ?? (others.length === 1 ? others[0] : undefined))?.path;
    return path && { path, rows: [], nameless: 0 };
  }
  const isCloned = ({ voice }: VoiceRow) => hasClonedShape(voice);
  // Names of the contract's shape distinguish cloned voices from other objects that have a `voice`.
  const [list, second] = lists.length === 1 ? lists : lists.filter(({ rows }) => rows.every(isCloned));
  const places = [...lists, ...(usualEmpty ? [usualEmpty] : [])].map(({ path }) => shownPath(path));
  if (list === undefined || second !== undefined || (usualEmpty && !isUsualName(list.path)))
    throw new FormProblem(`one list of voices, but there are ${places.join(" and ")}`);
  if (!isUsualName(list.path) && !list.rows.some(isCloned)) throw new FormProblem(expected);
  return list;
}

const isUsualName = (path: Path) => /^voice(list|s)$/.test(plain(path.at(-1) ?? ""));
const isEmptyList = (value: unknown) => typeof value === "object" && value !== null && isEmpty(value);

/** The voices at the path of the setting `forms.voices`. Undefined if nothing is there. */
function statedList(json: object, forms: Forms): VoiceList | undefined {
  const path = pathOf(forms, "voices") ?? [];
  const found = read(json, "voices", forms).map(({ value }) => value);
  return found.length === 0 ? undefined : { path, ...statedRows(found, path, forms) };
}

/**
 * The path of the voices on an earlier page, if this page has an empty list there. An empty list elsewhere proves
 * nothing.
 */
function emptyPlace(json: object, known: Path): Path | undefined {
  return valuesAt(json, known).some(({ value }) => isEmpty(value)) ? known : undefined;
}

function totalIn(json: object, forms: Forms | undefined): number | undefined {
  const totals = read(json, "total", forms).filter(
    ({ path, value }) => /^\d{1,9}$/.test(String(value)) && (forms?.total !== undefined || !path.some(isAside)),
  );
  return totals.length === 0 ? undefined : Math.max(...totals.map(({ value }) => Number(value)));
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
