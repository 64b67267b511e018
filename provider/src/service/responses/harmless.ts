import { once } from "../../once";
import { isRecord } from "../../rules/is-record";
import { isSuccessWord } from "./error-fields";
import { type Path, plain } from "./fields";

/*
 * The only list of fields that can't mean a failed call. Any other field may, so a response
 * with such a field proves nothing.
 */

/** What a field means for the call. `more`: the response is incomplete. `suspect`: it may be incomplete. */
export type Meaning = "nothing" | "failure" | "more" | "suspect" | "unknown";

export interface Field {
  path: Path;
  value: unknown;
}

/** The fields of a response, each with its path. A list is one field. */
export function fieldsOf(json: unknown, path: Path = []): Field[] {
  if (!isRecord(json)) return path.length === 0 && !Array.isArray(json) ? [] : [{ path, value: json }];
  const entries = Object.entries(json);
  if (entries.length === 0) return path.length === 0 ? [] : [{ path, value: json }];
  return entries.flatMap(([name, value]) => fieldsOf(value, [...path, name]));
}

const anyOf = (...patterns: string[]) => new RegExp(`^(${patterns.join("|")})$`);

const codeNames = /^(code|(status|error|err|ret|return|result|sub|biz)?(code|no)|ret|errorid)$/;
const messageNames = /^((error|err|status|ret|return|result)?(message|msg|description|desc|info)|reason|detail)$/;
const stateNames = /^(status|state|result|outcome|type)$/;
const yesNames = /^(is)?(success|successful|ok)$/;
/** `deleted: false` is no failure for an object that was just made. */
const doneNames = /^(is)?(succeeded|deleted|removed)$/;
/** "Accepted" does not mean "done". */
const openWords = /^(accepted|created|normal|none|null)$/i;
const errorNames = /^(is|has)?(errors?|err|faults?|exceptions?|failures?|failed|problems?)$/;
const moreNames = anyOf(
  "has(more|next|nextpage)(items|results)?|more|nextpage|(is)?truncated",
  "(odata)?next(page|continuation)?(token|cursor|url|link|marker)?",
  "cursor|continuationtoken|lastevaluatedkey",
);
const suspectNames = anyOf(
  "(is)?(partial|incomplete|degraded|stale|warnings?|timedout|terminatedearly|unreachable)(results?|success|data|messages?)?",
  "(failed|missing|unreachable|unavailable|skipped)(regions?|zones?|shards?|partitions?|locations?)",
  "(last)?(error|err|exception)(message|msg|info|details?|count)|failed(count|num)",
);
const wholeNames = /^(is)?(complete|last|lastpage|end|final)$/;
const pagingNames =
  /^(page|current)?(page|pageindex|pagesize|pageno|pagenum|pagenumber|number|size|limit|offset|perpage)$/;
const failureWords = anyOf(
  "fail(ed|ure)?|error|reject(ed)?|denied|invalid|abort(ed)?|unavailable|time(d )?out|busy|throttled|overloaded",
  "degraded|partial|incomplete",
);

export const totalNames = anyOf(
  "totals?|total(count|num|number|voices|voicecount|items|size|elements|records|results|hits)",
  "recordstotal|numfound|voice(count|total)",
);

/** Fields that mean nothing with these values. In the contract, `count` is always 0 for calls that are free. */
const harmless: readonly (readonly [names: RegExp, values: RegExp])[] = [
  [/^requestid$/, /^/],
  [/^count$/, /^0$/],
  [totalNames, /^\d{1,9}$/],
  // The length of a list or the duration of the call, beside the total.
  [/^(numberofelements|pages|totalpages|pagecount|numpages|returned|size)$/, /^0$/],
  [/^(latency|took|elapsed|duration)(ms|millis|seconds)?$/, /^\d+(\.\d+)?$/],
  [/^(first|empty)$/, /^(true|1)$/],
  [/^object$/, /^list$/],
];

/** Whether a field is left empty. */
export const isEmpty = (value: unknown) =>
  (value ?? "") === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** `request`: the parameters of the request, which a response may repeat. */
export function meaningOf({ path, value }: Field, request: Readonly<Record<string, unknown>> = {}): Meaning {
  const name = plain(path.at(-1) ?? "");
  // An empty mark of success does not prove that anything was done.
  if (isEmpty(value)) return yesNames.test(name) || doneNames.test(name) ? "unknown" : "nothing";
  if (errorNames.test(name)) return isNo(value) ? "nothing" : "failure";
  if (path.some((each) => errorNames.test(plain(each))))
    return isNo(value) || (typeof value === "string" && isSuccessWord(value)) ? "nothing" : "failure";
  if (moreNames.test(name) && typeof value !== "object") return isNo(value) ? "nothing" : "more";
  if (wholeNames.test(name)) return isNo(value) ? "more" : isYes(value) ? "nothing" : "unknown";
  if (suspectNames.test(name)) return isNo(value) ? "nothing" : "suspect";
  if (yesNames.test(name)) return isNo(value) ? "failure" : isYes(value) ? "nothing" : "unknown";
  if (doneNames.test(name)) return isYes(value) ? "nothing" : "unknown";
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return "unknown";
  const text = String(value);
  if (harmless.some(([names, values]) => names.test(name) && values.test(text))) return "nothing";
  if (Object.entries(request).some(([asked, given]) => plain(asked) === name && String(given) === text))
    return "nothing";
  if (pagingNames.test(name) && /^\d{1,9}$/.test(text))
    return isPageOf(name, Number(text), request) ? "nothing" : "unknown";
  if (openWords.test(text.trim())) return "unknown";
  if (codeNames.test(name)) return isSuccessWord(text) ? "nothing" : "failure";
  if (messageNames.test(name)) return isSuccessWord(text) ? "nothing" : "unknown";
  if (stateNames.test(name))
    return isSuccessWord(text) ? "nothing" : failureWords.test(text.trim().toLowerCase()) ? "failure" : "unknown";
  return "unknown";
}

/** The fields that are not harmless and were never in lists with voices in them. */
export function doubtfulFields(
  fields: readonly Field[],
  request: Readonly<Record<string, unknown>>,
  wasSeen: (field: Field) => boolean = () => false,
): Field[] {
  const besides = groupsOf(fields);
  return fields.filter((field) => {
    const meaning = meaningAmong(field, besides, request);
    return meaning !== "nothing" && (meaning !== "unknown" || !wasSeen(field));
  });
}

/** Whether a field is the number or the name of an error, outside the description of one. */
export const isCodeField = ({ path }: Field) =>
  codeNames.test(plain(path.at(-1) ?? "")) && !path.some((each) => errorNames.test(plain(each)));

/** The fields that report a failed or partly failed call. */
export function failedFields(fields: readonly Field[]): Field[] {
  const besides = groupsOf(fields);
  return fields.filter((field) => meaningAmong(field, besides) === "failure");
}

/** The most fields beside a code that are compared with it. No response has as many. */
const mostBeside = 200;

const placeOf = ({ path }: Field) => JSON.stringify(path.slice(0, -1));

/**
 * The fields, grouped by the object that contains them. A hostile response may have a hundred thousand, each with a
 * code.
 */
const groupsOf = (fields: readonly Field[]) =>
  once(() => {
    const groups = new Map<string, Field[]>();
    for (const field of fields) {
      const place = placeOf(field);
      const group = groups.get(place);
      if (group) group.push(field);
      else groups.set(place, [field]);
    }
    return groups;
  });

/**
 * `code: 10000` beside `message: "Success"` is the service's own number for success. Other numbers beside it mean
 * nothing.
 */
function meaningAmong(
  field: Field,
  besides: ReturnType<typeof groupsOf>,
  request?: Readonly<Record<string, unknown>>,
): Meaning {
  const meaning = meaningOf(field, request);
  const { path, value } = field;
  const isNumber = codeNames.test(plain(path.at(-1) ?? "")) && /^\d+$/.test(String(value));
  if (meaning !== "failure" || !isNumber || /^[45]\d\d$/.test(String(value))) return meaning;
  const group = besides().get(placeOf(field)) ?? [];
  if (group.length > mostBeside) return "failure";
  const beside = group.filter((other) => other !== field);
  const isNamed = (names: RegExp) => (other: Field) => names.test(plain(other.path.at(-1) ?? ""));
  const messages = beside
    .filter(isNamed(messageNames))
    .flatMap(({ value: text }) => (typeof text === "string" ? text : []));
  const saysSuccess = messages.some((message) => message !== "" && isSuccessWord(message));
  if (!saysSuccess || beside.some(isNamed(codeNames))) return "failure";
  return /^[12]0{2,}$/.test(String(value)) ? "nothing" : "unknown";
}

/** Whether the field repeats the requested page or its size. Another page proves nothing about the list. */
function isPageOf(name: string, value: number, request: Readonly<Record<string, unknown>>): boolean {
  const [index, size] = [Number(request.page_index ?? 0), Number(request.page_size ?? 0)];
  if (/size|limit|perpage/.test(name)) return value > 0;
  return value <= 1 || value === index || value === index + 1 || value === index * size;
}

export const isNo = (value: unknown) => /^(false|0|no|none|null|off|n|n\/a|-)$/i.test(String(value).trim());
export const isYes = (value: unknown) => /^(true|1|yes|ok|success)$/i.test(String(value).trim());
