import {
  AuthenticationError,
  type CloudVoiceError,
  type ErrorFacts,
  NotFoundError,
  QuotaError,
  RateLimitError,
  RejectedError,
  ServiceError,
} from "../errors";
import { isRecord } from "../rules/is-record";
import { visible } from "../rules/visible";
import type { HttpResponse } from "./http";
import { hiddenReason } from "./redact";
import { errorFields, firstText, flattenFields, headerOf, parseJson, requestIdOf } from "./response-fields";
import { parseRetryAfter } from "./retry";
import type { InterfaceName } from "./send-request";

/** Codes with which interfaces confirm that a call succeeded. */
const successCodes = ["", "0", "200", "ok", "success", "succeeded"];

/** Whether a response of success has an error in place of the expected fields, so that the call was refused. */
export function isRefusal(json: unknown, expectedFields: readonly string[]): boolean {
  const fields = flattenFields(json);
  if (expectedFields.some((name) => (fields[name] ?? undefined) !== undefined)) return false;
  const hasError = isRecord(fields.error) && (firstText(fields.error.code, fields.error.message) ?? "") !== "";
  return hasError || !successCodes.includes(normalize(codeOf({ code: fields.code })));
}

/**
 * The error for a response whose status is not 2xx, or that {@link isRefusal}. It depends on status and code, because
 * messages may change.
 */
export function classifyRefusal(
  response: HttpResponse,
  nowMs: number,
  interfaceName: InterfaceName,
  secret = false,
): CloudVoiceError {
  const { status } = response;
  const json = parseJson(response.body);
  const fields = errorFields(json);
  const code = visible(codeOf(fields) ?? "") || undefined;
  const facts: ErrorFacts = { status, code, requestId: requestIdOf(response, fields) };
  const retryAfterMs = parseRetryAfter(headerOf(response, "retry-after"), nowMs);

  // The lost part may hold an important code. As a ServiceError, it is retried where that is safe.
  if (json === undefined && /json/i.test(headerOf(response, "content-type") ?? "")) {
    const billed = status < 500 ? "no" : "unknown";
    return new ServiceError("the response was cut short", { ...facts, billed, advice: tryAgain }, retryAfterMs);
  }

  const isNotJson = json === undefined && response.body !== "";
  const noMessage = isNotJson
    ? "the response comes from a gateway and not from the service"
    : "the service gave no reason";
  const message = firstText(fields.message);
  const reason = message === undefined ? noMessage : secret ? hiddenReason : message;
  const startsWith = (...known: string[]) => known.some((prefix) => normalize(code).startsWith(normalize(prefix)));

  // Only voices have a quota. Elsewhere the code means a rate limit.
  if (startsWith("Throttling.AllocationQuota") && interfaceName === "voices")
    return new QuotaError(`the account is full: ${reason}`, { ...facts, advice: makeRoom });
  if (/voicenotfound|resourcenotexist/.test(normalize(code))) return new NotFoundError(reason, facts);
  if (status === 429 || startsWith("Throttling"))
    return new RateLimitError(`too many calls: ${reason}`, { ...facts, advice: slowDown }, retryAfterMs);
  if (status === 401 || status === 403 || startsWith("InvalidApiKey", "AccessDenied"))
    return new AuthenticationError(`the key was refused: ${reason}`, { ...facts, advice: checkKey });
  if (status === 408 || status >= 500)
    return new ServiceError(reason, { ...facts, billed: "unknown", advice: tryAgain }, retryAfterMs);
  if (status === 404) return new RejectedError(reason, { ...facts, advice: checkAddress });
  if (status >= 300 && status < 400) {
    const redirect = "the address redirects, and redirects are not followed because the request carries the key";
    return new RejectedError(redirect, { ...facts, advice: checkAddress });
  }
  return new RejectedError(reason, facts);
}

const tryAgain = "Run the command again later.";
const slowDown = "Run the command again later, or raise cloudvoice:maxThrottleSeconds.";
const makeRoom =
  "Delete voices that are no longer needed (`npx pulumi-cloudvoice delete`), or raise the account's quota.";
const checkAddress = "Check cloudvoice:baseUrl or CLOUDVOICE_BASE_URL.";
const checkKey = "Check cloudvoice:apiKey or CLOUDVOICE_API_KEY.";

/** The compatible interface sometimes leaves `code` empty and puts the kind of error into `type`. */
function codeOf({ code, type }: Record<string, unknown>): string | undefined {
  return typeof code === "number" ? String(code) : firstText(code, type);
}

/** Codes are compared without case and punctuation, because the service writes them in several ways. */
function normalize(code: string | undefined): string {
  return (code ?? "").toLowerCase().replace(/[^a-z0-9]/g, "");
}
