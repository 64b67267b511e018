import type { RequestHandler } from "express";
import type { Accounts } from "./accounts";

/**
 * The access rule for the control routes (below `/_emulator`). On a loopback address, web pages are rejected. On any
 * other address, the routes need a key.
 */
export function accessRule(host: string, accounts: Pick<Accounts, "ofKey">): RequestHandler {
  return isLoopback(host) ? rejectWebPages(host) : requireKey(accounts);
}

/**
 * Rejects requests from web pages other than the emulator's own page. The browser sends the header `Origin` or
 * `Sec-Fetch-Site` with such a request or, after DNS rebinding, the page's host name in the header `Host`.
 */
function rejectWebPages(host: string): RequestHandler {
  return ({ headers }, response, next) => {
    const { origin, "sec-fetch-site": site } = headers;
    const isOwnOrigin = origin === undefined || origin === `http://${headers.host ?? ""}`;
    if (isLocal(headers.host, host) && isOwnOrigin && (site === undefined || site === "same-origin")) return next();
    const message = "The control routes refused the request: it comes from a web page. Use curl or a test instead.";
    response.status(403).json({ code: "AccessDenied", message });
  };
}

/** Requires an API key of the emulator, because other machines can reach it. Web pages do not know the key. */
function requireKey(accounts: Pick<Accounts, "ofKey">): RequestHandler {
  return ({ headers }, response, next) => {
    const key = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
    if (key !== undefined && accounts.ofKey(key) !== undefined) return next();
    const message =
      "The control routes refused the request: other machines can reach this emulator, so the routes need its API key. " +
      "Send the header Authorization: Bearer <key>.";
    response.status(401).json({ code: "InvalidApiKey", message });
  };
}

/** Whether a server that listens on this address can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
}

/** Whether the header `Host` names this machine, or the address on which the emulator listens. */
export function isLocal(hostHeader: string | undefined, host: string): boolean {
  return [host, "127.0.0.1", "localhost", "[::1]"].includes((hostHeader ?? "").replace(/:\d+$/, ""));
}
