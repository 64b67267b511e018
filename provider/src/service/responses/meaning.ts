import { isRecord } from "../../rules/is-record";
import type { Forms } from "../../rules/forms";
import { isSuccessValue } from "./codes";
import { fieldsIn, type Found, isTotalName, nameOf, objectOf, type Path, pathOf, shownPath, valuesAt } from "./forms";
import { isNamed, plain } from "./names";

/*
 * What a field beside a result means. The closed list of fields that mean nothing is here: any other field may mean that
 * the call failed, so a response with such a field proves no absence.
 */

/**
 * `more`: other pages follow. `part`: the result may lack something. `unknown`: the field is not in the closed list.
 */
export type Meaning = "nothing" | "failure" | "more" | "part" | "unknown";

export interface Asked {
  /** The parameters of the request, which a response may repeat. */
  request?: Readonly<Record<string, unknown>> | undefined;
  forms?: Forms | undefined;
}

/** The innermost fields of a response. A list is one field. */
export function leavesOf(json: unknown, path: Path = []): Found[] {
  if (!isRecord(json)) return path.length === 0 && !Array.isArray(json) ? [] : [{ path, value: json }];
  const entries = Object.entries(json);
  if (entries.length === 0) return path.length === 0 ? [] : [{ path, value: json }];
  return entries.flatMap(([name, value]) => leavesOf(value, [...path, name]));
}

export const isNo = (value: unknown) => /^(false|0|no|none|null|off|n|n\/a|-)$/i.test(String(value).trim());
export const isYes = (value: unknown) => /^(true|1|yes|ok|success)$/i.test(String(value).trim());
export const isEmpty = (value: unknown) =>
  (value ?? "") === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

const failureWords =
  /^(fail(ed|ure)?|error|reject(ed)?|denied|invalid|abort(ed)?|unavailable|time(d )?out|busy|throttled)$/i;

/** Whether the field is in the closed list, by its name and its value alone. */
function isHarmless(field: Found, request: Asked["request"] = {}): boolean {
  const { path, value } = field;
  const name = nameOf(field);
  const text = String(value);
  if (isNamed(name, "requestId")) return true;
  // In the contract, `count` is always 0 for calls that are free.
  if (plain(name) === "count" || path.slice(0, -1).some((each) => plain(each) === "usage")) return isNo(value);
  if (isNamed(name, "only")) return isYes(value);
  if (isNamed(name, "duration")) return /^\d+(\.\d+)?$/.test(text);
  if (Object.entries(request).some(([asked, given]) => plain(asked) === plain(name) && String(given) === text))
    return true;
  if (!/^\d{1,9}$/.test(text)) return false;
  // The number of another page proves nothing about the list.
  const [index, size] = [Number(request.page_index ?? 0), Number(request.page_size ?? 0)];
  if (isNamed(name, "pageNumber")) return [0, 1, index, index + 1, index * size].includes(Number(text));
  return isNamed(name, "pageSize") ? Number(text) !== 0 : isNamed(name, "otherTotal") || isTotalName(name);
}

/** What a field means by itself. */
function meaningOf(field: Found, { request, forms }: Asked): Meaning {
  const { path, value } = field;
  const name = nameOf(field);
  if (forms?.ignore?.some((each) => path.some((step) => plain(step) === plain(each)))) return "nothing";
  // An empty mark of success does not show that anything was done.
  if (isEmpty(value)) return isNamed(name, "success") ? "unknown" : "nothing";
  if (path.some((step) => isNamed(step, "error"))) {
    // `error: true` is a failure, and `error: { code: 0, message: "success" }` is none.
    const isMark = value !== true && (typeof value === "string" || isNamed(name, "code")) && isSuccessValue(value);
    return (typeof value !== "object" && isNo(value)) || isMark ? "nothing" : "failure";
  }
  if (isNamed(name, "more") && typeof value !== "object") return isNo(value) ? "nothing" : "more";
  if (isNamed(name, "whole")) return isNo(value) ? "more" : isYes(value) ? "nothing" : "unknown";
  if (isNamed(name, "part")) return isNo(value) ? "nothing" : "part";
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return "unknown";
  if (forms?.error === `${path.join(".")}=${value}`) return "nothing";
  if (isNamed(name, "code")) return isSuccessValue(value) ? "nothing" : "failure";
  if (isNamed(name, "success")) {
    if (isYes(value)) return "nothing";
    return isNo(value) && !/deleted|removed/.test(plain(name)) ? "failure" : "unknown";
  }
  if (isHarmless(field, request)) return "nothing";
  if (isNamed(name, "state")) {
    if (isSuccessValue(value)) return "nothing";
    return failureWords.test(String(value).trim()) ? "failure" : "unknown";
  }
  return "unknown";
}

export type Judged = Found & { meaning: Meaning };

/** The fields with their meanings. A message means nothing beside a mark of success in the same object. */
export function judged(leaves: readonly Found[], asked: Asked): Judged[] {
  const all = leaves.map((leaf) => ({ ...leaf, meaning: meaningOf(leaf, asked) }));
  const isMark = (leaf: Judged) =>
    leaf.meaning === "nothing" && !isEmpty(leaf.value) && isNamed(nameOf(leaf), "code", "success", "state");
  const marked = new Set(all.filter(isMark).map(objectOf));
  return all.map((leaf) => {
    const isMessage = leaf.meaning === "unknown" && isNamed(nameOf(leaf), "message");
    return isMessage && marked.has(objectOf(leaf)) ? { ...leaf, meaning: "nothing" } : leaf;
  });
}

/**
 * The outcome of the call by the setting `forms.error`. A field: it reports a failure. `success`: the field has the
 * success value of the setting. `silent`: the setting names a field that only failures have, and the response lacks it.
 * Undefined: without the setting, or if the response lacks the code that the setting names. Then the response is read
 * as without the setting.
 */
export function statedError(json: unknown, forms: Forms | undefined): Found | "success" | "silent" | undefined {
  const path = pathOf(forms, "error");
  if (path === undefined) return undefined;
  const found = valuesAt(json, path);
  const success = /=(.*)$/s.exec(forms?.error ?? "")?.[1];
  if (success === undefined)
    return found.find(({ value }) => !isEmpty(value) && !isNo(value) && !isSuccessValue(value)) ?? "silent";
  return found.find(({ value }) => String(value) !== success) ?? (found.length > 0 ? "success" : undefined);
}

/**
 * The field that reports a failed call. Objects that repeat the request do not count. If there is a result too, it may
 * belong to another call. A failed task is no failed call: the task exists.
 */
export function failureIn(json: unknown, forms?: Forms): Found | undefined {
  if (fieldsIn(json, "taskstatus").some(({ value }) => /^failed$/i.test(String(value)))) return undefined;
  const stated = statedError(json, forms);
  if (stated !== undefined) return typeof stated === "string" ? undefined : stated;
  const leaves = leavesOf(json).filter(({ path }) => !path.some((name) => isNamed(name, "echo")));
  return judged(leaves, { forms }).find(({ meaning }) => meaning === "failure");
}

/** Why a response does not prove an absence: the fields that are not in the closed list. */
export function unprovenBy(leaves: readonly Judged[]): string | undefined {
  if (leaves.length === 0) return undefined;
  const names = leaves.slice(0, 5).map(({ path }) => shownPath(path));
  return `the meaning of ${names.join(", ")}${leaves.length > 5 ? ", …" : ""} is not known`;
}
