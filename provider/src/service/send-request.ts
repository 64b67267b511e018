import {
  CloudVoiceError,
  InputError,
  LostAnswerError,
  ServiceError,
  UnexpectedAnswerError,
  UnreachableError,
} from "../errors";
import type { Sending } from "./billed-requests";
import { describeThrown } from "../describe-thrown";
import type { Http, HttpRequest, HttpResponse } from "./http";
import { keyRemover, redactReason, type Secrecy, shownCode, shownId } from "./redact";
import { describeShape, keptCopy, requestIdOf } from "./responses/describe";
import type { Forms } from "../rules/forms";
import type { InterfaceName } from "./responses/codes";
import { errorFields } from "./responses/error";
import { FormProblem, shownPath } from "./responses/forms";
import { maxIdLength, parseBody } from "./responses/json";
import { failureIn } from "./responses/meaning";
import { classifyRefusal, isCutShort, isRefusal, tryAgain } from "./responses/refusal";
import { type Call, formsLine, suggestForms } from "./responses/suggest";
import type { Outage, RetryOptions } from "./retry";
import type { Throttle } from "./throttle";

export interface CallContext extends RetryOptions {
  interfaceName: InterfaceName;
  forms?: Forms | undefined;
  http: Http;
  throttle: Throttle;
  /** A function that throws if no key is set: work without calls needs no key. */
  apiKey: () => string;
  outage: Outage;
  /** Rejects if the address must not get the key. */
  assertAddress?: () => Promise<void>;
  /** Runs before a request that is not billed. Rejects if nobody waits for its result, e.g. after the engine exited. */
  beforeFree?: (() => Promise<void>) | undefined;
  log: (line: string) => void;
  /** Called after every call, for the debug log and for `pulumi-cloudvoice doctor`. */
  observe?: ((call: ObservedCall) => void) | undefined;
}

/** A call, described without a value of its request or response. */
export interface ObservedCall {
  method: HttpRequest["method"];
  path: string;
  action: string;
  /** The status of the response, or the error if there was none. */
  status: number | string;
  ms: number;
  requestId: string | undefined;
  fields: string;
}

/** The part of a billed request that the caller decides. */
export interface BilledCall extends Secrecy {
  sending: Sending;
}

export interface ServiceRequest<T> extends Secrecy {
  /** What the request is for, as the start of an error message: `creating the voice narrator`. */
  purpose: string;
  /** For the debug log: `create`, `list`, `submit`, … */
  action: Call | "delete" | "decide";
  method: HttpRequest["method"];
  url: string;
  headers?: Record<string, string>;
  body?: HttpRequest["body"];
  mayCarryPictures?: HttpRequest["mayCarryPictures"];
  /** Extracts the result from a success response, or throws a {@link FormProblem} that names the missing part. */
  read: (response: SuccessResponse) => T;
  /** Like `read`, for a refusal that may be a result, e.g. of a failed task. False: the refusal is an error. */
  readRefusal?: (refusal: CloudVoiceError, response: SuccessResponse) => T | false;
  /** False if the request is free. */
  billed: Sending | false;
  /** For free requests: runs before each attempt, after the throttle's wait. Rejects to stop the request. */
  beforeSend?: (() => Promise<void>) | undefined;
  /** Runs after a 429, before the request waits again. Rejects if the 429 is no rate limit. */
  onRateLimit?: ((error: CloudVoiceError) => Promise<void>) | undefined;
}

interface Received extends HttpResponse {
  url: string;
  /** The raw text. If it is JSON, it may contain the key: read `json` instead, from which the key is removed. */
  body: string;
  /** Undefined if the body can't be read as JSON. `problem` is then the reason. */
  json: unknown;
  problem: string | undefined;
}

export type SuccessResponse = Received;

export type WithRequestId<T> = T & { requestId?: string };

/**
 * Sends a request once, and again only after a 429, which means that nothing was done. Resolves with the fields of the
 * response. Rejects with a {@link CloudVoiceError}.
 */
export async function sendRequest<T extends object>(
  context: CallContext,
  request: ServiceRequest<T>,
): Promise<WithRequestId<T>> {
  const apiKey = context.apiKey();
  await context.assertAddress?.();
  const describe = (error: unknown) =>
    !CloudVoiceError.is(error) || error instanceof InputError ? error : describeFailure(error, request, apiKey);
  try {
    return await context.throttle.run(
      async () => {
        if (!request.billed) await context.beforeFree?.();
        await (request.billed || request).beforeSend?.();
        const received = await exchange(context, request, apiKey);
        try {
          if (received.status < 200 || received.status > 299) return readRefusal(received, context, request);
          return readSuccess(received, context, request, apiKey);
        } catch (error) {
          throw CloudVoiceError.is(error) ? error : unreadable(error, received);
        }
      },
      request.onRateLimit && ((error) => request.onRateLimit?.(describe(error) as CloudVoiceError)),
    );
  } catch (error) {
    throw describe(error);
  }
}

async function exchange(
  { http, clock, observe }: CallContext,
  { method, url, headers, body, mayCarryPictures, action }: ServiceRequest<unknown>,
  apiKey: string,
): Promise<Received> {
  const startedAt = clock.now();
  const report = (status: number | string, requestId?: string, fields = "none") =>
    observe?.({ method, path: new URL(url).pathname, action, status, ms: clock.now() - startedAt, requestId, fields });
  const response = await http
    .send({
      method,
      url,
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { body }),
      ...(mayCarryPictures && { mayCarryPictures }),
    })
    .catch((error: unknown) => {
      report(CloudVoiceError.is(error) ? error.name : "failed");
      throw error;
    });
  try {
    // Remove the key before anything reads or shortens the text: a shortened key would not be recognised.
    const shown = keyRemover(apiKey);
    const { json, problem } = parseBody(response.body, shown, { shortensNames: mayCarryPictures === true });
    const received = {
      ...response,
      body: json === undefined ? shown(response.body) : response.body,
      url,
      json,
      problem,
    };
    if (observe) {
      const requestId = requestIdOf(received, json);
      report(response.status, requestId && shownId(requestId, apiKey, {}), redactReason(describeShape(json), apiKey));
    }
    return received;
  } catch (error) {
    throw unreadable(error, response);
  }
}

function readSuccess<T extends object>(
  received: Received,
  context: CallContext,
  request: ServiceRequest<T>,
  apiKey: string,
): WithRequestId<T> {
  const { json, body, status, problem } = received;
  const id = requestIdOf(received, json);
  // The id becomes an output of the resource, and so a part of the state.
  const requestId = id && shownId(id, apiKey, request);
  let hasResult = false;
  try {
    const fields = request.read(received);
    hasResult = true;
    const failure = request.billed && failureIn(json, context.forms);
    if (failure) throw new FormProblem(`no failure beside the result, but there is ${shownPath(failure.path)}`);
    return requestId === undefined ? fields : { ...fields, requestId };
  } catch (error) {
    if (CloudVoiceError.is(error)) throw requestId === undefined ? error : error.amend({ requestId });
    if (!(error instanceof FormProblem)) throw error;
    if (!hasResult && !isCutShort(received, json) && isRefusal(json, body, context.forms))
      return readRefusal(received, context, request);
    const facts = {
      status,
      requestId,
      billed: "unknown",
      ...(request.secret !== true && { received: receivedCopy(json ?? body, context, apiKey) }),
    } as const;
    // `ServiceError` is transient, so a free request is sent again.
    if (problem !== undefined && !request.billed) throw new ServiceError(problem, { ...facts, advice: tryAgain });
    const { message: serviceText = "" } = errorFields(json);
    const shown = serviceText && `; it says: ${redactReason(serviceText, apiKey, 500)}`;
    const problemShown = request.secret
      ? "its fields are not shown, because an input may be secret"
      : (problem ?? `it has ${describeShape(json)}; expected ${error.message}${shown}`);
    const suggested = request.secret ? undefined : suggestForms(request.action, json, context.forms);
    const line =
      suggested === undefined
        ? ""
        : ` This command sets paths that read it; check them first: \`${formsLine(context.forms, suggested)}\`.`;
    const advice =
      "Check that the address belongs to the service. `npx --no-install pulumi-cloudvoice doctor` shows which parts of " +
      `its responses are understood. The setting cloudvoice:forms names the paths of the others.${line}`;
    throw new UnexpectedAnswerError(`the response has an unexpected form: ${problemShown}`, {
      ...facts,
      advice,
      cause: error,
    });
  }
}

/**
 * The copy of a response for errors and states. For voices, long texts are cut, because the service may repeat the
 * recording. For images, they stay: a picture may be the paid result.
 */
function receivedCopy(json: unknown, { interfaceName }: CallContext, apiKey: string): unknown {
  if (interfaceName !== "voices") return keptCopy(json).copy;
  return keptCopy(json, (text) => (text.length > maxIdLength ? "[…]" : redactReason(text, apiKey))).copy;
}

function readRefusal<T>(received: Received, { clock, interfaceName }: CallContext, request: ServiceRequest<T>): T {
  const { json } = received;
  const { secret = false } = request;
  const refusal = classifyRefusal(received, { json, nowMs: clock.now(), interfaceName, secret });
  const fields = request.readRefusal?.(refusal, received);
  if (!fields) throw refusal;
  return fields;
}

/** The error of a response that can't be read. The service may have done the work. */
function unreadable(error: unknown, { status }: HttpResponse): CloudVoiceError {
  const reason = `the response could not be read: ${describeThrown(error).message}`;
  return new UnexpectedAnswerError(reason, { status, billed: "unknown", cause: error });
}

/** Adds the purpose to an error, and removes secrets from the texts that come from outside. */
function describeFailure(error: CloudVoiceError, request: ServiceRequest<unknown>, apiKey: string): CloudVoiceError {
  const { purpose, billed } = request;
  return error.amend({
    // Calls share this error (see `Outage`). Without a purpose it is the same for all, and is printed once.
    ...(!(error instanceof UnreachableError && error.nothingListens) && { purpose }),
    reason: redactReason(error.reason, apiKey),
    ...(error.code !== undefined && { code: shownCode(error.code, apiKey, request) }),
    ...(error.requestId !== undefined && { requestId: shownId(error.requestId, apiKey, request) }),
    billed: !billed ? "no" : error instanceof LostAnswerError ? "unknown" : error.billed,
    ...(error.advice === undefined && error instanceof UnreachableError && { advice: checkConnection }),
    ...(error.advice === undefined && error instanceof LostAnswerError && { advice: tryAgain }),
  });
}

const checkConnection = "Check the network, and cloudvoice:baseUrl or CLOUDVOICE_BASE_URL.";
