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
import { describeShape, requestIdOf, shortenedCopy } from "./responses/describe";
import type { Forms } from "../rules/settings";
import type { InterfaceName } from "./responses/codes";
import { checkAddress, classifyRefusal, errorFields, isCutShort, isRefusal, tryAgain } from "./responses/error";
import { FormProblem, shownPath } from "./responses/forms";
import { parseBody } from "./responses/json";
import { failureIn } from "./responses/meaning";
import type { RetryOptions } from "./retry";
import type { Throttle } from "./throttle";

export interface CallContext extends RetryOptions {
  interfaceName: InterfaceName;
  forms?: Forms | undefined;
  http: Http;
  throttle: Throttle;
  /** Returns the API key, and throws if it is not set: work that sends no calls needs no key. */
  apiKey: () => string;
  /** Throws if the address must not get the API key. */
  assertAddress?: () => void;
  /**
   * Called before each request that is not billed. Rejects if the request must not be sent, e.g. because the engine has
   * exited and its result is no longer needed.
   */
  beforeFree?: ((action: Action) => Promise<void>) | undefined;
  log: (line: string) => void;
  /** Called after each call. Used for the debug log and by `pulumi-cloudvoice doctor`. */
  observe?: ((call: ObservedCall) => void) | undefined;
}

/** A description of a call, which contains no value of its request or response. */
export interface ObservedCall {
  method: HttpRequest["method"];
  path: string;
  action: string;
  /** The status of the response. If there was no response, the name of the error. */
  status: number | string;
  ms: number;
  requestId: string | undefined;
  fields: string;
}

export interface BilledCall extends Secrecy {
  sending: Sending;
}

type Action = "create" | "list" | "delete" | "submit" | "poll" | "decide";

export interface ServiceRequest<T>
  extends
    Secrecy,
    Pick<HttpRequest, "method" | "url" | "body" | "mayCarryPictures">,
    Partial<Pick<HttpRequest, "headers">> {
  /** Begins the error message, for example `creating the voice narrator`. */
  purpose: string;
  /** The name of the call in the debug log: `create`, `list`, `submit`, … */
  action: Action;
  /** Extracts the result from a success response. Throws a {@link FormProblem} that names the missing part. */
  read: (response: Received) => T;
  /**
   * Extracts the result from a refusal, e.g. one that reports a failed task. Returns false if the refusal has no result
   * and so is an error.
   */
  readRefusal?: (refusal: CloudVoiceError, response: Received) => T | false;
  /** The billed request to which this call belongs. False if the call is free. */
  billed: Sending | false;
  /** Called after a 429, before the request waits to be sent again. Rejects if the 429 does not mean a rate limit. */
  onRateLimit?: ((error: CloudVoiceError) => Promise<void>) | undefined;
}

export interface Received extends HttpResponse {
  url: string;
  /** If the body is JSON, it may contain the API key. Read `json` instead, from which the key is removed. */
  body: string;
  /** Undefined if the body can't be read as JSON. `problem` then states the reason. */
  json: unknown;
  problem: string | undefined;
  /** The request id as outputs and log lines show it: it is hidden if it may quote a secret. */
  requestId: string | undefined;
}

export type WithRequestId<T> = T & { requestId?: string };

/** Sends a request. Sends it again only after a 429, because a 429 means that nothing was done. */
export async function sendRequest<T extends object>(
  context: CallContext,
  request: ServiceRequest<T>,
): Promise<WithRequestId<T>> {
  const apiKey = context.apiKey();
  context.assertAddress?.();
  const describe = (error: unknown) =>
    !CloudVoiceError.is(error) || error instanceof InputError ? error : describeFailure(error, request, apiKey);
  try {
    return await context.throttle.run(
      async () => {
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
    const described = describe(error);
    if (request.billed && CloudVoiceError.is(described) && described.billed === "unknown") request.billed.keepNote();
    throw described;
  }
}

async function exchange(
  { http, clock, observe, beforeFree }: CallContext,
  request: ServiceRequest<unknown>,
  apiKey: string,
): Promise<Received> {
  const { method, url, headers, body, mayCarryPictures, action, billed } = request;
  let startedAt: number | undefined;
  const report = (status: number | string, requestId?: string, fields = "none") => {
    if (startedAt === undefined) return; // The request was not sent.
    observe?.({ method, path: new URL(url).pathname, action, status, ms: clock.now() - startedAt, requestId, fields });
  };
  const response = await http
    .send({
      method,
      url,
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { "content-type": "application/json" }), ...headers },
      body,
      mayCarryPictures,
      beforeSend: async (bytesUnderWay) => {
        if (billed) await billed.beforeSend(bytesUnderWay);
        else await beforeFree?.(action);
        startedAt = clock.now();
      },
    })
    .catch((error: unknown) => {
      report(CloudVoiceError.is(error) ? error.name : "failed");
      throw error;
    });
  try {
    // Remove the API key before anything reads or shortens a text: a shortened key would not be recognised.
    const shown = keyRemover(apiKey);
    const { json, problem } = parseBody(response.body, shown);
    const id = requestIdOf(response, json);
    const requestId = id && shownId(id, apiKey, request);
    if (observe) report(response.status, requestId, redactReason(describeShape(json), apiKey));
    const text = json === undefined ? shown(response.body) : response.body;
    return { ...response, body: text, url, json, problem, requestId };
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
  const { json, body, requestId } = received;
  let hasResult = false;
  try {
    const fields = request.read(received);
    hasResult = true;
    const failure = request.billed && failureIn(json, context.forms);
    if (failure) throw new FormProblem(`a result without a failure, but ${shownPath(failure.path)} reports one`);
    return requestId === undefined ? fields : { ...fields, requestId };
  } catch (error) {
    if (CloudVoiceError.is(error)) throw requestId === undefined ? error : error.amend({ requestId });
    if (!(error instanceof FormProblem)) throw error;
    if (!hasResult && !isCutShort(received, json) && isRefusal(json, body, context.forms))
      return readRefusal(received, context, request);
    throw unexpectedForm(error, received, context, request, apiKey);
  }
}

/** The error for a success response in which neither a result nor a refusal was recognised. */
function unexpectedForm(
  expected: FormProblem,
  { json, body, status, problem, requestId }: Received,
  { interfaceName }: CallContext,
  { secret = false, billed }: ServiceRequest<unknown>,
  apiKey: string,
): CloudVoiceError {
  // A free request is sent again after a `ServiceError`, because this error counts as temporary.
  if (problem !== undefined && !billed)
    return new ServiceError(problem, { status, requestId, advice: `${tryAgain} ${checkAddress}` });
  const facts = { status, requestId, billed: "unknown", cause: expected } as const;
  const doctor =
    "Check that the address belongs to the service. `npx --no-install pulumi-cloudvoice doctor` shows which parts of " +
    "its responses are understood. Set the paths of the other parts in cloudvoice:forms.";
  const about = (what: string) => `the response has an unexpected form: ${what}`;
  if (secret)
    return new UnexpectedAnswerError(about("its fields are not shown, because an input may be secret"), {
      ...facts,
      advice: doctor,
    });
  const { message = "" } = errorFields(json);
  const shown = message && `; it says: ${redactReason(message, apiKey, 500)}`;
  return new UnexpectedAnswerError(
    about(problem ?? `it has ${describeShape(json)}; expected ${expected.message}${shown}`),
    {
      ...facts,
      // A picture or an answer may be the paid result. A response about voices has none, and may quote the recording.
      ...(interfaceName !== "voices" && { received: shortenedCopy(json ?? body).copy }),
      advice: doctor,
    },
  );
}

function readRefusal<T>(received: Received, { clock, interfaceName }: CallContext, request: ServiceRequest<T>): T {
  const { json } = received;
  const { secret = false } = request;
  const refusal = classifyRefusal(received, { json, nowMs: clock.now(), interfaceName, secret });
  const fields = request.readRefusal?.(refusal, received);
  if (!fields) throw refusal;
  return fields;
}

/** The error for a response that can't be read. The service may have done the work. */
function unreadable(error: unknown, { status }: HttpResponse): CloudVoiceError {
  const reason = `the response could not be read: ${describeThrown(error).message}`;
  return new UnexpectedAnswerError(reason, { status, billed: "unknown", cause: error });
}

/** Adds the purpose of the request to an error, and removes secrets from texts that come from the service. */
function describeFailure(error: CloudVoiceError, request: ServiceRequest<unknown>, apiKey: string): CloudVoiceError {
  const { purpose, billed } = request;
  return error.amend({
    purpose,
    reason: redactReason(error.reason, apiKey),
    ...(error.code !== undefined && { code: shownCode(error.code, apiKey, request) }),
    ...(error.requestId !== undefined && { requestId: shownId(error.requestId, apiKey, request) }),
    billed: !billed ? "no" : error instanceof LostAnswerError ? "unknown" : error.billed,
    ...(error.advice === undefined && error instanceof UnreachableError && { advice: checkConnection }),
    ...(error.advice === undefined && error instanceof LostAnswerError && { advice: tryAgain }),
  });
}

const checkConnection = "Check the network, and cloudvoice:baseUrl or CLOUDVOICE_BASE_URL.";
