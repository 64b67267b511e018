import { z } from "zod";
import { isRecord } from "../rules/is-record";
import { visible } from "../rules/visible";
import type { Clock } from "./clock";
import {
  AuthenticationError,
  CloudVoiceError,
  type ErrorFacts,
  InputError,
  NotFoundError,
  QuotaError,
  RateLimitError,
  RejectedError,
  ServiceError,
  UnexpectedAnswerError,
} from "../errors";
import type { Http, HttpResponse, HttpRequest } from "./http";
import { parseRetryAfter } from "./retry";

/** What every call needs. `apiKey` is asked for when a call is made, so that work without calls needs no key. */
export interface Caller {
  http: Http;
  clock: Clock;
  apiKey(): string;
  maxRetries: number;
}

export interface Call<T> {
  /** What is being done, as the start of a message: `creating the voice narrator`. */
  doing: string;
  method: HttpRequest["method"];
  url: string;
  headers?: Record<string, string>;
  body?: HttpRequest["body"];
  /** The fields wanted of the answer, wherever it nests them. */
  answer: z.ZodType<T>;
  /** Whether a whole answer, good or bad in form, means money was spent. */
  paid: boolean;
  /** Texts of the request that no message may repeat: they may be secret. */
  hidden?: (string | undefined)[];
}

export type WithRequestId<T> = T & { requestId?: string };

/** One attempt: sends, and turns whatever comes back into fields or one of the errors. */
export async function call<T extends object>(caller: Caller, request: Call<T>): Promise<WithRequestId<T>> {
  const apiKey = caller.apiKey();
  try {
    const answer = await caller.http.send({
      method: request.method,
      url: request.url,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...request.headers },
      ...(request.body && { body: request.body }),
    });
    return read(answer, request, caller.clock.now());
  } catch (error) {
    throw explained(error, request, apiKey);
  }
}

function read<T extends object>(answer: HttpResponse, request: Call<T>, nowMs: number): WithRequestId<T> {
  const json = parseJson(answer.body);
  if (answer.status < 200 || answer.status > 299) throw refusal(answer, json, nowMs);

  const fields = flatten(json);
  const requestId = requestIdOf(answer, fields);
  const facts: ErrorFacts = { status: answer.status, requestId, billed: request.paid ? "unknown" : "no" };
  if (json === undefined) throw new ServiceError("the answer is not JSON, or was cut short", facts);
  const parsed = request.answer.safeParse(fields);
  if (!parsed.success) {
    throw new UnexpectedAnswerError(
      `the answer has an unknown form: ${z.prettifyError(parsed.error).replace(/\s*\n\s*/g, " ")}`,
      facts,
    );
  }
  return requestId === undefined ? parsed.data : { ...parsed.data, requestId };
}

/** Both forms of an answer as one: `output{…}`, `usage{…}` beside the rest, or all at the top. */
function flatten(json: unknown): Record<string, unknown> {
  if (!isRecord(json)) return {};
  return { ...json, ...(isRecord(json.usage) && json.usage), ...(isRecord(json.output) && json.output) };
}

function refusal(answer: HttpResponse, json: unknown, nowMs: number): CloudVoiceError {
  const body = isRecord(json) ? (isRecord(json.error) ? { ...json, ...json.error } : json) : {};
  // The compatible interface puts a kind into `type` and leaves `code` empty at times.
  const code = visible(firstText(body.code, body.type) ?? "") || undefined;
  const facts: ErrorFacts = { status: answer.status, code, requestId: requestIdOf(answer, body) };
  const said =
    firstText(body.message) ??
    (json === undefined && answer.body !== "" ? "a gateway answered, not the service" : undefined);
  const message = said ?? "the service gave no reason";
  const retryAfterMs = parseRetryAfter(header(answer, "retry-after"), nowMs);

  const is = (...codes: string[]) => codes.some((known) => plain(code).startsWith(plain(known)));
  // A refusal that was cut on its way: what it said may matter, so whoever can ask again should.
  if (json === undefined && /json/i.test(header(answer, "content-type") ?? "")) {
    return new ServiceError(
      "the answer was cut short",
      { ...facts, billed: answer.status < 500 ? "no" : "unknown" },
      retryAfterMs,
    );
  }
  // Where a sentence of ours goes on behind it.
  const reason = message.replace(/[.\s]+$/, "");
  if (is("Throttling.AllocationQuota")) return new QuotaError(`the account is full: ${reason}`, facts);
  if (/voicenotfound|resourcenotexist/.test(plain(code))) return new NotFoundError(message, facts);
  if (answer.status === 429 || is("Throttling"))
    return new RateLimitError(`too many calls: ${reason}`, facts, retryAfterMs);
  if (answer.status === 401 || answer.status === 403 || is("InvalidApiKey", "AccessDenied")) {
    return new AuthenticationError(
      `the key was refused: ${reason}; check cloudvoice:apiKey or CLOUDVOICE_API_KEY. Pulumi hands destroy, refresh and up --refresh the ` +
        "configuration of the last update: after a change of the key, set CLOUDVOICE_API_KEY for these",
      facts,
    );
  }
  if (answer.status === 408 || answer.status >= 500) {
    return new ServiceError(message, { ...facts, billed: "unknown" }, retryAfterMs);
  }
  if (answer.status === 404) return new RejectedError(`${reason}; check the address`, facts);
  if (answer.status >= 300 && answer.status < 400) {
    return new RejectedError("the address redirects, which is not followed with a key; check the address", facts);
  }
  return new RejectedError(message, facts);
}

/** Codes are compared without case and punctuation. */
function plain(code: string | undefined): string {
  return (code ?? "").toLowerCase().replace(/[^a-z0-9]/g, "");
}

function requestIdOf(answer: HttpResponse, body: Record<string, unknown>): string | undefined {
  const id = firstText(body.request_id, header(answer, "x-request-id"));
  return id === undefined ? undefined : visible(id);
}

function header(answer: HttpResponse, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function firstText(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value.trim() !== "")?.trim();
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

const longestQuote = 300;

/** The same error, told from the start: what was being done, and nothing in it that must not be shown. */
function explained(error: unknown, request: Pick<Call<unknown>, "doing" | "paid" | "hidden">, apiKey: string): unknown {
  if (!CloudVoiceError.is(error) || error instanceof InputError) return error;
  const shown = withoutSecrets(error.message, apiKey, request.hidden);
  // Free calls never bill, whatever became of them.
  const billed = request.paid ? error.billed : "no";
  const whole = `${request.doing} failed: ${shown}${billed === "unknown" ? "; it may have been billed" : ""}`;
  return Object.assign(error, { message: whole, stack: whole, billed });
}

export function withoutSecrets(text: string, apiKey: string, hidden: (string | undefined)[] = []): string {
  let quiet = text.replaceAll(apiKey, "[key]").replace(/data:[^\s"']{40,}/g, "data:[…]");
  for (const secret of hidden) {
    if (secret === undefined || secret.length <= 2) continue;
    // As it is, and as JSON quotes it.
    quiet = quiet.replaceAll(secret, "[…]").replaceAll(JSON.stringify(secret).slice(1, -1), "[…]");
    // An address begins as others do; of a signed one the part after the question mark is given on its own.
    if (!/^https?:/i.test(secret) && quotesPart(quiet, secret))
      return `the service's reason quotes what may be secret, and is not shown${/ \(HTTP \d+[^()]*\)$/.exec(text)?.[0] ?? ""}`;
  }
  quiet = visible(quiet);
  return quiet.length <= longestQuote * 2 ? quiet : `${quiet.slice(0, longestQuote)} … ${quiet.slice(-longestQuote)}`;
}

const telling = 16;

/** Whether a part of the secret that is long enough to tell something stands in the text. */
function quotesPart(text: string, secret: string): boolean {
  for (let at = 0; at + telling <= secret.length; at++) if (text.includes(secret.slice(at, at + telling))) return true;
  return false;
}
