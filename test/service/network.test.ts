import { getEventListeners } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import tls from "node:tls";
import { generate } from "selfsigned";
import { emulate } from "../support/emulate";
import { heldTimeouts } from "../support/held-timeouts";
import { listening, serve, servers } from "../support/serve";
import { connected, fakeClock } from "../support/service";
import { until } from "../support/until";
import { calls } from "./calls";

const apiKey = "sk-canary-of-the-network";
afterEach(() => jest.restoreAllMocks());

/** A server with a certificate of its own. */
async function serveTls(listener: RequestListener = (_, response) => response.end("{}")) {
  const { private: key, cert } = await generate([{ name: "commonName", value: "127.0.0.1" }]);
  const requests: IncomingMessage[] = [];
  // With TLS 1.3, a usual close may look like a reset, because the client has not read the server's tickets.
  const server = createTlsServer({ key, cert, maxVersion: "TLSv1.2" }, (request, response) => {
    requests.push(request);
    listener(request, response);
  });
  return { address: await listening(server), requests };
}

test("sends no request, and so no key, to a server with an untrusted certificate", async () => {
  const { address, requests } = await serveTls();
  const service = connected({ url: `https://${address}`, apiKey }, { maxRetries: "0" });
  await expect(calls.list(service)).rejects.toThrow(/could not be reached: .*self.signed certificate/);
  expect(requests).toEqual([]);
});

test("an https address of a plain HTTP server rejects with an error that suggests http://", async () => {
  const { url, requests } = await serve((_, response) => response.end("{}"));
  const { voices } = connected({ url: url.replace("http:", "https:"), apiKey }, { maxRetries: "0" });
  const error = await voices.listPage(0, 1).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    name: "UnreachableError",
    billed: "no",
    message: expect.stringMatching(/does not speak TLS\. If it is an http address, write http:\/\//) as string,
  });
  expect(requests).toEqual([]);
});

function acceptOwnCertificates(): void {
  const { connect: connectTls } = tls;
  const accepting = (options: tls.ConnectionOptions, listener?: () => void) =>
    connectTls({ ...options, rejectUnauthorized: false }, listener);
  jest.spyOn(tls, "connect").mockImplementation(accepting as typeof tls.connect);
}

test("a TLS error after the request was sent is a lost response", async () => {
  const { address, requests } = await serveTls((request) => {
    // A plain text in place of a TLS record.
    const { _parent: raw } = request.socket as unknown as { _parent: Socket };
    raw.write("this is no TLS record, and long enough to be parsed as one");
  });
  acceptOwnCertificates();
  const service = connected({ url: `https://${address}`, apiKey }, { maxRetries: "0" });
  await expect(calls.create(service)).rejects.toMatchObject({ name: "LostAnswerError", billed: "unknown" });
  expect(requests).toHaveLength(1);
});

test.each(["http", "https"])(
  "a request over %s that is given up ends with a reset, so that nothing in buffers is delivered",
  async (scheme) => {
    const timeouts = heldTimeouts();
    let closed = "";
    const listener: RequestListener = (request) => {
      request.socket.on("error", ({ code = "" }: NodeJS.ErrnoException) => (closed = code));
      request.socket.on("close", () => (closed ||= "closed"));
      // Not inside the server's own reading, which would hide the reset from a TLS server of this process.
      request.resume().on("end", () => setImmediate(() => timeouts.forEach(({ end }) => end())));
    };
    acceptOwnCertificates();
    const url = scheme === "http" ? (await serve(listener)).url : `https://${(await serveTls(listener)).address}`;
    const creating = calls.create(connected({ url, apiKey }, { maxRetries: "0" }));
    await expect(creating).rejects.toMatchObject({ name: "LostAnswerError", billed: "unknown" });
    await until(() => closed !== "");
    expect(closed).toBe("ECONNRESET");
  },
);

test("a timeout while connecting bills nothing", async () => {
  // The server accepts the connection and never completes the TLS handshake.
  const url = `https://${await listening(createTcpServer())}`;
  const service = connected({ url, apiKey }, { maxRetries: "0", requestTimeoutSeconds: "0.3" });
  await expect(calls.create(service)).rejects.toMatchObject({ name: "UnreachableError", billed: "no" });
});

test("a TLS handshake that ends after the time-out bills nothing, because nothing is sent any more", async () => {
  const { address, requests } = await serveTls();
  let complete = (): void => undefined;
  // Holds back what the server answers to the handshake.
  const slow = await listening(
    createTcpServer((client) => {
      const server = connect(Number(address.split(":")[1]), "127.0.0.1");
      client.pipe(server);
      complete = () => void server.pipe(client);
      client.on("error", () => server.destroy());
      server.on("error", () => client.destroy());
    }),
  );
  acceptOwnCertificates();
  const settings = { maxRetries: "0", requestTimeoutSeconds: "0.3" };
  setTimeout(() => complete(), 450);
  const creating = calls.create(connected({ url: `https://${slow}`, apiKey }, settings));
  await expect(creating).rejects.toMatchObject({ name: "UnreachableError", billed: "no" });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(requests).toEqual([]);
});

test("where nothing listens on this machine, a create is retried twice, and the error names the emulator", async () => {
  const clock = fakeClock();
  const service = connected({ url: "http://127.0.0.1:9", apiKey }, { maxRetries: "5" }, clock);
  const error = await calls.create(service).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    ...{ name: "UnreachableError", billed: "no" },
    message: expect.stringMatching(
      /^creating the voice .* failed: http:\/\/127\.0\.0\.1:9 could not be reached: .*ECONNREFUSED.*start the emulator: `npx --no-install pulumi-cloudvoice emulator`/,
    ) as string,
  });
  expect(clock.slept).toHaveLength(2);
  expect(Math.max(...clock.slept)).toBeLessThan(1001);
});

test.each([301, 302, 303, 307, 308])("no call follows a redirect with status %i", async (status) => {
  const other = await serve((_, response) => response.end("{}"));
  const { url } = await serve((_, response) =>
    response.writeHead(status, { location: `${other.url}/elsewhere` }).end(),
  );
  const service = connected({ url, apiKey }, { maxRetries: "0" });
  for (const call of Object.values(calls)) {
    await expect(call(service)).rejects.toThrow(/the address redirects, and redirects are not followed/);
  }
  expect(other.requests).toEqual([]);
});

test("uses the proxy from the environment, but not for services on this machine", async () => {
  const emulator = await emulate();
  const { port } = new URL(emulator.url);
  const connects: string[] = [];
  const proxy = createServer().on("connect", (request, client) => {
    connects.push(request.url ?? "");
    const service = connect(Number(port), "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
    service.pipe(client).pipe(service);
    client.on("error", () => service.destroy());
    service.on("error", () => client.destroy());
  });
  process.env.http_proxy = `http://${await listening(proxy)}`;
  try {
    await connected({ ...emulator, url: "http://voices.test" }, { allowHttp: "true" }).voices.listPage(0, 1);
    expect(connects).toEqual(["voices.test:80"]);
    await connected(emulator).voices.listPage(0, 1);
    expect(connects).toHaveLength(1);
  } finally {
    delete process.env.http_proxy;
    proxy.closeAllConnections();
  }
});

test("a response with 200 KB of headers, as gateways add them, is read, and no lost one", async () => {
  const { url } = await serve((_, response) => {
    for (let at = 0; at < 20; at++) response.setHeader(`x-trace-${at}`, "t".repeat(10_000));
    response.end('{"output":{"task_id":"t-1","task_status":"PENDING"},"request_id":"r"}');
  });
  const service = connected({ url, apiKey }, { maxRetries: "0" });
  expect(await calls.submit(service)).toMatchObject({ taskId: "t-1" });
});

test("a response is not kept in memory until the time-out of its request", async () => {
  const timeouts = jest.spyOn(AbortSignal, "timeout");
  const { url } = await serve((_, response) => response.end("{}"));
  const { http } = connected({ url, apiKey });
  await http.send({ method: "GET", url, headers: {} });
  const nobody = await listening(createServer());
  servers.pop()?.close();
  await expect(http.send({ method: "GET", url: `http://${nobody}`, headers: {} })).rejects.toThrow("ECONNREFUSED");
  // Node.js keeps a signal of a time-out as long as it has a listener.
  const signals = timeouts.mock.results.map(({ value }) => value as AbortSignal);
  expect(signals).toHaveLength(2);
  expect(signals.map((signal) => getEventListeners(signal, "abort"))).toEqual([[], []]);
});
