import { isRecord } from "../../rules/is-record";
import type { Forms } from "../../rules/forms";
import { isSuccessValue } from "./codes";
import { type Found, type Path, pathOf, shownPath, valuesAt } from "./forms";
import { isEcho, isErrorName, plain } from "./names";

/*
 * What a field beside a result means. The closed list of fields that mean nothing is here: any other field may mean that
 * the call failed, so a response with such a field proves no absence.
 */

/** `more`: other pages follow. `part`: the result may lack something. `unknown`: the closed list does not have it. */
export type Meaning = "nothing" | "failure" | "more" | "part" | "unknown";

export interface Asked {
  /** The parameters of the request, which a response may repeat. */
  request?: Readonly<Record<string, unknown>> | undefined;
  forms?: Forms | undefined;
}

/** The fields of a response without objects around them. A list is one field. */
export function leavesOf(json: unknown, path: Path = []): Found[] {
  if (!isRecord(json)) return path.length === 0 && !Array.isArray(json) ? [] : [{ path, value: json }];
  const entries = Object.entries(json);
  if (entries.length === 0) return path.length === 0 ? [] : [{ path, value: json }];
  return entries.flatMap(([name, value]) => leavesOf(value, [...path, name]));
}

const codeNames = /^(code|(http|status|error|err|ret|return|result|sub|biz|fail|failure|fault)?(code|no)|ret|errorid)$/;
const messageNames = /^(error|err|status|ret|return|result)?(message|msg|description|desc|info)$|^(reason|detail)$/;
const stateNames = /^(status|state|result|outcome)$/;
const successNames = /^(is)?(success|successful|ok|succeeded|deleted|removed)$/;
const moreNames =
  /^(has(more|next)\w*|more|nextpage|(odata)?next(page|continuation)?(token|cursor|url|link|marker)?|cursor|continuationtoken|lastevaluatedkey)$/;
const wholeNames = /^(is)?(complete|last|lastpage|end|final)$/;
const partNames =
  /partial|incomplete|degraded|stale|truncated|timedout|warning|unreachable|unavailable|skipped|^failed|^missing/;
const pageNames =
  /^(page|current)?(page|pageindex|pagesize|pageno|pagenum|pagenumber|number|size|limit|offset|perpage)$/;
const totalNames =
  /^(totals?|total(count|num|number|voices|pages|elements|items|size|records|results)|voicecount|numberofelements|pages|pagecount|returned)$/;
const failureWords =
  /^(fail(ed|ure)?|error|reject(ed)?|denied|invalid|abort(ed)?|unavailable|time(d )?out|busy|throttled)$/i;

export const isMessageName = (name: string) => messageNames.test(plain(name));
export const isCodeName = (name: string) => codeNames.test(plain(name));
export const isNo = (value: unknown) => /^(false|0|no|none|null|off|n|n\/a|-)$/i.test(String(value).trim());
export const isYes = (value: unknown) => /^(true|1|yes|ok|success)$/i.test(String(value).trim());
export const isEmpty = (value: unknown) =>
  (value ?? "") === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** Whether the field is in the closed list, by its name and its value alone. */
function isHarmless(name: string, path: Path, value: unknown, request: Asked["request"] = {}): boolean {
  const text = String(value);
  if (/^(x?requestid|traceid)$/.test(name)) return typeof value !== "object";
  // In the contract, `count` is always 0 for calls that are free.
  if (name === "count" || path.slice(0, -1).some((each) => plain(each) === "usage")) return isNo(value);
  if (/^(latency|took|elapsed|duration)(ms|millis|seconds)?$/.test(name)) return /^\d+(\.\d+)?$/.test(text);
  if (/^(first|empty)$/.test(name)) return isYes(value);
  if (Object.entries(request).some(([asked, given]) => plain(asked) === name && String(given) === text)) return true;
  if (!/^\d{1,9}$/.test(text)) return false;
  if (totalNames.test(name)) return true;
  if (!pageNames.test(name)) return false;
  const [index, size] = [Number(request.page_index ?? 0), Number(request.page_size ?? 0)];
  // Another page proves nothing about the list.
  return /size|limit|perpage/.test(name) ? value !== 0 : [0, 1, index, index + 1, index * size].includes(Number(text));
}

/** What a leaf means by itself. */
function meaningOf({ path, value }: Found, { request, forms }: Asked): Meaning {
  const name = plain(path.at(-1) ?? "");
  if (forms?.ignore?.some((each) => path.some((step) => plain(step) === plain(each)))) return "nothing";
  // An empty mark of success does not show that anything was done.
  if (isEmpty(value)) return successNames.test(name) ? "unknown" : "nothing";
  if (path.some(isErrorName)) {
    // `error: true` is a failure, and `error: { code: 0, message: "success" }` is none.
    const saysSuccess = value !== true && (typeof value === "string" || codeNames.test(name)) && isSuccessValue(value);
    return (typeof value !== "object" && isNo(value)) || saysSuccess ? "nothing" : "failure";
  }
  if (moreNames.test(name) && typeof value !== "object") return isNo(value) ? "nothing" : "more";
  if (wholeNames.test(name)) return isNo(value) ? "more" : isYes(value) ? "nothing" : "unknown";
  if (partNames.test(name)) return isNo(value) ? "nothing" : "part";
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return "unknown";
  if (codeNames.test(name)) return isSuccessValue(value) ? "nothing" : "failure";
  if (successNames.test(name))
    return isYes(value) ? "nothing" : /deleted|removed/.test(name) ? "unknown" : isNo(value) ? "failure" : "unknown";
  if (isHarmless(name, path, value, request)) return "nothing";
  if (stateNames.test(name))
    return isSuccessValue(value) ? "nothing" : failureWords.test(String(value).trim()) ? "failure" : "unknown";
  return "unknown";
}

export type Judged = Found & { meaning: Meaning };

/** The leaves with their meanings. A message means nothing beside a mark of success in the same object. */
export function judged(leaves: readonly Found[], asked: Asked): Judged[] {
  const placeOf = ({ path }: Found) => JSON.stringify(path.slice(0, -1));
  const isMark = ({ path, value }: Found) => {
    const name = plain(path.at(-1) ?? "");
    return !isEmpty(value) && (codeNames.test(name) || successNames.test(name) || stateNames.test(name));
  };
  const all = leaves.map((leaf) => ({ ...leaf, meaning: meaningOf(leaf, asked) }));
  const marked = new Set(all.flatMap((leaf) => (leaf.meaning === "nothing" && isMark(leaf) ? [placeOf(leaf)] : [])));
  return all.map((leaf) =>
    leaf.meaning === "unknown" && isMessageName(leaf.path.at(-1) ?? "") && marked.has(placeOf(leaf))
      ? { ...leaf, meaning: "nothing" }
      : leaf,
  );
}

/**
 * What the setting `forms.error` says of the call: the field that reports a failure, `success` if its value of success
 * stands there, or `silent` if a field that only failures have is not there. Undefined: it is not set, or its code is not
 * there, so that the response is read as without it.
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
 * The field that reports a failed call, outside what repeats the request. A failed task exists, and is a result.
 */
export function failureIn(json: unknown, forms?: Forms): Found | undefined {
  const stated = statedError(json, forms);
  if (stated !== undefined) return typeof stated === "string" ? undefined : stated;
  const leaves = leavesOf(json).filter(({ path }) => !path.some(isEcho));
  return judged(leaves, { forms }).find(({ meaning }) => meaning === "failure");
}

/** Why a response does not prove an absence: the fields that are not in the closed list. */
export function unprovenBy(leaves: readonly Judged[]): string | undefined {
  if (leaves.length === 0) return undefined;
  const names = leaves.slice(0, 5).map(({ path }) => shownPath(path));
  return `the meaning of ${names.join(", ")}${leaves.length > 5 ? ", …" : ""} is not known`;
}
