import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { isOwnUser, listenHere } from "../../peer";
import { browserCommand } from "../../system";
import { systemPath } from "../../system-path";
import { printError } from "../print";

/**
 * Serves a page with people's voices to the browser of this machine's user until Ctrl-C. A random path and a check of
 * the header `Host` keep other pages in the browser from reading this page.
 */
export async function servePage(html: string, open: (url: string) => void = openBrowser): Promise<void> {
  const path = `/${randomBytes(16).toString("hex")}/`;
  const server = createServer((request, response) => {
    const isPageRequest = request.url === path && request.headers.host === host && request.method === "GET";
    const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff", connection: "close" };
    if (isPageRequest) response.writeHead(200, { ...headers, "content-type": "text/html; charset=utf-8" }).end(html);
    else response.writeHead(404, headers).end();
  });
  server.on("connection", (socket) => {
    if (!isOwnUser(socket)) socket.destroy();
  });
  const host = `127.0.0.1:${await listenHere(server)}`;
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  const url = `http://${host}${path}`;
  printError(`The page is at ${url} until you press Ctrl-C.`);
  open(url);
  await stopped;
  server.close();
  server.closeAllConnections();
}

/** Opens the browser. Ignores errors, because the user can open the printed address. */
function openBrowser(url: string): void {
  const [command, ...args] = browserCommand();
  const env = { ...process.env, PATH: systemPath() };
  spawn(command, [...args, url], { stdio: "ignore", detached: true, env })
    .on("error", () => undefined)
    .unref();
}
