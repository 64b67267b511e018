import { isRecord } from "../../rules/is-record";
import type { Forms } from "../../rules/forms";
import { isSuccessValue } from "./codes";
import { fieldsIn, type Found, isTotalName, nameOf, objectOf, type Path, pathOf, shownPath, valuesAt } from "./forms";
import { isNamed, plain } from "./names";

/*
 * The meanings of the fields that a response has beside its result. The closed list of harmless fields is in this file.
 * Any other field may mean that the call failed, so a response with such a field does not prove that something is
 * absent.
 */

/**
 * `nothing`: the field is harmless. `failure`: the call failed. `more`: other pages follow. `part`: the result may be
 * incomplete. `unknown`: the field is not in the closed list.
 */
export type Meaning = "nothing" | "failure" | "more" | "part" | "unknown";

export interface Asked {
  /** The parameters of the request. A response may repeat them. */
  request?: Readonly<Record<string, unknown>> | undefined;
  forms?: Forms | undefined;
}

/** The innermost fields of a response. A list counts as one field. */
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

/** Whether the field is in the closed list of harmless fields, judged by its name and value. */
function isHarmless(field: Found, request: Asked["request"] = {}): boolean {
  const { path, value } = field;
  const name = nameOf(field);
  const text = String(value);
  if (isNamed(name, "requestId")) return true;
  // By the contract, `count` (the billed objects) is always 0 for calls that are free.
  if (plain(name) === "count" || path.slice(0, -1).some((each) => plain(each) === "usage")) return isNo(value);
  if (isNamed(name, "only")) return isYes(value);
  if (isNamed(name, "duration")) return /^\d+(\.\d+)?$/.test(text);
  if (Object.entries(request).some(([asked, given]) => plain(asked) === plain(name) && String(given) === text))
    return true;
  if (!/^\d{1,9}$/.test(text)) return false;
  // A page number or offset is harmless if it belongs to the requested page or to the first page.
  const [index, size] = [Number(request.page_index ?? 0), Number(request.page_size ?? 0)];
  if (isNamed(name, "pageNumber")) return [0, 1, index, index + 1, index * size].includes(Number(text));
  return isNamed(name, "pageSize") ? Number(text) !== 0 : isNamed(name, "otherTotal") || isTotalName(name);
}

/** The meaning of a field, without regard to the fields around it. */
function meaningOf(field: Found, { request, forms }: Asked): Meaning {
  const { path, value } = field;
  const name = nameOf(field);
  if (forms?.ignore?.some((each) => path.some((step) => plain(step) === plain(each)))) return "nothing";
  // An empty field such as `success: ""` does not show that the call succeeded.
  if (isEmpty(value)) return isNamed(name, "success") ? "unknown" : "nothing";
  if (path.some((step) => isNamed(step, "error"))) {
    // `error: true` means a failure. `error: { code: 0, message: "success" }` does not.
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

/** The fields with their meanings. A message is harmless if a field of the same object reports success. */
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
 * The outcome of the call according to the setting `forms.error`. A field: this field reports a failure. `success`: the
 * field has the success value that the setting states. `silent`: the setting names a field that only failures have, and
 * no such field reports a failure.
 *
 * Undefined: the setting is not set, or the response lacks the field whose success value it states. Then the response
 * is read as if there were no setting.
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
 * The field that reports a failed call. Objects that repeat the request are ignored. If the response has such a field
 * and a result, the result may belong to another call. A failed task is not a failed call: the task exists.
 */
export function failureIn(json: unknown, forms?: Forms): Found | undefined {
  if (fieldsIn(json, "taskstatus").some(({ value }) => /^failed$/i.test(String(value)))) return undefined;
  const stated = statedError(json, forms);
  if (stated !== undefined) return typeof stated === "string" ? undefined : stated;
  const leaves = leavesOf(json).filter(({ path }) => !path.some((name) => isNamed(name, "echo")));
  return judged(leaves, { forms }).find(({ meaning }) => meaning === "failure");
}

/** Why a response does not prove that something is absent: the `leaves` are fields of unknown meaning. */
export function unprovenBy(leaves: readonly Judged[]): string | undefined {
  if (leaves.length === 0) return undefined;
  const names = leaves.slice(0, 5).map(({ path }) => shownPath(path));
  return `the meaning of ${names.join(", ")}${leaves.length > 5 ? ", …" : ""} is not known`;
}
