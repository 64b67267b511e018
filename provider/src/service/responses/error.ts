import { codeMeaning, type InterfaceName, isKnownCode, isSuccessValue } from "./codes";
import { isNamed, plain } from "./names";
import { type Field, fieldsWhere, nameOf } from "./forms";
import { longestText, mostSearched } from "./json";
import {
  AuthenticationError,
  type CloudVoiceError,
  type ErrorFacts,
  NotFoundError,
  QuotaError,
  RateLimitError,
  RejectedError,
  ServiceError,
} from "../../errors";
import type { Forms } from "../../rules/settings";
import type { HttpResponse } from "../http";
import { hiddenReason } from "../redact";
import { parseRetryAfter } from "../retry";
import { describeBody, headerOf, requestIdOf } from "./describe";
import { statedError } from "./meaning";

interface ErrorFields {
  code?: string | undefined;
  message?: string | undefined;
}

/**
 * The code and the message of an error: `{code, message}`, at the top level or in one object of any name, e.g. in
 * `error`, where `type` may stand for the code. A field `error` may also be the message itself. The fields of an object
 * `error` take precedence over others, and known codes over unknown ones. A message is never searched for a code.
 */
export function errorFields(json: unknown): ErrorFields {
  const fields = fieldsWhere(json, (name) => isNamed(name, "code", "message", "error") || plain(name) === "type")
    .map((field) => ({ ...field, text: textOf(field) }))
    .filter(({ text }) => text !== "" && !isSuccessValue(text))
    .slice(0, mostSearched);
  const ordered = [...fields.filter(isInError), ...fields.filter((field) => !isInError(field))];
  const isType = (field: Field & { text: string }) =>
    plain(nameOf(field)) === "type" && isInError(field) && isCode(field.text);
  const codes = [...ordered.filter((field) => isNamed(nameOf(field), "code")), ...ordered.filter(isType)];
  const named = codes.map(({ text }) => text).filter((text) => !/^-?\d+$/.test(text));
  const code = named.find(isKnownCode) ?? named[0] ?? codes[0]?.text;
  const messages = ordered.filter((field) => isNamed(nameOf(field), "message", "error")).map(({ text }) => text);
  return { code, message: [...new Set(messages)].slice(0, 3).join("; ") || undefined };
}

const isInError = ({ path }: Field) => path.length > 1 && isNamed(path[0] ?? "", "error");

/** The text or number of a field. Empty for any other value. */
const textOf = ({ value }: Field) =>
  typeof value === "string" || typeof value === "number" ? String(value).trim().slice(0, longestText) : "";

/** The code that a text consists of, or begins with: `Audio.PreprocessError: the text differs`. */
function codeIn(text: string): string | undefined {
  const [, first = ""] = /^\s*([\w.-]{1,100})\s*(?:[:：]|$)/.exec(text.slice(0, longestText)) ?? [];
  return isCode(first) ? first : undefined;
}

/** Whether a text looks like a code and not like a word or sentence: it consists of at least two joined words. */
function isCode(text: string): boolean {
  return (
    /^[A-Za-z][A-Za-z0-9]*([._-][A-Za-z0-9]+)+$|^[A-Z][a-z0-9]+([A-Z][a-z0-9]*)+$/.test(text) && text.length <= 100
  );
}

/**
 * Whether a success response without a result certainly is a refusal: it has a code of the table, or the field that the
 * setting `forms.error` names. After any other success response without a result, the work may have been done.
 */
export function isRefusal(json: unknown, body = "", forms?: Forms): boolean {
  const stated = statedError(json, forms);
  if (stated !== undefined) return typeof stated !== "string";
  const { code } = json === undefined ? textFields(body) : errorFields(json);
  return code !== undefined && isKnownCode(code);
}

export interface RefusalContext {
  json: unknown;
  nowMs: number;
  interfaceName: InterfaceName;
  secret: boolean;
}

/**
 * Statuses after which the service may go on with the work, so the request may be billed: 408 (timeout), and 499 (nginx)
 * and 460 (the load balancer of AWS). With 499 and 460, the caller of that gateway, e.g. another gateway, stopped waiting.
 */
const isGivenUp = (status: number) => [408, 460, 499].includes(status);

/**
 * The error for a response whose status is not 2xx, or for which {@link isRefusal} is true. The code decides first,
 * then the status. The text of a message is not considered, because the service may change it.
 */
export function classifyRefusal(
  response: HttpResponse,
  { json, nowMs, interfaceName, secret }: RefusalContext,
): CloudVoiceError {
  const { status } = response;
  // Compare `Retry-After` with the server's own date, because the clock of this machine may be wrong.
  const statedMs = Date.parse(headerOf(response, "date") ?? "");
  const retryAfterMs = parseRetryAfter(headerOf(response, "retry-after"), Number.isNaN(statedMs) ? nowMs : statedMs);
  const { code, message } = json === undefined ? textFields(response.body) : errorFields(json);
  const facts: ErrorFacts = { status, code, requestId: requestIdOf(response, json), retryAfterMs };

  // The lost part of the body may contain the code that decides. A `ServiceError` is retried where a retry is safe.
  if (isCutShort(response, json)) {
    const billed = status >= 300 && status < 500 && !isGivenUp(status) ? "no" : "unknown";
    return new ServiceError("the response was cut short", { ...facts, billed, advice: tryAgain });
  }

  const reason = secret && (message ?? response.body) !== "" ? hiddenReason : (message ?? describeBody(response, json));
  const meaning = code === undefined ? undefined : codeMeaning(code, interfaceName);
  if (meaning === "full") return accountFull({ reason, ...facts });
  if (meaning === "absent") return new NotFoundError(reason, facts);
  if (meaning === "quota" || status === 402) return new RejectedError(reason, { ...facts, advice: checkAccount });
  if (meaning === "refused") return new RejectedError(reason, facts);
  if (meaning === "rate" || (status === 429 && (meaning === undefined || meaning === "failed")))
    return new RateLimitError(`too many calls: ${reason}`, { ...facts, advice: tryAgain });
  if (meaning === undefined && status === 403) return new RejectedError(reason, { ...facts, advice: checkAccess });
  if (meaning === "key" || status === 401)
    return new AuthenticationError(`the key was refused: ${reason}`, { ...facts, advice: checkKey });
  // A success status may come with the code of a failure. The service may have done the work before it failed.
  if (meaning === "failed" || isGivenUp(status) || status >= 500)
    return new ServiceError(reason, { ...facts, billed: "unknown", advice: tryAgain });
  if ([404, 405, 410].includes(status)) return new RejectedError(reason, { ...facts, advice: checkAddress });
  if (status >= 300 && status < 400) {
    const redirect = "the address redirects, and redirects are not followed, because the request contains the API key";
    return new RejectedError(redirect, { ...facts, advice: checkAddress });
  }
  return new RejectedError(reason, facts);
}

export function accountFull({ reason, status, code, requestId, purpose }: ErrorFacts & { reason: string }): QuotaError {
  return new QuotaError(`the account is full: ${reason}`, {
    ...{ status, code, requestId, purpose },
    advice:
      "Delete voices that are no longer needed (`npx --no-install pulumi-cloudvoice delete`), or raise the account's quota.",
  });
}

/** Whether the refusal of a create may mean that the account is full. Its code does not show this by itself. */
export function mayMeanFull({ code, status = 0 }: Pick<CloudVoiceError, "code" | "status">): boolean {
  const meaning = code === undefined ? undefined : codeMeaning(code, "voices");
  const isRefused = status >= 400 && status < 500 && status !== 401 && !isGivenUp(status);
  return meaning === "quota" || (isRefused && meaning === undefined);
}

/** Whether a refusal is about a quota, although its code does not say that it is the quota of voices. */
export const isAboutQuota = ({ code = "" }: Pick<CloudVoiceError, "code">) => codeMeaning(code, "voices") === "quota";

/** Reads a body that is not JSON. The HTML page of a gateway has neither a code nor a message of the service. */
function textFields(body: string): ErrorFields {
  return /^\s*(<|$)/.test(body) ? {} : { code: codeIn(body), message: body.trim() };
}

/** Whether a body is the beginning of a JSON text. The lost part may change the meaning of the response. */
export function isCutShort(response: HttpResponse, json: unknown): boolean {
  if (json !== undefined) return false;
  if (/json/i.test(headerOf(response, "content-type") ?? "")) return /^\s*[[{"]/.test(response.body);
  // Nothing requires a success response to state its media type, so look at the body.
  return response.status < 300 && /^\s*(\{|\[\s*[{["])/.test(response.body);
}

export const tryAgain = "Run the command again later.";
export const checkAddress = "Check cloudvoice:baseUrl or CLOUDVOICE_BASE_URL.";
const checkKey = "Check cloudvoice:apiKey or CLOUDVOICE_API_KEY.";
const checkAccount = "Check the balance, the plan and the quotas of your account in the service's console.";
const checkAccess =
  "The key may lack a right, or a gateway in front of the service refused the call: a firewall, a CDN, a block of this " +
  "region. Check the key, the address, and the network that the call comes from.";
