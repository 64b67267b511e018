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
import type { HttpResponse } from "./http";
import { hiddenReason } from "./redact";
import { headerOf, requestIdOf, shownCopy } from "./response-fields";
import { parseRetryAfter } from "./retry";
import { codedText, type ErrorFields, errorFields, isCode } from "./structure/error-fields";
import { placesOf, plain } from "./structure/fields";

export type InterfaceName = "voices" | "images" | "decisions";

/** Whether a response of success has an error in place of the expected fields, so that the call was refused. */
export function isRefusal(json: unknown, body = ""): boolean {
  if ((json === undefined ? textFields(body) : errorFields(json)).code !== undefined) return true;
  return placesOf(json).some(({ record }) =>
    ["error", "errors"].some((name) => errorFields({ [name]: record[name] }).message !== undefined),
  );
}

export interface RefusalContext {
  json: unknown;
  nowMs: number;
  interfaceName: InterfaceName;
  secret: boolean;
}

/**
 * The error for a response whose status is not 2xx, or that {@link isRefusal}. The code decides, then the status.
 * Messages decide nothing, because they may change.
 */
export function classifyRefusal(
  response: HttpResponse,
  { json, nowMs, interfaceName, secret }: RefusalContext,
): CloudVoiceError {
  const { status } = response;
  // Both dates are of the server's clock, and ours may be wrong.
  const statedMs = Date.parse(headerOf(response, "date") ?? "");
  const retryAfterMs = parseRetryAfter(headerOf(response, "retry-after"), Number.isNaN(statedMs) ? nowMs : statedMs);
  const { code, message } = json === undefined ? textFields(response.body) : errorFields(json, status >= 300);
  const facts: ErrorFacts = { status, code, requestId: requestIdOf(response, json), retryAfterMs };

  // The lost part may hold an important code. As a ServiceError, it is retried where that is safe.
  if (json === undefined && isCutShort(response)) {
    const billed = status >= 300 && status < 500 && status !== 408 ? "no" : "unknown";
    return new ServiceError("the response was cut short", { ...facts, billed, advice: tryAgain });
  }

  const reason = secret && (message ?? response.body) !== "" ? hiddenReason : (message ?? describeBody(response, json));
  const meaning = code === undefined ? undefined : meaningOf(code, interfaceName);
  if (meaning === "full") return accountFull({ reason, ...facts });
  if (meaning === "absent") return new NotFoundError(reason, facts);
  if (meaning === "refused") return new RejectedError(reason, facts);
  if (meaning === "rate" || (status === 429 && (meaning === undefined || meaning === "failed")))
    return new RateLimitError(`too many calls: ${reason}`, { ...facts, advice: slowDown });
  if (meaning === "key" || status === 401 || status === 403)
    return new AuthenticationError(`the key was refused: ${reason}`, { ...facts, advice: checkKey });
  // A status of success with an error that is not known: the work may have been done before it.
  if (meaning === "failed" || status === 408 || status >= 500 || status < 300)
    return new ServiceError(reason, { ...facts, billed: "unknown", advice: tryAgain });
  if (status === 404) return new RejectedError(reason, { ...facts, advice: checkAddress });
  if (status >= 300 && status < 400) {
    const redirect = "the address redirects, and redirects are not followed because the request carries the key";
    return new RejectedError(redirect, { ...facts, advice: checkAddress });
  }
  return new RejectedError(reason, facts);
}

type Meaning = "full" | "absent" | "refused" | "rate" | "key" | "failed";

/** What a code means, with any status. Undefined: the status decides. */
function meaningOf(code: string, interfaceName: InterfaceName): Meaning | undefined {
  const name = plain(code);
  // Only voices have a quota. Elsewhere the code means a rate limit.
  if (interfaceName === "voices" && fullNames.some((pattern) => pattern.test(name))) return "full";
  // "Resource not found" may also speak of the path, so there the list decides.
  if (/(voice|task)s?(is)?(notfound|notexists?|doesnotexist|missing)|^nosuch(voice|task)|resourcenotexist/.test(name))
    return "absent";
  if (/^throttling|ratelimit|ratequota|toomanyrequests/.test(name)) return "rate";
  if (/^(invalidapikey|accessdenied)/.test(name)) return "key";
  if (/^(internal(server|service)?error|systemerror|serviceunavailable|modelservicefailed|requesttimeout)/.test(name))
    return "failed";
  if (/^(audio|invalidparameter|invalidurl|datainspection|arrearage|badrequest)/.test(name)) return "refused";
  return undefined;
}

export function accountFull({ reason, status, code, requestId, purpose }: ErrorFacts & { reason: string }): QuotaError {
  return new QuotaError(`the account is full: ${reason}`, {
    ...{ status, code, requestId, purpose },
    advice: "Delete voices that are no longer needed (`npx pulumi-cloudvoice delete`), or raise the account's quota.",
  });
}

const fullWords =
  "account user custom cloned? voices? count num(ber)? total max(imum)? allocat(ion|ed) quota limits? of".split(" ");
fullWords.push(
  ..."is for too many no more left out over exceed(s|ed|ing)? reached full exhausted exception error".split(" "),
);
const fullNames = [
  /allocationquota|toomanyvoices|accountfull/,
  /^(account)?(quota|limit)(is)?(exceeded|reached|full)$|^exceeded(account)?(quota|limit)$/,
  /voices?(count|number)?(quota|limit)/,
  // These words in any order: `LimitExceeded.Voice`, `MaxVoicesReached`. With others it may be the length of a recording.
  new RegExp(`^(?=.*voice)(?=.*(quota|limit|max|many|full|exceed|exhaust|nomore))(${fullWords.join("|")})+$`),
];

/** Whether a refusal of a create may mean that the account is full although its code does not say so. */
export function mayMeanFull({ code, status = 0 }: Pick<CloudVoiceError, "code" | "status">): boolean {
  const isRefused = status >= 400 && status < 500 && status !== 401 && status !== 408;
  return isRefused && (code === undefined || meaningOf(code, "voices") === undefined);
}

/** The code and the message of a body that is no JSON. A page of a gateway has no code, and one of the service may have. */
function textFields(body: string): ErrorFields {
  if (!/^\s*</.test(body)) return body.trim() === "" ? {} : codedText(body.trim());
  const texts = textsOfPage(body);
  return { code: texts.find(isCode) ?? codedText(texts.join(" ")).code };
}

function textsOfPage(body: string): string[] {
  const marked = body.slice(0, 20_000).replace(/<(script|style)[^]*?<\/\1>|<[^>]*>/gi, "\n");
  return marked.split("\n").flatMap((text) => text.trim() || []);
}

function isCutShort(response: HttpResponse): boolean {
  if (/json/i.test(headerOf(response, "content-type") ?? "")) return /^\s*[[{"]/.test(response.body);
  // No response of success is required to name its type.
  return response.status < 300 && /^\s*(\{|\[\s*[{["])/.test(response.body);
}

const mostShown = 1000;
const mostOfText = 100;

/** What cannot be understood is shown, shortened. Secrets are removed where the error is described. */
export function describeBody({ body }: Pick<HttpResponse, "body">, json: unknown): string {
  if (body.trim() === "" || json === null) return noReason;
  if (json !== undefined) {
    // Each text is shortened first: one long text must not push a code out of what is shown.
    const words = JSON.stringify(withoutEmpty(shownCopy(json, (text) => start(text, mostOfText))) ?? {});
    return words === "{}" ? noReason : `${noReason}: ${start(words, mostShown)}`;
  }
  const gateway = "the response comes from a gateway and not from the service";
  const words = start(textsOfPage(body).join(" ").replace(/\s+/g, " "), mostShown / 2);
  return words === "" ? gateway : `${gateway}: ${words}`;
}

/** The fields that say something, and not what the call itself, or the rest of the message, says. */
function withoutEmpty(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).flatMap(([name, each]) =>
    /^(request_id|task_id|task_status|usage)$/.test(name) ? [] : [[name, withoutEmpty(each)] as const],
  );
  return Object.fromEntries(
    fields.filter(
      ([, each]) => each !== null && each !== "" && (typeof each !== "object" || Object.keys(each).length > 0),
    ),
  );
}

function start(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)} …`;
}

export const noReason = "the service gave no reason";
export const tryAgain = "Run the command again later.";
const slowDown = "Run the command again later, or raise cloudvoice:maxThrottleSeconds.";
const checkAddress = "Check cloudvoice:baseUrl or CLOUDVOICE_BASE_URL.";
const checkKey = "Check cloudvoice:apiKey or CLOUDVOICE_API_KEY.";
