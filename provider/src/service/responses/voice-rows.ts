import type { Forms } from "../../rules/forms";
import { isRecord } from "../../rules/is-record";
import { hasClonedShape } from "../../rules/naming";
import { boundedId, FormProblem, isText, pathOf, shownPath, type Path, valuesAt } from "./forms";
import { mostOfWord } from "./json";
import { isNo, isYes } from "./meaning";
import { plain } from "./names";

/** A listed voice. */
export interface VoiceRow {
  voice: string;
  target_model: unknown;
  gmt_create: unknown;
  /** The word by which the row says that the voice is deleted, failed or not usable: `status: DELETED`. */
  unusable?: string;
}

/** The rows of a list or a map of voices. */
export interface Rows {
  rows: VoiceRow[];
  /** The number of entries without a name. */
  nameless: number;
}

/**
 * Whether a value holds voices, if `forms.voices` does not say where they are: an array with at least one entry that
 * names a voice, or a map from names of cloned voices, and from nothing else, to objects.
 */
export function isListOfVoices(value: unknown, forms: Forms | undefined): value is object {
  if (Array.isArray(value)) return rowsIn(value, forms).rows.length > 0;
  const entries = isRecord(value) ? Object.entries(value) : [];
  return entries.length > 0 && entries.every(([key, entry]) => hasClonedShape(key) && isRecord(entry));
}

/**
 * The rows of an array or a map. The name of a voice is a key of a cloned shape, or in its entry: at `forms.voice`, by
 * default in the field `voice`. At a place that the setting names, each key of a map and each text of a list may be a
 * name. There, `forms.voice` takes precedence.
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

/** The voices at the path of the setting `forms.voices`: lists, maps, or a single row. */
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

/** The text at the path of the setting, or in the field `voice`. */
function nameInRow(row: unknown, forms: Forms | undefined): unknown {
  const path = pathOf(forms, "voice");
  if (path !== undefined) return valuesAt(row, path)[0]?.value;
  return isRecord(row) ? own(row, "voice") : undefined;
}

/** A field of the object, by its plain name. */
function own(record: Record<string, unknown>, name: string): unknown {
  return Object.entries(record).find(([key]) => plain(key) === name)?.[1];
}

/** The row of a named voice. None if the name is no text, or the address of a sample. */
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
  const word = Object.entries(row).find(([name, value]) => {
    const key = plain(name);
    if (/^(voice)?(status|state)$/.test(key)) return isText(value) && unusableWords.test(value);
    if (/^(is)?(deleted|removed|disabled|expired|blocked)$/.test(key)) return isYes(value);
    if (/^(is)?(usable|available|enabled|active)$/.test(key)) return value !== null && isNo(value);
    return /^(gmt)?(deleted?|removed)(at|time)$/.test(key) && isText(value);
  });
  // Only shown, so it may be cut.
  return word && `${word[0]}: ${String(word[1])}`.slice(0, mostOfWord);
}
