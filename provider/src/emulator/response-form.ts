import type { Response } from "express";
import type { Action } from "./ledger";
import type { Outcome } from "./outcome";

export interface ResponseContext {
  action: Action;
  requestId: string;
  form: "nested" | "flat";
}

export function sendOutcome(response: Response, context: ResponseContext, outcome: Outcome): void {
  response.status(outcome.status).setHeader("x-request-id", context.requestId).json(responseBody(context, outcome));
}

/** The response body in one of the two forms that the service is known to use. */
export function responseBody({ action, requestId, form }: ResponseContext, outcome: Outcome): object {
  const { status, code, message, output, usage } = outcome;
  const isDecision = action === "decide";
  if (status !== 200 && isDecision && form === "nested") {
    return { error: { message, type: "invalid_request_error", param: null, code }, request_id: requestId };
  }
  if (status !== 200) return { code, message, request_id: requestId };
  // Contract 4.7 gives the decision response in full, so it has one form only.
  if (isDecision) return { ...output, usage, request_id: requestId };
  if (form === "nested") return { output, ...(usage && { usage }), request_id: requestId };
  // The flat form also has another name for the list of voices.
  const { voice_list: voices, ...fields } = output ?? {};
  return { ...fields, ...(voices !== undefined && { voices }), ...usage, request_id: requestId };
}
