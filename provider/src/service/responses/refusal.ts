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
import type { HttpResponse } from "../http";
import { hiddenReason } from "../redact";
import { parseRetryAfter } from "../retry";
import { describeBody, headerOf, requestIdOf, textsOfPage } from "./describe";
import { codedText, type ErrorFields, errorFields, isCode, isKnownCode } from "./error-fields";
import { plain } from "./fields";
import { doubtfulFields, failedFields, type Field, fieldsOf, isCodeField } from "./harmless";

export type InterfaceName = "voices" | "images" | "decisions";

/**
 * Whether a success response without the requested result is understood as a refusal, so that nothing was billed. A
 * known code, an error field or a mark of failure shows a refusal. Another code does so only beside a message, and
 * without any other field that may be a result.
 */
export function isRefusal(json: unknown, body = ""): boolean {
  if (json === undefined) return isKnownCode(textFields(body).code ?? "");
  const { code, message } = errorFields(json);
  if (code !== undefined && isKnownCode(code)) return true;
  const fields = fieldsOf(json);
  const failures = failedFields(fields).filter((field) => !isUnfinished(field.value));
  if (failures.some((field) => !isCodeField(field) && !isWhole(field.value))) return true;
  if (code === undefined || message === undefined || failures.length === 0) return false;
  const isNothing = (value: unknown) => /^(false|0|)$/.test(String(value).trim());
  const isSaid = (value: unknown) => code === String(value).trim() || message.includes(String(value).trim());
  return doubtfulFields(fields, {}).every((field) => isAsked(field) || isSaid(field.value) || isNothing(field.value));
}

/**
 * The field that reports a failed call beside the requested result, which may then belong to another call.
 * A number may be the service's own code for success, unless a message contradicts it. A failed task exists.
 */
export function failureBeside(json: unknown): Field | undefined {
  const fields = fieldsOf(json).filter((field) => !isAsked(field));
  if (fields.some(({ path, value }) => path.at(-1) === "task_status" && /^failed$/i.test(String(value))))
    return undefined;
  const { message } = errorFields(json);
  return failedFields(fields).find(
    ({ value }) => !isUnfinished(value) && (!isWhole(value) || (message !== undefined && !isUnfinished(message))),
  );
}

const isWhole = (value: unknown) => /^-?\d+$/.test(String(value));

/** Whether the field repeats what the caller sent. */
const isAsked = ({ path }: Field) => path.some((name) => /^(inputs?|request|echo|parameters|answers)$/i.test(name));

/** The work may have been done, or is still to be done, so this is no refusal. */
const isUnfinished = (value: unknown) =>
  typeof value === "string" &&
  /^(time(d )?out|partial|degraded|incomplete)$|succ|\bok\b|created|queued|pending|processing|accepted|training|running/i.test(
    value.trim(),
  );

export interface RefusalContext {
  json: unknown;
  nowMs: number;
  interfaceName: InterfaceName;
  secret: boolean;
}

/** A gateway stopped waiting, and the service may go on: nginx reports 499, and the load balancer of AWS 460. */
const isGivenUp = (status: number) => [408, 460, 499].includes(status);

/**
 * The error for a response whose status is not 2xx, or that {@link isRefusal}. The code decides, then the status.
 * Messages decide nothing, because they may change.
 */
export function classifyRefusal(
  response: HttpResponse,
  { json, nowMs, interfaceName, secret }: RefusalContext,
): CloudVoiceError {
  const { status } = response;
  // Compare both dates of the server: our own clock may be wrong.
  const statedMs = Date.parse(headerOf(response, "date") ?? "");
  const retryAfterMs = parseRetryAfter(headerOf(response, "retry-after"), Number.isNaN(statedMs) ? nowMs : statedMs);
  const { code, message = headerMessage(response) } =
    json === undefined ? textFields(response.body) : errorFields(json, status >= 300);
  const facts: ErrorFacts = { status, code, requestId: requestIdOf(response, json), retryAfterMs };

  // The lost part may hold an important code. As a ServiceError, it is retried where that is safe.
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
    return new RateLimitError(`too many calls: ${reason}`, { ...facts, advice: slowDown });
  if (meaning === undefined && status === 403) return new RejectedError(reason, { ...facts, advice: checkAccess });
  if (meaning === "key" || status === 401)
    return new AuthenticationError(`the key was refused: ${reason}`, { ...facts, advice: checkKey });
  // A success status with a code for a failure of the service: the work may have been done before it.
  if (meaning === "failed" || isGivenUp(status) || status >= 500)
    return new ServiceError(reason, { ...facts, billed: "unknown", advice: tryAgain });
  if ([404, 405, 410].includes(status)) return new RejectedError(reason, { ...facts, advice: checkAddress });
  if (status >= 300 && status < 400) {
    const redirect = "the address redirects, and redirects are not followed because the request carries the key";
    return new RejectedError(redirect, { ...facts, advice: checkAddress });
  }
  return new RejectedError(reason, facts);
}

type CodeMeaning = "full" | "absent" | "quota" | "refused" | "rate" | "key" | "failed";

/** What a code means, with any status. Undefined: the status decides. */
function codeMeaning(code: string, interfaceName: InterfaceName): CodeMeaning | undefined {
  const name = plain(code);
  const isOther = moneyNames.test(name) || limitsOfOthers.test(name);
  if (interfaceName === "voices" && !isOther && fullNames.some((pattern) => pattern.test(name))) return "full";
  if (absentNames.test(name)) return "absent";
  // Elsewhere such a code means a rate limit.
  if (moneyNames.test(name) || usedUpNames.test(name) || (interfaceName === "voices" && quotaNames.test(name)))
    return "quota";
  if (/^throttling|ratelimit|ratequota|toomanyrequests/.test(name)) return "rate";
  if (/^(invalidapikey|accessdenied|authfailure|authenticationerror|unauthorized|invalidtoken)/.test(name))
    return "key";
  if (/^(audio|invalidurl)/.test(name)) return "refused";
  if (failureNames.test(name)) return "failed";
  if (/^(invalidparameter|datainspection|badrequest)/.test(name)) return "refused";
  return undefined;
}

/** "Resource not found" may also be about the path, so the list decides. */
const absentNames =
  /(^|[^n])(voice|task)s?(is)?(notfound|notexists?|doesnotexist)(error|exception)?$|^nosuch(voice|task)|resourcenotexist$/;
/** A failure of the service itself: the work may have been done. */
const failureNames = new RegExp(
  "internal(server|service)?(error|failure|exception)|servererror|systemerror|modelservicefailed|unavailable|" +
    "timedout|timeout$|deadlineexceeded|^5\\d\\d$",
);
/** Words of limits that are not about the number of voices. */
const limitsOfOthers = /perminute|persecond|rate|concurren|requests|duration|length|daily|monthly/;
/** A balance or a plan. Waiting does not help, as it does for a rate. */
const moneyNames =
  /freetier|arrear|overdue|balance|billing|payment|prepaid|credit|invoice|unpaid|planupgrade|insufficient(user|account)?(quota|funds)/;
const usedUpNames = /^(account)?quota(is)?(exceeded|exhausted)/;
/** A quota that the code does not assign to voices. */
const quotaNames =
  /allocationquota|^(account)?(quota|limit)(is)?(exceeded|reached|full)|^accountfull|^exceeded(account)?(quota|limit)/;

/** The account is full if a code says so and names voices. After any other quota code, the list decides. */
const fullWords =
  "account user custom cloned? voices? count num(ber)? total max(imum)? allocat(ion|ed) quota limits? of".split(" ");
fullWords.push(
  ..."is for too many no more left out over exceed(s|ed|ing)? reached full exhausted exception error".split(" "),
);
const fullNames = [
  /(?<!in)voices?(count|number)?(quota|limit)/,
  // These words in any order: `LimitExceeded.Voice`, `MaxVoicesReached`. With others it may be the length of a
  // recording.
  new RegExp(`^(?=.*voice)(?=.*(quota|limit|max|many|full|exceed|exhaust|nomore))(${fullWords.join("|")})+$`),
];

export function accountFull({ reason, status, code, requestId, purpose }: ErrorFacts & { reason: string }): QuotaError {
  return new QuotaError(`the account is full: ${reason}`, {
    ...{ status, code, requestId, purpose },
    advice:
      "Delete voices that are no longer needed (`npx --no-install pulumi-cloudvoice delete`), or raise the account's quota.",
  });
}

/** Whether a refusal of a create may mean that the account is full although its code does not say so. */
export function mayMeanFull({ code, status = 0 }: Pick<CloudVoiceError, "code" | "status">): boolean {
  const meaning = code === undefined ? undefined : codeMeaning(code, "voices");
  const isRefused = status >= 400 && status < 500 && status !== 401 && !isGivenUp(status);
  return meaning === "quota" || (isRefused && meaning === undefined);
}

/** Whether a refusal is about a quota that its code does not assign to voices. */
export const isAboutQuota = ({ code = "" }: Pick<CloudVoiceError, "code">) => codeMeaning(code, "voices") === "quota";

/**
 * The code and the message of a body that is not JSON. A page of a gateway has no code; a text of the service may have
 * one.
 */
function textFields(body: string): ErrorFields {
  if (!isPage(body)) return body.trim() === "" ? {} : codedText(body.trim());
  const texts = textsOfPage(body);
  return { code: texts.find(isCode) ?? codedText(texts.join(" ")).code };
}

/** Some gateways state the reason in a header only. */
function headerMessage(response: HttpResponse): string | undefined {
  const name = Object.keys(response.headers).find((each) => /error-(message|msg|description|reason)$/i.test(each));
  return name === undefined ? undefined : headerOf(response, name);
}

const isPage = (body: string) => /^\s*</.test(body);

/** Whether a body is the beginning of JSON. The lost part may be the important one. */
export function isCutShort(response: HttpResponse, json: unknown): boolean {
  if (json !== undefined) return false;
  if (/json/i.test(headerOf(response, "content-type") ?? "")) return /^\s*[[{"]/.test(response.body);
  // No response of success is required to name its type.
  return response.status < 300 && /^\s*(\{|\[\s*[{["])/.test(response.body);
}

export const tryAgain = "Run the command again later.";
const slowDown = "Run the command again later, or raise cloudvoice:maxThrottleSeconds.";
const checkAddress = "Check cloudvoice:baseUrl or CLOUDVOICE_BASE_URL.";
const checkKey = "Check cloudvoice:apiKey or CLOUDVOICE_API_KEY.";
const checkAccount = "This is about the balance, the plan or a quota of your account: see the service's console.";
const checkAccess =
  "The key may lack a right, or a gateway in front of the service refused the call: a firewall, a CDN, a block of this " +
  "region. Check the key, the address, and the network that the call comes from.";
