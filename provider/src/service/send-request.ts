import type { z } from "zod";
import {
  CloudVoiceError,
  InputError,
  LostAnswerError,
  ServiceError,
  UnexpectedAnswerError,
  UnreachableError,
} from "../errors";
import { isRecord } from "../rules/is-record";
import { classifyRefusal, isRefusal } from "./classify-refusal";
import type { Clock } from "./clock";
import type { Http, HttpRequest, HttpResponse } from "./http";
import { redactId, redactReason } from "./redact";
import { describeShape, flattenFields, parseJson, requestIdOf } from "./response-fields";
import type { Throttle } from "./throttle";

/** The interfaces of the service. */
export type InterfaceName = "voices" | "images" | "decisions";

/** What all requests to one interface share. */
export interface CallContext {
  interfaceName: InterfaceName;
  http: Http;
  clock: Clock;
  throttle: Throttle;
  /** Throws when no key is set. A function, so that work without calls needs no key. */
  apiKey(): string;
  maxRetries: number;
  /** Logs one line for the user. */
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
  /** The names of the fields in the response. */
  fields: string;
}

export interface ServiceRequest<T> {
  /** What the request is for, as the start of an error message: `creating the voice narrator`. */
  purpose: string;
  /** For the debug log: `create`, `list`, `submit`, … */
  action: string;
  method: HttpRequest["method"];
  url: string;
  headers?: Record<string, string>;
  body?: HttpRequest["body"];
  /** The wanted fields of the response, at whatever level the service puts them. */
  responseSchema: z.ZodType<T>;
  /** The fields that a successful response has one of; empty if it needs none. */
  expectedFields: readonly string[];
  /** Whether the service bills for a request that it accepts. */
  isBillable: boolean;
  /** Whether an input of the request is secret, or may be. No error message then repeats what the service says. */
  secret?: boolean;
  /** Runs before each attempt, once it is its turn. Rejects when the request must not be sent any more. */
  beforeSend?: (() => Promise<void>) | undefined;
}

export type WithRequestId<T> = T & { requestId?: string };

/**
 * Sends a request once, and again only after a 429, which means that nothing was done. Resolves with the fields of the
 * response, or rejects with a {@link CloudVoiceError}.
 */
export async function sendRequest<T extends object>(
  context: CallContext,
  request: ServiceRequest<T>,
): Promise<WithRequestId<T>> {
  const apiKey = context.apiKey();
  try {
    return await context.throttle.run(async () => {
      await request.beforeSend?.();
      const response = await exchange(context, request, apiKey);
      const isSuccess = response.status >= 200 && response.status <= 299;
      const json = parseJson(response.body);
      if (!isSuccess || isRefusal(json, request.expectedFields))
        throw classifyRefusal(response, context.clock.now(), context.interfaceName, request.secret);
      return readSuccess(response, json, request, apiKey);
    });
  } catch (error) {
    if (!CloudVoiceError.is(error) || error instanceof InputError) throw error;
    throw describeFailure(error, request, apiKey);
  }
}

/** Sends the request and reports the call. */
async function exchange(
  { http, clock, observe }: CallContext,
  { method, url, headers, body, action }: ServiceRequest<unknown>,
  apiKey: string,
): Promise<HttpResponse> {
  const startedAt = clock.now();
  const report = (status: number | string, requestId?: string, fields = "none") =>
    observe?.({ method, path: new URL(url).pathname, action, status, ms: clock.now() - startedAt, requestId, fields });
  try {
    const response = await http.send({
      method,
      url,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
      ...(body && { body }),
    });
    if (observe) {
      const json = parseJson(response.body);
      const requestId = requestIdOf(response, flattenFields(json));
      report(response.status, requestId && redactId(requestId, apiKey), redactId(describeShape(json), apiKey));
    }
    return response;
  } catch (error) {
    report(CloudVoiceError.is(error) ? error.name : "failed");
    throw error;
  }
}

function readSuccess<T extends object>(
  response: HttpResponse,
  json: unknown,
  { responseSchema, expectedFields, secret }: ServiceRequest<T>,
  apiKey: string,
): WithRequestId<T> {
  const fields = flattenFields(json);
  const id = requestIdOf(response, fields);
  // It becomes an output of the resource, and so a part of the state.
  const requestId = id && redactId(id, apiKey);
  const facts = { status: response.status, requestId, billed: "unknown" } as const;
  if (json === undefined)
    throw new ServiceError("the response is not JSON, or it was cut short", { ...facts, advice: tryAgain });
  const parsed = isRecord(json) ? responseSchema.safeParse(fields) : undefined;
  if (!parsed?.success) {
    const expected = expectedFields.length === 0 ? "an object" : expectedFields.join(" or ");
    const issues = parsed === undefined ? [] : parsed.error.issues.map(describeIssue);
    const received = secret
      ? "its fields are not shown, because an input may be secret"
      : `it has ${describeShape(json)}`;
    const details = secret || issues.length === 0 ? "" : ` (${issues.join("; ")})`;
    const advice = "Check that the address belongs to the service, or install a newer version of pulumi-cloudvoice.";
    const reason = `the response has an unexpected form: ${received}; expected ${expected}${details}`;
    throw new UnexpectedAnswerError(reason, { ...facts, advice });
  }
  return requestId === undefined ? parsed.data : { ...parsed.data, requestId };
}

/** Names the field and the problem. Zod's messages name types, never values. */
function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
}

/** Adds the purpose to an error, and removes secrets from the texts that come from outside. */
function describeFailure(
  error: CloudVoiceError,
  { purpose, isBillable }: Pick<ServiceRequest<unknown>, "purpose" | "isBillable">,
  apiKey: string,
): CloudVoiceError {
  return error.amend({
    purpose,
    reason: redactReason(error.reason, apiKey),
    ...(error.code !== undefined && { code: redactId(error.code, apiKey) }),
    ...(error.requestId !== undefined && { requestId: redactId(error.requestId, apiKey) }),
    billed: !isBillable ? "no" : error instanceof LostAnswerError ? "unknown" : error.billed,
    ...(error.advice === undefined && error instanceof UnreachableError && { advice: checkConnection }),
    ...(error.advice === undefined && error instanceof LostAnswerError && { advice: tryAgain }),
  });
}

const checkConnection = "Check the network, and cloudvoice:baseUrl or CLOUDVOICE_BASE_URL.";
const tryAgain = "Run the command again later.";
