import { z } from "zod";
import {
  CloudVoiceError,
  InputError,
  LostAnswerError,
  ServiceError,
  UnexpectedAnswerError,
  UnreachableError,
} from "../errors";
import { classifyRefusal } from "./classify-refusal";
import type { Clock } from "./clock";
import type { Http, HttpRequest, HttpResponse } from "./http";
import { redactId, redactReason } from "./redact";
import { flattenFields, parseJson, requestIdOf } from "./response-fields";

/** What all requests to the service share. */
export interface CallContext {
  http: Http;
  clock: Clock;
  /** Throws when no key is set. A function, so that work without calls needs no key. */
  apiKey(): string;
  maxRetries: number;
}

export interface ServiceRequest<T> {
  /** What the request is for, as the start of an error message: `creating the voice narrator`. */
  operation: string;
  method: HttpRequest["method"];
  url: string;
  headers?: Record<string, string>;
  body?: HttpRequest["body"];
  /** The wanted fields of the response, at whatever level the service puts them. */
  responseSchema: z.ZodType<T>;
  /** Whether the service bills for a request that it accepts. */
  billed: boolean;
  /** Texts of the request that may be secret. No error message repeats them. */
  secretTexts?: (string | undefined)[];
}

export type WithRequestId<T> = T & { requestId?: string };

/** Sends a request once. Resolves with the fields of the response, or rejects with a {@link CloudVoiceError}. */
export async function sendRequest<T extends object>(
  context: CallContext,
  request: ServiceRequest<T>,
): Promise<WithRequestId<T>> {
  const apiKey = context.apiKey();
  try {
    const response = await context.http.send({
      method: request.method,
      url: request.url,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...request.headers },
      ...(request.body && { body: request.body }),
    });
    if (response.status < 200 || response.status > 299) throw classifyRefusal(response, context.clock.now());
    return readSuccess(response, request.responseSchema);
  } catch (error) {
    if (!CloudVoiceError.is(error) || error instanceof InputError) throw error;
    throw describeFailure(error, request, apiKey);
  }
}

function readSuccess<T extends object>(response: HttpResponse, schema: z.ZodType<T>): WithRequestId<T> {
  const json = parseJson(response.body);
  const fields = flattenFields(json);
  const requestId = requestIdOf(response, fields);
  const facts = { status: response.status, requestId, billed: "unknown" } as const;
  if (json === undefined)
    throw new ServiceError("the response is not JSON, or it was cut short", { ...facts, advice: tryAgain });
  const parsed = schema.safeParse(fields);
  if (!parsed.success) {
    const issues = z.prettifyError(parsed.error).replace(/\s*\n\s*/g, " ");
    const advice = "Check that the address belongs to the service, or install a newer version of pulumi-cloudvoice.";
    throw new UnexpectedAnswerError(`the response has an unknown form: ${issues}`, { ...facts, advice });
  }
  return requestId === undefined ? parsed.data : { ...parsed.data, requestId };
}

/** Adds the operation to an error, and removes secrets from the texts that come from outside. */
function describeFailure(
  error: CloudVoiceError,
  { operation, billed, secretTexts }: Pick<ServiceRequest<unknown>, "operation" | "billed" | "secretTexts">,
  apiKey: string,
): CloudVoiceError {
  return error.amend({
    operation,
    reason: redactReason(error.reason, apiKey, secretTexts),
    ...(error.code !== undefined && { code: redactId(error.code, apiKey, secretTexts) }),
    ...(error.requestId !== undefined && { requestId: redactId(error.requestId, apiKey, secretTexts) }),
    billed: !billed ? "no" : error instanceof LostAnswerError ? "unknown" : error.billed,
    ...(error.advice === undefined && error instanceof UnreachableError && { advice: checkConnection }),
    ...(error.advice === undefined && error instanceof LostAnswerError && { advice: tryAgain }),
  });
}

const checkConnection = "Check the network, and cloudvoice:baseUrl or CLOUDVOICE_BASE_URL.";
const tryAgain = "Run the command again later.";
