import { createServer, type RequestListener, Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";

export const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    if (server instanceof HttpServer) server.closeAllConnections();
    server.close();
  }
});

/** Starts a server on this machine and returns its address. */
export async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function serve(listener: RequestListener) {
  const requests: Parameters<RequestListener>[0][] = [];
  const url = `http://${await listening(
    createServer((request, response) => {
      requests.push(request);
      response.shouldKeepAlive = false;
      listener(request, response);
    }),
  )}`;
  return { url, requests };
}
