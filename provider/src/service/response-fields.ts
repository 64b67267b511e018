import { isRecord } from "../rules/is-record";
import { visible } from "../rules/visible";
import type { HttpResponse } from "./http";

/** The body as JSON; undefined when it is not JSON. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** All fields at one level. The service may nest them in `output{…}` and `usage{…}`, or put them at the top. */
export function flattenFields(json: unknown): Record<string, unknown> {
  if (!isRecord(json)) return {};
  return { ...json, ...(isRecord(json.usage) && json.usage), ...(isRecord(json.output) && json.output) };
}

/** The fields of an error: `{code, message}`, or `{error: {code, message}}` on the compatible interface. */
export function errorFields(json: unknown): Record<string, unknown> {
  const fields = flattenFields(json);
  return isRecord(fields.error) ? { ...fields, ...fields.error } : fields;
}

export function requestIdOf(response: HttpResponse, fields: Record<string, unknown>): string | undefined {
  const id = firstText(fields.request_id, headerOf(response, "x-request-id"));
  return id === undefined ? undefined : visible(id);
}

export function headerOf(response: HttpResponse, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The first value that is a text and not blank. */
export function firstText(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value.trim() !== "")?.trim();
}

const mostNames = 20;

/**
 * The names of the fields in a response, never a value: `output{voice_list[voice, target_model]}, request_id`. It
 * stops at the fields that the contract names, because deeper names may be the caller's own, such as question ids.
 */
export function describeShape(json: unknown): string {
  if (Array.isArray(json)) return `a list${rowShape(json)}`;
  if (!isRecord(json)) return json === undefined ? "no JSON" : `a value of the type ${typeof json}`;
  return namesOf(json, ["output", "usage", "error"]) || "no fields";
}

function namesOf(fields: Record<string, unknown>, opened: string[]): string {
  const names = Object.entries(fields).map(([name, value]) => {
    const written = visible(name.slice(0, 40));
    if (opened.includes(name) && isRecord(value)) return `${written}{${namesOf(value, [])}}`;
    return Array.isArray(value) ? `${written}${rowShape(value)}` : written;
  });
  return [...names.slice(0, mostNames), ...(names.length > mostNames ? ["…"] : [])].join(", ");
}

/** The fields of the first row, because the rows of a list are alike. */
function rowShape(rows: unknown[]): string {
  const [first] = rows;
  return isRecord(first) ? `[${namesOf(first, [])}]` : "[]";
}
