import { isRecord } from "../rules/is-record";
import { visible } from "../rules/visible";
import type { HttpResponse } from "./http";
import { isText, placesOf, plain } from "./structure/fields";

export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** An object or a list may also come as a JSON text. */
export const opened = (value: unknown) => (isText(value) && /^\s*[[{]/.test(value) ? parseJson(value) : value);

const idNames = ["requestid", "traceid", "xrequestid"];

/** The id of the request, from the body or a header. Two that differ are no reason to lose the response. */
export function requestIdOf(response: HttpResponse, json: unknown): string | undefined {
  for (const wanted of idNames) {
    for (const { record } of placesOf(json)) {
      if (wanted === idNames[0] && isText(record.request_id)) return record.request_id.trim();
      for (const name in record) {
        const value = record[name];
        if (plain(name) === wanted && (isText(value) || typeof value === "number")) return String(value).trim();
      }
    }
  }
  const names = Object.keys(response.headers).filter((name) => /(request|trace)-?id$/i.test(name));
  return ["x-request-id", ...names]
    .map((name) => headerOf(response, name))
    .find(isText)
    ?.trim();
}

export function headerOf(response: HttpResponse, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

const mostNames = 20;

/**
 * The names of the fields in a response, never a value: `output{voice_list[voice, target_model]}, request_id`. It
 * names what is in one envelope, and stops there, because deeper names may be the caller's own, such as question ids.
 */
export function describeShape(json: unknown): string {
  if (Array.isArray(json)) return `a list${rowShape(json)}`;
  if (!isRecord(json)) return json === undefined ? "no JSON" : `a value of the type ${typeof json}`;
  return namesOf(json, true) || "no fields";
}

function namesOf(fields: Record<string, unknown>, opens: boolean): string {
  const entries = Object.entries(fields);
  const names = entries.slice(0, mostNames).map(([name, value]) => {
    const written = visible(name.slice(0, 40));
    if (opens && isRecord(value) && isEnvelope(name, value)) return `${written}{${namesOf(value, false)}}`;
    return Array.isArray(value) ? `${written}${rowShape(value)}` : written;
  });
  return [...names, ...(entries.length > mostNames ? ["…"] : [])].join(", ");
}

/** A map of answers or of voices has keys that are values. */
function isEnvelope(name: string, value: Record<string, unknown>): boolean {
  const isFieldName = (key: string) => /^[A-Za-z][A-Za-z]*([_-][A-Za-z]+){0,4}$/.test(key) && key.length <= 40;
  return name !== "answers" && Object.keys(value).length <= mostNames && Object.keys(value).every(isFieldName);
}

/** The fields of the first row, because the rows of a list are alike. */
function rowShape(rows: unknown[]): string {
  const [first] = rows;
  return isRecord(first) ? `[${namesOf(first, false)}]` : "[]";
}

const mostNodes = 1000;
const deepest = 8;

/** A copy of a response, and not more of it than a state may hold. `shown` gets each text, and the name of its field. */
export function shownCopy(json: unknown, shown: (text: string, name?: string) => string): unknown {
  let nodes = 0;
  const copy = (value: unknown, depth: number, name?: string): unknown => {
    if (typeof value === "string") return shown(value, name);
    if (typeof value !== "object" || value === null) return value;
    if (depth > deepest || ++nodes > mostNodes) return "…";
    if (Array.isArray(value)) return value.slice(0, mostNodes).map((each) => copy(each, depth + 1));
    if (!isRecord(value)) return undefined;
    const entries = Object.entries(value).slice(0, mostNodes);
    return Object.fromEntries(entries.map(([key, each]) => [shown(key), copy(each, depth + 1, key)]));
  };
  return copy(json, 0);
}
