import type { Forms } from "../../rules/forms";
import { isRecord } from "../../rules/is-record";
import { hasClonedShape } from "../../rules/naming";
import { boundedId, FormProblem, isText, pathOf, shownPath, type Path, valuesAt } from "./forms";
import { mostOfWord } from "./json";
import { isNo, isYes } from "./meaning";
import { plain } from "./names";

export interface VoiceRow {
  voice: string;
  target_model: unknown;
  gmt_create: unknown;
  /** The field by which the row says that the voice is deleted, failed or unusable, for example `status: DELETED`. */
  unusable?: string;
}

export interface Rows {
  rows: VoiceRow[];
  /** The number of entries that do not name a voice. */
  nameless: number;
}

/**
 * Whether a value holds voices. Used if `forms.voices` does not state their place. True for an array if at least one
 * entry names a voice, and for a map if all its keys look like names of cloned voices and all its values are objects.
 */
export function isListOfVoices(value: unknown, forms: Forms | undefined): value is object {
  if (Array.isArray(value)) return rowsIn(value, forms).rows.length > 0;
  const entries = isRecord(value) ? Object.entries(value) : [];
  return entries.length > 0 && entries.every(([key, entry]) => hasClonedShape(key) && isRecord(entry));
}

/**
 * Reads the rows of an array or map. A voice's name is in its entry, at the path `forms.voice` (default: the field
 * `voice`). In a map, it may be the key instead, if the key looks like the name of a cloned voice.
 *
 * If the setting `forms.voices` states the place, any key of the map and any text of the array may be a name. But if
 * `forms.voice` is set too, the keys are not used.
 */
export function rowsIn(value: object, forms: Forms | undefined): Rows {
  const isList = Array.isArray(value);
  const isStated = forms?.voices !== undefined;
  const isByKey = !isList && !(isStated && forms.voice !== undefined);
  const nameAt = (key: string, entry: unknown): unknown => {
    if (isByKey && hasClonedShape(key)) return key;
    const named = nameInRow(entry, forms);
    if (named !== undefined || !isStated) return named;
    return isList ? entry : isByKey && isRecord(entry) ? key : undefined;
  };
  const entries = Object.entries(value).filter(([, entry]) => isList || entry !== null) as [string, unknown][];
  const rows = entries.flatMap(([key, entry]) => rowFrom(nameAt(key, entry), entry));
  return { rows, nameless: entries.length - rows.length };
}

/** Reads the voices at the path `forms.voices`. The values there may be lists, maps or single rows. */
export function statedRows(found: readonly unknown[], path: Path, forms: Forms): Rows {
  const all = found.map((value): Rows => {
    if (value === null) return { rows: [], nameless: 0 };
    if (typeof value !== "object") throw new FormProblem(`a list or a map at ${shownPath(path)} (forms.voices)`);
    return isText(nameInRow(value, forms)) ? rowsIn([value], forms) : rowsIn(value, forms);
  });
  const rows = all.flatMap((each) => each.rows);
  const nameless = all.reduce((sum, each) => sum + each.nameless, 0);
  if (rows.length === 0 && nameless > 0) throw new FormProblem(`a voice's name in ${shownPath(path)} (forms.voice)`);
  return { rows, nameless };
}

/** The value at the path `forms.voice`, or by default in the field `voice`. */
function nameInRow(row: unknown, forms: Forms | undefined): unknown {
  const path = pathOf(forms, "voice");
  if (path !== undefined) return valuesAt(row, path)[0]?.value;
  return isRecord(row) ? own(row, "voice") : undefined;
}

function own(record: Record<string, unknown>, name: string): unknown {
  return Object.entries(record).find(([key]) => plain(key) === name)?.[1];
}

/** The row of a voice with this name. None if the name is not a text, or is the address of a sample. */
function rowFrom(voice: unknown, entry: unknown): VoiceRow[] {
  if (!isText(voice) || /^\s*((https?:)?\/\/|data:)/i.test(voice)) return [];
  const row = isRecord(entry) ? entry : {};
  const unusable = unusableIn(row);
  const fields = {
    voice: boundedId("voice", voice),
    target_model: own(row, "targetmodel"),
    gmt_create: own(row, "gmtcreate"),
  };
  return [{ ...fields, ...(unusable !== undefined && { unusable }) }];
}

const unusableWords = new RegExp(
  "\\b(delet|remov|purg|destroy|terminat|archiv|fail|err|invalid|expir|disabl|block|bann|froz|suspend|revok|reject|" +
    "unusable|unavail|undeploy|inactive)",
  "i",
);

/** The field by which a row says that its voice is unusable: services may keep rows of deleted and failed voices. */
function unusableIn(row: Record<string, unknown>): string | undefined {
  const word = Object.entries(row).find(([name, value]) => {
    const key = plain(name);
    if (/^(voice)?(status|state)$/.test(key)) return isText(value) && unusableWords.test(value);
    if (/^(is)?(deleted|removed|disabled|expired|blocked)$/.test(key)) return isYes(value);
    if (/^(is)?(usable|available|enabled|active)$/.test(key)) return value !== null && isNo(value);
    return /^(gmt)?(deleted?|removed)(at|time)$/.test(key) && isText(value);
  });
  // The text is only shown, so it may be shortened.
  return word && `${word[0]}: ${String(word[1])}`.slice(0, mostOfWord);
}
