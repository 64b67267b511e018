import { type FaultKind, faultKinds } from "./faults";
import type { Reply } from "./response-form";

/** Responses with the status 200 that tell nothing about the call. */
const bodies = {
  "empty-body": () => "",
  "empty-object": () => "{}",
  "error-200": (request_id) => ({ code: "InternalError", message: "An internal error has occurred.", request_id }),
  "html-200": () => "<!doctype html><html><body><h1>Sign in</h1><p>Please sign in to this network.</p></body></html>",
  "unavailable-200": (request_id) => ({ request_id, count: 0, message: "temporarily unavailable" }),
  "refusal-200": (request_id) => ({
    ...{ request_id, count: 0, voice_list: [], task_id: null, answers: null },
    base_resp: { status_code: 1002, status_msg: "rate limit" },
  }),
  "total-only": (request_id) => ({ output: { total_count: 7 }, usage: { count: 0 }, request_id }),
} satisfies Partial<Record<FaultKind, (requestId: string) => string | object>>;
export type SilentKind = keyof typeof bodies;

export const silentKinds = faultKinds.filter((kind): kind is SilentKind => kind in bodies);

export function saysNothing(kind: FaultKind): kind is SilentKind {
  return kind in bodies;
}

export function silentReply(kind: SilentKind, requestId: string): Reply {
  const body = bodies[kind](requestId);
  const type = kind === "html-200" ? "text/html" : "application/json";
  return {
    status: 200,
    headers: { "content-type": type },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}
