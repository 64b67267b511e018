import { connect } from "../../provider/src/service/connect";
import type { HttpRequest, HttpResponse } from "../../provider/src/service/http";
import { fakeClock, settingsOf } from "./service";

export const apiKey = "canary-key-0123456789";

/** The service, which gets one response to every call. */
export function respondingWith(
  json: unknown,
  { status = 200, headers = {} }: Partial<HttpResponse> = {},
  more: Record<string, string> = {},
  maxThrottleMs = 0,
) {
  let body = typeof json === "string" ? json : JSON.stringify(json);
  const sent: HttpRequest[] = [];
  const usual = { baseUrl: "https://service.example", apiKey, maxRetries: "0" };
  const http = {
    send: (request: HttpRequest) => {
      sent.push(request);
      return Promise.resolve({ status, headers: { "content-type": "application/json", ...headers }, body });
    },
    open: () => Promise.reject(new Error("no downloads here")),
    close: () => Promise.resolve(),
  };
  /** Changes the response to later calls. */
  const respond = (next: unknown) => (body = JSON.stringify(next));
  return {
    sent,
    respond,
    ...connect({ ...settingsOf({ ...usual, ...more }), maxThrottleMs }, { http, clock: fakeClock() }),
  };
}
