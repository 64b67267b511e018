import type { Forms } from "../../rules/settings";
import { isRecord } from "../../rules/values";
import { hasClonedShape } from "../../rules/naming";
import { boundedId, FormProblem, isText, pathOf, shownPath, type Path, valuesAt } from "./forms";
import { plain } from "./names";

export interface VoiceRow {
  voice: string;
  target_model: unknown;
  gmt_create: unknown;
}

export interface Rows {
  rows: VoiceRow[];
  /** The number of entries that do not name a voice. */
  nameless: number;
}

/**
 * Reads the rows of the lists and maps at a path. A voice's name is in its row, at the path `forms.voice` (default: the
 * field `voice`). In a map, it may be the key instead, if the key looks like the name of a cloned voice, unless both
 * `forms.voices` and `forms.voice` are set.
 */
export function rowsAt(path: Path, values: readonly unknown[], forms: Forms | undefined): Rows {
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
