import type { RequestHandler } from "express";
import type { Accounts } from "./accounts";

/** The access rule of the routes below `/_emulator`. */
export function accessRule(host: string, accounts: Pick<Accounts, "ofKey">): RequestHandler {
  return isLoopback(host) ? rejectWebPages(host) : requireKey(accounts);
}

/**
 * Rejects requests from web pages other than the emulator's own. A browser sends them with a header `Origin` or
 * `Sec-Fetch-Site` or, after DNS rebinding, with the page's own host name.
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

/** Other machines can reach the emulator, so the network protects nothing. No web page knows the key. */
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

/** Whether only this machine can reach a server on this address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
}

/** Whether the `Host` header names this machine. */
export function isLocal(hostHeader: string | undefined, host: string): boolean {
  return [host, "127.0.0.1", "localhost", "[::1]"].includes((hostHeader ?? "").replace(/:\d+$/, ""));
}
