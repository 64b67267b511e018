import { isRecord } from "../../rules/values";
import type { Forms } from "../../rules/settings";
import { isSuccessValue } from "./codes";
import { type Field, fieldsIn, nameOf, objectOf, type Path, pathOf, valuesAt } from "./forms";
import { isNamed, plain } from "./names";

/*
 * The meanings of the fields that a response has beside its result. A delete is certain only if each field is in the
 * closed list of harmless fields (`isHarmless`) or reports success. Beside a list, only codes and marks of failure count.
 */

/**
 * `nothing`: the field is harmless. `failure`: the call failed. `more`: other pages follow. `part`: the result may be
 * incomplete. `unknown`: none of these.
 */
export type Meaning = "nothing" | "failure" | "more" | "part" | "unknown";

/** The innermost fields of a response. A list counts as one field. */
export function leavesOf(json: unknown, path: Path = []): Field[] {
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

/** Whether a field is one that the contract has beside each result. */
function isHarmless(field: Field): boolean {
  const { path, value } = field;
  const name = nameOf(field);
  if (isNamed(name, "requestId")) return true;
  // By the contract, `count` (the billed objects) is always 0 for calls that are free.
  return (plain(name) === "count" || path.slice(0, -1).some((each) => plain(each) === "usage")) && isNo(value);
}

/** The meaning of a field, without regard to the fields around it. */
function meaningOf(field: Field, forms: Forms | undefined): Meaning {
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
  if (isNamed(name, "part")) return isNo(value) ? "nothing" : "part";
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return "unknown";
  if (forms?.error === `${path.join(".")}=${value}`) return "nothing";
  if (isNamed(name, "code")) return isSuccessValue(value) ? "nothing" : "failure";
  if (isNamed(name, "success")) {
    if (isYes(value)) return "nothing";
    return isNo(value) && !/deleted|removed/.test(plain(name)) ? "failure" : "unknown";
  }
  if (isHarmless(field)) return "nothing";
  if (isNamed(name, "state")) {
    if (isSuccessValue(value)) return "nothing";
    return failureWords.test(String(value).trim()) ? "failure" : "unknown";
  }
  return "unknown";
}

export type Judged = Field & { meaning: Meaning };

/** The fields with their meanings. A message is harmless if a field of the same object reports success. */
export function judged(leaves: readonly Field[], forms: Forms | undefined): Judged[] {
  const all = leaves.map((leaf) => ({ ...leaf, meaning: meaningOf(leaf, forms) }));
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
export function statedError(json: unknown, forms: Forms | undefined): Field | "success" | "silent" | undefined {
  const path = pathOf(forms, "error");
  if (path === undefined) return undefined;
  const fields = valuesAt(json, path);
  const success = /=(.*)$/s.exec(forms?.error ?? "")?.[1];
  if (success === undefined)
    return fields.find(({ value }) => !isEmpty(value) && !isNo(value) && !isSuccessValue(value)) ?? "silent";
  return fields.find(({ value }) => String(value) !== success) ?? (fields.length > 0 ? "success" : undefined);
}

/**
 * The field that reports a failed call. Objects that repeat the request are ignored. If the response has such a field
 * and a result, the result may belong to another call. A failed task is not a failed call: the task exists.
 */
export function failureIn(json: unknown, forms?: Forms): Field | undefined {
  if (fieldsIn(json, "taskstatus").some(({ value }) => /^failed$/i.test(String(value)))) return undefined;
  const stated = statedError(json, forms);
  if (stated !== undefined) return typeof stated === "string" ? undefined : stated;
  const leaves = leavesOf(json).filter(({ path }) => !path.some((name) => isNamed(name, "echo")));
  return judged(leaves, forms).find(({ meaning }) => meaning === "failure");
}
