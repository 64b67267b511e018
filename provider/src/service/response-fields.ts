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
