import type { Forms } from "../../rules/settings";
import { isRecord } from "../../rules/values";
import { describeShape } from "./describe";
import {
  boundedId,
  type Field,
  fieldsIn,
  FormProblem,
  isInside,
  isText,
  nameOf,
  objectOf,
  type Path,
  pathOf,
  read,
  severalProblem,
  shownPath,
  valuesAt,
} from "./forms";
import { judged, type Judged, leavesOf, statedError } from "./meaning";
import { isNamed, plain } from "./names";
import { isRefusal } from "./error";
import { hasClonedShape } from "../../rules/naming";

export interface VoiceRow {
  voice: string;
  target_model: unknown;
  gmt_create: unknown;
}

export interface VoicePage {
  rows: VoiceRow[];
  /** The path of the list of voices, which may be empty. Undefined if the response has none. */
  place: Path | undefined;
  /** The number of voices that the response states. It may count only the voices of this page. */
  total: number | undefined;
  /** The path of the field that says that more voices follow. */
  more: Path | undefined;
  /** Why there may be voices that `rows` lacks. Undefined if the response is understood completely. */
  doubt: string | undefined;
  /** The fields that would make an empty list doubtful. */
  unproven: Judged[];
}

interface VoiceList {
  rows: VoiceRow[];
  /** The number of entries that do not name a voice. */
  nameless: number;
  path: Path;
  isNull: boolean;
}

/** The names of the list of voices in the forms that are read without the setting `forms.voices`. */
const listNames = ["voicelist", "voices"];
const expected = "the listed voices in voice_list or voices, or at the path in forms.voices";

/**
 * Reads a response to a list call. Throws a {@link FormProblem} if the response is not understood: if another array may
 * hold voices, or if the first page has no voices and is not certainly an empty list of this service.
 */
export function readVoiceList(json: unknown, isFirst: boolean, forms?: Forms): VoicePage {
  const list = listIn(json, forms);
  const { rows = [], path: place } = list ?? {};
  const isBeside = ({ path }: Field) => place === undefined || !isInside(place.slice(0, path.length), path);
  const beside = judged(leavesOf(json).filter(isBeside), forms);
  const other = beside.find(({ value, meaning }) => meaning === "unknown" && isArrayOfObjects(value));
  if (other && forms?.voices === undefined)
    throw severalProblem("array of objects", ...(place ? [place] : []), other.path);
  const stated = statedError(json, forms);
  const marks = beside.filter((field) => isMark(field) && !field.path.some((name) => isNamed(name, "echo")));
  // If the response shows no failure by the setting `forms.error`, the other fields raise no doubt.
  const unproven = typeof stated === "string" ? [] : marks;
  const failing = typeof stated === "object" ? stated : unproven.find(({ meaning }) => /failure|part/.test(meaning));
  const total = totalIn(json, place, forms);
  if (rows.length === 0) {
    if (isRefusal(json, "", forms)) throw new FormProblem(expected);
    if (isFirst && (failing || (list === undefined && total !== 0))) throw new FormProblem(expected);
    if (isFirst && total !== undefined && total > 0) throw new FormProblem(`as many voices as its total (${total})`);
  }
  return {
    ...{ rows, place, total, unproven },
    more: marks.find(({ meaning }) => meaning === "more")?.path,
    doubt: failing
      ? `${shownPath(failing.path)} may mean a failure`
      : list
        ? doubtIn(list, isFirst, unproven[0])
        : `the response has no list of voices (its fields: ${describeShape(json)})`,
  };
}

const isArrayOfObjects = (value: unknown) => Array.isArray(value) && value.some(isRecord);

/** Whether a field may report a failure: the value of a field such as `status` may be in any language. */
const isMark = (field: Judged) =>
  field.meaning === "unknown" ? isNamed(nameOf(field), "success", "state", "message") : field.meaning !== "nothing";

/** Why a list may lack voices. Undefined if it is complete. */
function doubtIn({ rows, path, nameless, isNull }: VoiceList, isFirst: boolean, mark?: Judged): string | undefined {
  // Some services have `null` on a page after the last one.
  if (isNull && isFirst) return `${shownPath(path)} is null`;
  if (rows.length === 0 && mark) return `the meaning of ${shownPath(mark.path)} is not known`;
  if (nameless > 0) return `an entry of ${shownPath(path)} does not name a voice`;
  const isTwice = new Set(rows.map(({ voice }) => voice)).size < rows.length;
  return isTwice ? `${shownPath(path)} lists a voice twice` : undefined;
}

/** The list or map of voices: at the path `forms.voices`, or under a usual name. Undefined if there is none. */
function listIn(json: unknown, forms: Forms | undefined): VoiceList | undefined {
  const stated = pathOf(forms, "voices");
  const lists = stated ? valuesAt(json, stated) : fieldsIn(json, ...listNames);
  const solid = lists.filter(({ value }) => value !== null);
  const [first, second] = solid.length > 0 ? solid : lists;
  if (first === undefined) return undefined;
  if (second && !stated) throw severalProblem("list of voices", first.path, second.path);
  const values = solid.map(({ value }) => value);
  return { path: first.path, isNull: solid.length === 0, ...rowsAt(first.path, values, forms) };
}

/** The total beside the list or at the top level. Elsewhere it may count other things, e.g. in an object `quota`. */
function totalIn(json: unknown, place: Path | undefined, forms: Forms | undefined): number | undefined {
  const isOfList = ({ path }: Field) =>
    forms?.total !== undefined ||
    path.length === 1 ||
    place === undefined ||
    objectOf({ path }) === objectOf({ path: place });
  const totals = read(json, "total", forms).filter((field) => /^\d{1,9}$/.test(String(field.value)) && isOfList(field));
  return totals.length === 0 ? undefined : Math.max(...totals.map(({ value }) => Number(value)));
}

/**
 * Reads the rows of the lists and maps at a path. A voice's name is in its row, at the path `forms.voice` (default: the
 * field `voice`). In a map, it may be the key instead, if the key looks like the name of a cloned voice, unless both
 * `forms.voices` and `forms.voice` are set.
 */
function rowsAt(
  path: Path,
  values: readonly unknown[],
  forms: Forms | undefined,
): Pick<VoiceList, "rows" | "nameless"> {
  const isByKey = forms?.voices === undefined || forms.voice === undefined;
  const entries = values.flatMap((value): [key: string | undefined, entry: unknown][] => {
    if (typeof value !== "object" || value === null) throw new FormProblem(`a list or a map at ${shownPath(path)}`);
    if (Array.isArray(value)) return value.map((entry: unknown) => [undefined, entry]);
    return Object.entries(value).filter(([, entry]) => entry !== null);
  });
  const rows = entries.flatMap(([key, entry]) =>
    rowFrom(isByKey && key !== undefined && hasClonedShape(key) ? key : nameInRow(entry, forms), entry),
  );
  if (rows.length === 0 && entries.length > 0) throw new FormProblem(`a voice's name in ${shownPath(path)}`);
  return { rows, nameless: entries.length - rows.length };
}

/** The value at the path `forms.voice`, or by default in the field `voice`. */
function nameInRow(row: unknown, forms: Forms | undefined): unknown {
  const path = pathOf(forms, "voice");
  if (path !== undefined) return valuesAt(row, path)[0]?.value;
  return isRecord(row) ? field(row, "voice") : undefined;
}

function field(record: Record<string, unknown>, name: string): unknown {
  return Object.entries(record).find(([key]) => plain(key) === name)?.[1];
}

/** The row of a voice with this name. None if the name is not a text, or is the address of a sample. */
function rowFrom(voice: unknown, entry: unknown): VoiceRow[] {
  if (!isText(voice) || /^\s*((https?:)?\/\/|data:)/i.test(voice)) return [];
  const row = isRecord(entry) ? entry : {};
  return [
    { voice: boundedId("voice", voice), target_model: field(row, "targetmodel"), gmt_create: field(row, "gmtcreate") },
  ];
}
