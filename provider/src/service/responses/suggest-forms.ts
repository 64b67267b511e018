import { isRecord } from "../../rules/is-record";
import type { Forms } from "../../rules/forms";
import { hasClonedShape } from "../../rules/naming";
import { isText, type Path } from "./fields";

const deepest = 6;

/**
 * The setting `forms` that can probably read a list that was not understood: the likeliest list or map of objects, and
 * the field that probably has the names of the voices.
 */
export function suggestForms(json: unknown): Forms | undefined {
  const found: { forms: Forms; rank: number }[] = [];
  const visit = (value: unknown, path: Path) => {
    if (typeof value !== "object" || value === null || path.length > deepest) return;
    const isList = Array.isArray(value);
    const entries = Object.entries(value) as [string, unknown][];
    const rows = entries.map(([, entry]) => entry).filter(isRecord);
    if (path.length > 0 && rows.length > 0 && rows.length === entries.length) {
      const voices = path.join(".");
      const named = nameFields(rows).map((voice) => ({ ...(voice !== "voice" && { voice }) }));
      for (const [index, name] of named.entries())
        found.push({ forms: { voices, ...name }, rank: index + (isList ? 0 : 1) });
      // The keys of a map may be the names.
      if (!isList && !rows.every((row) => isText(row.voice)))
        found.push({ forms: { voices }, rank: rows.every((row) => "target_model" in row) ? 0 : 3 });
    }
    for (const [name, each] of entries) visit(each, [...path, isList ? "*" : name]);
  };
  visit(json, []);
  return found.sort((one, other) => one.rank - other.rank)[0]?.forms;
}

/**
 * The fields that may name the rows: a text that differs in each row. Fields with names of cloned voices come first,
 * then `voice`.
 */
function nameFields(rows: Record<string, unknown>[]): string[] {
  const [first = {}] = rows;
  const fields = Object.keys(first).filter((name) => {
    const texts = rows.map((row) => row[name]);
    const isOther = name.includes(".") || /^(target_model|gmt_create)$/.test(name);
    return !isOther && texts.every(isText) && new Set(texts).size === rows.length;
  });
  const rank = (name: string) =>
    rows.every((row) => hasClonedShape(row[name] as string))
      ? 0
      : name === "voice"
        ? 1
        : /voice|name|id/i.test(name)
          ? 2
          : 3;
  return fields.sort((one, other) => rank(one) - rank(other));
}
