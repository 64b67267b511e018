import { isRecord } from "../../rules/values";
import { visible } from "../../rules/visible";
import type { HttpResponse } from "../http";
import { fieldsIn, isNumber, isText, type Path, shownPath } from "./forms";
import { longestPage, mostNames, mostOfCopy, mostOfText, mostShown } from "./json";
import { isEmpty } from "./meaning";

/** The parts of a response that people see: the request id, the names of the fields, and a shortened copy. */

const idNames = ["requestid", "traceid", "xrequestid"];

/** The id of the request, from the body or a header. Of several ids, the first. */
export function requestIdOf(response: HttpResponse, json: unknown): string | undefined {
  const named = idNames.flatMap((name) => fieldsIn(json, name)).find(({ value }) => isText(value) || isNumber(value));
  if (named !== undefined) return String(named.value).trim();
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

/**
 * The names of a response's fields, without any value: `output{voice_list[voice, target_model]}, request_id`. Omits the
 * names inside nested envelopes, because the caller may have chosen them (e.g. the ids of questions).
 */
export function describeShape(json: unknown): string {
  if (Array.isArray(json)) return `a list${rowShape(json)}`;
  if (!isRecord(json)) return json === undefined ? "no JSON" : `a value of the type ${typeof json}`;
  return namesOf(json, true) || "no fields";
}

function namesOf(fields: Record<string, unknown>, opens: boolean): string {
  const entries = Object.entries(fields);
  const names = entries.slice(0, mostNames).map(([name, value]) => {
    const written = shownPath([name]);
    if (opens && isRecord(value) && isEnvelope(name, value)) return `${written}{${namesOf(value, false)}}`;
    return Array.isArray(value) ? `${written}${rowShape(value)}` : written;
  });
  return [...names, ...(entries.length > mostNames ? ["…"] : [])].join(", ");
}

/** Whether the object only wraps fields. False for a map of answers or voices, whose keys are values. */
function isEnvelope(name: string, value: Record<string, unknown>): boolean {
  const isFieldName = (key: string) => /^[A-Za-z][A-Za-z]*([_-][A-Za-z]+){0,4}$/.test(key) && key.length <= 40;
  return name !== "answers" && Object.keys(value).length <= mostNames && Object.keys(value).every(isFieldName);
}

/** The names of the first row's fields. The other rows are expected to have the same fields. */
function rowShape(rows: unknown[]): string {
  const [first] = rows;
  return isRecord(first) ? `[${namesOf(first, false)}]` : "[]";
}

/**
 * Copies a response for a message or a state. `shown` converts each text; by default it escapes misleading characters.
 * `missing`: the paths of values that are too large. Of a text that is too large, the copy has the first 100
 * characters.
 */
export function shortenedCopy(
  json: unknown,
  shown: (text: string) => string = visible,
): { copy: unknown; missing: string[] } {
  let room = mostOfCopy;
  const missing: string[] = [];
  const copy = (value: unknown, path: Path): unknown => {
    if (room <= 0) return void missing.push(shownPath(path));
    if (typeof value === "string") {
      room -= value.length;
      if (room >= 0) return shown(value);
      missing.push(shownPath(path));
      return `${shown(value.slice(0, mostOfText))} …`;
    }
    room -= 8;
    if (Array.isArray(value)) return value.map((each, index) => copy(each, [...path, String(index)]) ?? null);
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([name, each]) => [shown(name), copy(each, [...path, name])] as const);
    return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
  };
  return { copy: copy(json, []), missing: missing.slice(0, mostNames) };
}

export const noReason = "the service gave no reason";

/** A response that is not understood, shortened for a message. `describeFailure` removes secrets from it later. */
export function describeBody({ body }: Pick<HttpResponse, "body">, json: unknown): string {
  if (body.trim() === "" || json === null) return noReason;
  if (json !== undefined) {
    // Shorten each text before the whole: a single long text must not push a code out of the message.
    const words = JSON.stringify(withoutEmpty(shortenedCopy(json, (text) => start(text, mostOfText)).copy) ?? {});
    return words === "{}" ? noReason : `${noReason}: ${start(words, mostShown)}`;
  }
  const gateway = "the response comes from a gateway and not from the service";
  const texts = body.slice(0, longestPage).replace(/<(script|style)(?:(?!<\1)[^])*?<\/\1>|<[^<>]*>/gi, " ");
  const words = start(texts.replace(/\s+/g, " ").trim(), mostShown / 2);
  return words === "" ? gateway : `${gateway}: ${words}`;
}

/** Omits empty fields, and fields that the message shows elsewhere. */
function withoutEmpty(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const isShownElsewhere = (name: string) => /^(request_id|task_id|task_status|usage)$/.test(name);
  const fields = Object.entries(value).map(([name, each]) => [name, withoutEmpty(each)] as const);
  return Object.fromEntries(fields.filter(([name, each]) => !isShownElsewhere(name) && !isEmpty(each)));
}

function start(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)} …`;
}
