import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Request, Response } from "express";
import type { FaultKind } from "./faults";
import type { Action } from "./ledger";
import type { Outcome } from "./outcome";
import { responseBody, type ResponseContext, sendOutcome } from "./response-form";
import { quirkRefusal, withQuirks } from "./quirks";
import type { EmulatorState } from "./state";

const invalidKey = { status: 401, code: "InvalidApiKey", message: "Invalid API-key provided." };
const rateLimited = { status: 429, code: "Throttling.RateQuota", message: "Requests rate limit exceeded." };
const internalError = { status: 500, code: "InternalError", message: "An internal error has occurred." };

/** The faults that end a call before the work, with the status and the code that the ledger records. */
const refusals: { [K in FaultKind]?: { status: number; code: string; message?: string } } = {
  "429": rateLimited,
  "429-retry-after": rateLimited,
  "500": internalError,
  "html-502": { status: 502, code: "html" },
  "reset-before": { status: 0, code: "reset" },
};

/** Serves one call: checks the API key, injects a fault before the work, does the work, injects a fault after it. */
export async function serveCall(
  state: EmulatorState,
  action: Action,
  request: Request,
  response: Response,
  work: (account: string) => Promise<Outcome> | Outcome,
): Promise<void> {
  const context: ResponseContext = { action, requestId: randomUUID(), form: state.responseForm };
  const { requestId } = context;
  const account = state.accounts.ofKey(/^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "");
  if (account === undefined) {
    const { status, code } = invalidKey;
    state.record({ account: "(none)", action, status, charge: 0, requestId, code });
    return sendOutcome(response, context, invalidKey);
  }

  const fault = state.faults.next(action);
  const injected = fault && { fault: fault.kind };
  const refusal = fault && refusals[fault.kind];
  if (refusal) {
    const { status, code } = refusal;
    state.record({ account, action, status, charge: 0, requestId, code, ...injected });
    if (fault.kind === "reset-before") return void request.socket.destroy();
    if (fault.kind === "html-502") return sendGatewayPage(response);
    if (fault.kind === "429-retry-after") response.setHeader("retry-after", String(fault.retryAfterSeconds ?? 1));
    return sendOutcome(response, context, refusal);
  }
  if (!state.rateLimits.accepts(action)) {
    const { status, code } = rateLimited;
    state.record({ account, action, status, charge: 0, requestId, code });
    return sendOutcome(response, context, rateLimited);
  }
  if (fault?.kind === "slow") await pause(fault.delayMs ?? 1000);

  const done = quirkRefusal(request.body, state.quirks) ?? (await whileInProgress(state, action, () => work(account)));
  const outcome = withQuirks(done, action, state.quirks);
  const { status, code, charge = 0, effect } = outcome;
  state.record({ account, action, status, charge, requestId, ...(code && { code }), ...injected, ...effect });
  switch (fault?.kind) {
    case "reset-after":
      return void request.socket.destroy();
    case "500-after":
      return sendOutcome(response, context, internalError);
    case "cut-json":
      return sendHalf(response, context, outcome);
    default:
      return sendOutcome(response, context, outcome);
  }
}

/** Waits without keeping the process alive after the emulator is closed. */
export function pause(ms: number): Promise<void> {
  return delay(ms, undefined, { ref: false });
}

async function whileInProgress(
  state: EmulatorState,
  action: Action,
  work: () => Promise<Outcome> | Outcome,
): Promise<Outcome> {
  const count = (change: number) => state.inProgress.set(action, (state.inProgress.get(action) ?? 0) + change);
  count(1);
  try {
    if (action === "create" && state.createDelayMs > 0) await pause(state.createDelayMs);
    await state.held.get(action);
    return await work();
  } finally {
    count(-1);
  }
}

function sendGatewayPage(response: Response): void {
  response.status(502).type("text/html").send("<html><body><h1>502 Bad Gateway</h1></body></html>");
}

function sendHalf(response: Response, context: ResponseContext, outcome: Outcome): void {
  const whole = JSON.stringify(responseBody(context, outcome));
  response
    .status(outcome.status)
    .type("application/json")
    .send(whole.slice(0, whole.length / 2));
}
