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
  severalProblem,
  shownPath,
  valuesAt,
} from "./forms";
import { type Asked, isEmpty, judged, type Judged, leavesOf, statedError, unprovenBy } from "./meaning";
import { isAside, isNamed, plain } from "./names";
import { isRefusal } from "./refusal";
import { isListOfVoices, type Rows, rowsIn, statedRows, type VoiceRow } from "./voice-rows";

export interface VoicePage {
  rows: VoiceRow[];
  /** The path of the list of voices, which may be empty. Undefined if nothing shows where the list is. */
  place: Path | undefined;
  /** The number of voices that the response states. It may count only the voices of this page. */
  total: number | undefined;
  /** The path of the field that says that more voices follow. */
  more: Path | undefined;
  /** All texts except the names in `rows`, in lower case. They may name a voice that was not read. */
  texts: string;
  /** Why there may be voices that `rows` lacks. Undefined if the response is understood completely. */
  doubt: string | undefined;
  /** The fields because of which an empty list in this form would not prove that there are no voices. */
  unproven: Judged[];
}

interface ListContext extends Asked {
  /** The path of the voices on an earlier page. On a page after the last, the value there may be null. */
  known?: Path | undefined;
}

interface VoiceList extends Rows {
  path: Path;
}

const expected = "the listed voices";

/**
 * Reads a response to a list call. Throws a {@link FormProblem} if two places may hold the voices. Throws it too if
 * there are no voices, and nothing shows that the response is an empty list of this service.
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
  // If the response shows no failure by the setting `forms.error`, the other fields raise no doubt.
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

/** Why a list that has rows may lack voices. Undefined if it is complete. */
function doubtIn({ rows, path, nameless }: VoiceList, failing: Found | undefined): string | undefined {
  if (failing) return `${shownPath(failing.path)} may mean a failure`;
  if (nameless > 0) return `an entry of ${shownPath(path)} does not name a voice`;
  const isTwice = new Set(rows.map(({ voice }) => voice)).size < rows.length;
  return isTwice ? `${shownPath(path)} lists a voice twice` : undefined;
}

const mayMeanLoss = ({ path, meaning }: Judged) =>
  (meaning === "failure" || meaning === "part") && !path.some((name) => isNamed(name, "echo"));

/** Why voices may exist although the response has none. Throws if it reports a failure, or may hold them elsewhere. */
function doubtWithoutRows(
  json: object,
  { place, total, beside, unproven, request, forms }: WithoutRows,
): string | undefined {
  // On a later page, a possible failure only makes the list doubtful, so that a person is asked.
  const isFirst = Number(request?.page_index ?? 0) === 0;
  if (isRefusal(json, "", forms) || (isFirst && saysFailed(unproven))) throw new FormProblem(expected);
  if (isFirst && total !== undefined && total > 0) throw new FormProblem(`as many voices as its total (${total})`);
  const open = beside.filter(({ meaning }) => meaning !== "nothing");
  if (place === undefined) {
    // Every response about voices has a request id or a count. Any other response may come from another service.
    const isOurs = beside.some((field) => isNamed(nameOf(field), "requestId") || plain(nameOf(field)) === "count");
    // A field whose meaning is not known may hold the voices, unless the response states a total of 0.
    if (!isOurs || (open.length > 0 && total !== 0)) throw new FormProblem(expected);
    return `the response has no field with voices (its fields: ${describeShape(json)})`;
  }
  const isOtherList = open.some(({ meaning, value }) => meaning === "unknown" && Array.isArray(value));
  if (isOtherList && forms?.voices === undefined && !isUsualName(place)) throw new FormProblem(expected);
  return unprovenBy(unproven);
}

interface WithoutRows extends Asked, Pick<VoicePage, "place" | "total" | "unproven"> {
  beside: readonly Judged[];
}

/** Whether the call certainly failed. A number alone may be the service's own code of success. */
function saysFailed(unproven: readonly Judged[]): boolean {
  const failures = unproven.filter(({ meaning }) => meaning === "failure");
  const isExplained = unproven.some(
    (field) => isNamed(nameOf(field), "message") && isText(field.value) && !isSuccessValue(field.value),
  );
  return failures.some(({ value }) => isExplained || !/^-?\d+$/.test(String(value)));
}

/**
 * Finds the only list or map of voices, or else the only empty one. Undefined if there is none. If there are several
 * candidates, throws a {@link FormProblem}.
 */
function listIn(json: object, forms: Forms | undefined): VoiceList | undefined {
  const fields = Array.isArray(json) ? [{ path: [], value: json }] : fieldsIn(json);
  const lists = fields.flatMap(({ path, value }) =>
    isListOfVoices(value, forms) ? [{ path, ...rowsIn(value, forms) }] : [],
  );
  const empties = fields.filter(({ path, value }) => isEmptyList(value) && !path.some(isAside));
  const usualEmpty = empties.find(({ path }) => isUsualName(path));
  if (lists.length === 0) {
    // Ignore an empty object at the top level, because it may be an envelope.
    const others = empties.filter(({ path, value }) => path.length > 1 || Array.isArray(value));
    const path = (usualEmpty ?? (others.length === 1 ? others[0] : undefined))?.path;
    return path && { path, rows: [], nameless: 0 };
  }
  const isCloned = ({ voice }: VoiceRow) => hasClonedShape(voice);
  // Other objects may have a field `voice` too. Names that look like those of cloned voices show which list is meant.
  const [list, second] = lists.length === 1 ? lists : lists.filter(({ rows }) => rows.every(isCloned));
  const places = [...lists, ...(usualEmpty ? [usualEmpty] : [])].map(({ path }) => path);
  if (list === undefined || second !== undefined || (usualEmpty && !isUsualName(list.path)))
    throw severalProblem("list of voices", ...places);
  if (!isUsualName(list.path) && !list.rows.some(isCloned)) throw new FormProblem(expected);
  return list;
}

const isUsualName = (path: Path) => /^voice(list|s)$/.test(plain(path.at(-1) ?? ""));
const isEmptyList = (value: unknown) => typeof value === "object" && value !== null && isEmpty(value);

/** The voices at the path that the setting `forms.voices` states. Undefined if there is nothing at the path. */
function statedList(json: object, forms: Forms): VoiceList | undefined {
  const path = pathOf(forms, "voices") ?? [];
  const found = valuesAt(json, path).map(({ value }) => value);
  return found.length === 0 ? undefined : { path, ...statedRows(found, path, forms) };
}

/** The path of the voices on an earlier page. An empty list at another path proves nothing. */
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

/** Normalises a name, because a service may change its case or add white space. */
export const folded = (text: string) => text.trim().toLowerCase();

/** Whether the texts contain the name as a whole word. */
export function isNamedIn(texts: string, name: string): boolean {
  const wanted = folded(name);
  // Without this, the loop would not end for an empty name.
  if (wanted === "") return false;
  const isPart = (beside = " ") => /[\w-]/.test(beside);
  for (let start = texts.indexOf(wanted); start >= 0; start = texts.indexOf(wanted, start + 1))
    if (!isPart(texts[start - 1]) && !isPart(texts[start + wanted.length])) return true;
  return false;
}
