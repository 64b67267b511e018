import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";
import { type FaultKind, saysNothing, silentReply } from "./faults";
import { dialectWith, replyOf } from "./forms";
import type { Action } from "./ledger";
import type { Outcome } from "./outcome";
import { outcomeWith, quirkRefusal } from "./quirks";
import { sendReply } from "./send-reply";
import type { EmulatorState } from "./state";

const invalidKey = { status: 401, code: "InvalidApiKey", message: "Invalid API-key provided." };
const rateLimited = { status: 429, code: "Throttling.RateQuota", message: "Requests rate limit exceeded." };
const internalError = { status: 500, code: "InternalError", message: "An internal error has occurred." };

/** The faults that end a call before its work, each with the status and the code that the ledger records. */
const refusals: { [K in FaultKind]?: { status: number; code: string; message?: string } } = {
  "429": rateLimited,
  "429-retry-after": rateLimited,
  "500": internalError,
  "html-502": { status: 502, code: "html" },
  "reset-before": { status: 0, code: "reset" },
};

export async function serveCall(
  state: EmulatorState,
  action: Action,
  request: Request,
  response: Response,
  work: (account: string) => Promise<Outcome> | Outcome,
): Promise<void> {
  const requestId = randomUUID();
  // The time of the emulator's clock, which `advance` moves.
  response.setHeader("date", new Date(state.now()).toUTCString());
  const reply = (outcome: Outcome) => replyOf(dialectWith(state.dialect, state.quirks), action, requestId, outcome);
  const account = state.accounts.ofKey(/^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "");
  if (account === undefined) {
    const { code } = invalidKey;
    const refused = reply(invalidKey);
    state.record({ account: "(none)", action, status: refused.status, charge: 0, requestId, code });
    return sendReply(response, refused);
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
    return sendReply(response, reply(refusal));
  }
  const silent = fault && saysNothing(fault.kind) ? silentReply(fault.kind, requestId) : undefined;
  if (silent && fault?.afterWork !== true) {
    state.record({ account, action, status: silent.status, charge: 0, requestId, ...injected });
    return sendReply(response, silent);
  }
  if (!state.rateLimits.accepts(action)) {
    const { status, code } = rateLimited;
    state.record({ account, action, status, charge: 0, requestId, code });
    return sendReply(response, reply(rateLimited));
  }
  if (fault?.kind === "slow") await state.pause(fault.delayMs ?? 1000);

  state.deleteUnusedVoices();
  const done = quirkRefusal(request.body, state.quirks) ?? (await whileInProgress(state, action, () => work(account)));
  const outcome = outcomeWith(done, action, state.quirks);
  const { code, charge = 0, effect } = outcome;
  const answer = silent ?? reply(outcome);
  const { status } = answer;
  state.record({ account, action, status, charge, requestId, ...(code && { code }), ...injected, ...effect });
  switch (fault?.kind) {
    case "reset-after":
      return void request.socket.destroy();
    case "500-after":
      return sendReply(response, reply(internalError));
    case "cut-json":
      return sendReply(response, { ...answer, body: answer.body.slice(0, answer.body.length / 2) });
    default:
      return sendReply(response, answer);
  }
}

async function whileInProgress(
  state: EmulatorState,
  action: Action,
  work: () => Promise<Outcome> | Outcome,
): Promise<Outcome> {
  const count = (change: number) => state.inProgress.set(action, (state.inProgress.get(action) ?? 0) + change);
  count(1);
  try {
    if (action === "create" && state.createDelayMs > 0) await state.pause(state.createDelayMs);
    await state.held.get(action);
    return await state.unlessClosed(work);
  } finally {
    count(-1);
  }
}

function sendGatewayPage(response: Response): void {
  response.status(502).type("text/html").send("<html><body><h1>502 Bad Gateway</h1></body></html>");
}
