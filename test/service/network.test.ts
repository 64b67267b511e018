import dns, { type LookupAddress, type LookupAllOptions } from "node:dns";
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import tls from "node:tls";
import { PNG } from "pngjs";
import { generate } from "selfsigned";
import { download } from "../../provider/src/service/images/download";
import type { HttpRequest } from "../../provider/src/service/http";
import { isPrivateAddress } from "../../provider/src/service/private-network";
import { emulate } from "../support/emulate";
import { connected, fakeClock, sending } from "../support/service";

const apiKey = "sk-canary-of-the-network";
const servers: Server[] = [];
afterEach(() => {
  jest.restoreAllMocks();
  for (const server of servers.splice(0)) server.close();
});

/** Starts a server on this machine and returns its address. */
async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serve(listener: RequestListener) {
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

test("sends no request, and so no key, to a server with an untrusted certificate", async () => {
  const { private: key, cert } = await generate([{ name: "commonName", value: "127.0.0.1" }]);
  let requests = 0;
  const url = `https://${await listening(
    createTlsServer({ key, cert }, (_, response) => {
      requests++;
      response.end("{}");
    }),
  )}`;
  const { voices } = connected({ url, apiKey }, { maxRetries: "0" });
  await expect(voices.listPage(0, 1)).rejects.toThrow(/could not be reached: .*self.signed certificate/);
  expect(requests).toBe(0);
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

test("a connection that breaks after the request was sent is a lost response, and no unreachable service", async () => {
  const { url } = await serve((request) => request.socket.destroy());
  const { voices } = connected({ url, apiKey }, { maxRetries: "0" });
  const audio = { url: "https://example.com/a.wav" };
  await expect(voices.create({ targetModel: "m", preferredName: "n", audio }, sending)).rejects.toMatchObject({
    name: "LostAnswerError",
    billed: "unknown",
  });
});

test("a TLS error after the request was sent is a lost response", async () => {
  const { private: key, cert } = await generate([{ name: "commonName", value: "127.0.0.1" }]);
  let requests = 0;
  const address = await listening(
    createTlsServer({ key, cert }, (request) => {
      requests++;
      // A plain text in place of a TLS record.
      const { _parent: raw } = request.socket as unknown as { _parent: Socket };
      raw.write("this is no TLS record, and long enough to be parsed as one");
    }),
  );
  const { connect: connectTls } = tls;
  // The test's own certificate is accepted.
  jest
    .spyOn(tls, "connect")
    .mockImplementation(((options: tls.ConnectionOptions, listener?: () => void) =>
      connectTls({ ...options, rejectUnauthorized: false }, listener)) as typeof tls.connect);
  const { voices } = connected({ url: `https://${address}`, apiKey }, { maxRetries: "0" });
  const audio = { url: "https://example.com/a.wav" };
  const created = voices.create({ targetModel: "m", preferredName: "n", audio }, sending);
  await expect(created).rejects.toMatchObject({ name: "LostAnswerError", billed: "unknown" });
  expect(requests).toBe(1);
});

test("a timeout while connecting bills nothing", async () => {
  const server = createTcpServer();
  const address = await listening(server);
  // The server accepts the connection and never completes the TLS handshake.
  const { voices } = connected(
    { url: `https://${address}`, apiKey },
    { maxRetries: "0", requestTimeoutSeconds: "0.3" },
  );
  const audio = { url: "https://example.com/a.wav" };
  const error = await voices
    .create({ targetModel: "m", preferredName: "n", audio }, sending)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "UnreachableError", billed: "no" });
});

test("a TLS handshake that ends after the time-out bills nothing, because nothing is sent any more", async () => {
  const { private: key, cert } = await generate([{ name: "commonName", value: "127.0.0.1" }]);
  let requests = 0;
  const address = await listening(
    createTlsServer({ key, cert }, (_, response) => {
      requests++;
      response.end("{}");
    }),
  );
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
  const { connect: connectTls } = tls;
  jest
    .spyOn(tls, "connect")
    .mockImplementation(((options: tls.ConnectionOptions, listener?: () => void) =>
      connectTls({ ...options, rejectUnauthorized: false }, listener)) as typeof tls.connect);
  const settings = { maxRetries: "0", requestTimeoutSeconds: "0.3" };
  const { voices } = connected({ url: `https://${slow}`, apiKey }, settings);
  const audio = { url: "https://example.com/a.wav" };
  setTimeout(() => complete(), 450);
  const error = await voices
    .create({ targetModel: "m", preferredName: "n", audio }, sending)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "UnreachableError", billed: "no" });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(requests).toBe(0);
});

test("an address of this machine where nothing listens fails after two retries, and names the emulator once for all", async () => {
  const clock = fakeClock();
  const { voices } = connected({ url: "http://127.0.0.1:9", apiKey }, { maxRetries: "5" }, clock);
  const errors = await Promise.all(
    Array.from({ length: 3 }, (_, index) => voices.listPage(index, 1).catch((thrown: unknown) => thrown)),
  );
  const later = await voices.remove("a").catch((thrown: unknown) => thrown);
  expect(later).toMatchObject({
    name: "UnreachableError",
    message: expect.stringMatching(
      /^http:\/\/127\.0\.0\.1:9 could not be reached: .*ECONNREFUSED.*start it: `npx pulumi-cloudvoice emulator`/,
    ) as string,
  });
  expect(new Set([...errors, later]).size).toBe(1);
  expect(clock.slept.length).toBeLessThanOrEqual(6);
  expect(Math.max(...clock.slept)).toBeLessThan(1001);
});

test.each([301, 302, 303, 307, 308])("no call follows a redirect with status %i", async (status) => {
  const other = await serve((_, response) => response.end("{}"));
  const { url } = await serve((_, response) =>
    response.writeHead(status, { location: `${other.url}/elsewhere` }).end(),
  );
  const { voices, images, decisions } = connected({ url, apiKey }, { maxRetries: "0" });
  const calls = [
    () => voices.listPage(0, 1),
    () => voices.remove("a"),
    () => images.submit({ model: "svc-image", prompt: "a" }, { sending }),
    () => images.poll("a", { secret: false }),
    () => decisions.ask("a", {}, { sending }),
  ];
  for (const call of calls) {
    await expect(call()).rejects.toThrow(/the address redirects, and redirects are not followed/);
  }
  expect(other.requests).toEqual([]);
});

describe("a download", () => {
  const picture = PNG.sync.write(new PNG({ width: 3, height: 2 }));

  async function downloaded(listener: RequestListener) {
    const server = await serve(listener);
    const service = connected({ url: server.url, apiKey }, { maxRetries: "0" });
    const result = await download(service, `${server.url}/picture.png`).catch((error: unknown) => error);
    return { ...server, result };
  }

  test("does not send the key", async () => {
    const { requests, result } = await downloaded((_, response) => response.end(picture));
    expect(result).toMatchObject({ contentType: "image/png", width: 3, height: 2, bytes: picture.length });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers).not.toHaveProperty("authorization");
    expect(requests[0]?.rawHeaders.join()).not.toContain(apiKey);
  });

  /** A service that is not in a private network, and a name that leads into one. */
  function publicService(settings: Record<string, string> = {}) {
    jest
      .spyOn(dns, "lookup")
      .mockImplementation(((
        name: string,
        options: LookupAllOptions,
        done: (error: null, found: LookupAddress[]) => void,
      ) => done(null, [{ address: name === "service.test" ? "93.184.215.14" : "127.0.0.1", family: 4 }])) as never);
    return connected({ url: "http://service.test", apiKey }, { maxRetries: "0", allowHttp: "true", ...settings });
  }

  test.each(["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "localhost", "a.localhost", "pictures.test"])(
    "asks nothing of %s, which is private, for a service that is not",
    async (host) => {
      const { url, requests } = await serve((_, response) => response.end(picture));
      const address = `http://${host}:${new URL(url).port}/latest/meta-data`;
      await expect(download(publicService(), address)).rejects.toMatchObject({
        name: "RejectedError",
        message: expect.stringMatching(/image's address is in a private network, and the service is not/) as string,
      });
      expect(requests).toEqual([]);
    },
  );

  test.each([
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "[fd00::1]",
    "[fe80::1]",
    "[::1]",
    "0.0.0.0",
    "[64:ff9b::a00:1]",
  ])("%s is a private address", (host) => expect(isPrivateAddress(new URL(`http://${host}/`).hostname)).toBe(true));

  test.each(["8.8.8.8", "172.32.0.1", "[2001:4860::8888]", "[64:ff9b::808:808]", "service.example"])(
    "%s is no private address",
    (host) => expect(isPrivateAddress(new URL(`http://${host}/`).hostname)).toBe(false),
  );

  test.each([
    "http://pictures.example/1.png",
    "file:///etc/passwd",
    "data:image/png;base64,AAAA",
    "1.png",
    "ftp://a/b",
  ])("asks nothing of %s for a service with https", async (address) => {
    const http = { open: jest.fn(), send: jest.fn(), close: jest.fn() };
    const context = { http, clock: fakeClock(), maxRetries: 0, imageBaseUrl: () => "https://service.example" };
    await expect(download(context, address)).rejects.toMatchObject({ name: "RejectedError" });
    expect(http.open).not.toHaveBeenCalled();
  });

  /** Answers each download as the next of these says. */
  function answering(...answers: { status: number; location?: string }[]) {
    const urls: string[] = [];
    const http = {
      open: ({ url, serviceUrl }: HttpRequest) => {
        urls.push(url);
        expect(serviceUrl).toBe("https://service.example/v1");
        const { status, location } = answers.shift() ?? { status: 200 };
        return Promise.resolve({ status, headers: { location }, body: Readable.from(status === 200 ? [picture] : []) });
      },
      send: jest.fn(),
      close: jest.fn(),
    };
    return {
      urls,
      context: { http, clock: fakeClock(), maxRetries: 0, imageBaseUrl: () => "https://service.example/v1" },
    };
  }

  test("follows redirects, and checks the address of each hop", async () => {
    const start = "https://pictures.example/a/1.png";
    const { urls, context } = answering(
      { status: 302, location: "../b/1.png" },
      { status: 307, location: "//x.example" },
    );
    expect(await download(context, start)).toMatchObject({ width: 3, height: 2 });
    expect(urls).toEqual([start, "https://pictures.example/b/1.png", "https://x.example/"]);

    const toPlain = answering({ status: 302, location: "http://pictures.example/1.png" });
    await expect(download(toPlain.context, start)).rejects.toThrow(/is no https address, and the service's is/);
    expect(toPlain.urls).toEqual([start]);
  });

  test("gives up after five redirects, and at one that leads nowhere", async () => {
    const endless = answering(...Array.from({ length: 20 }, () => ({ status: 301, location: "/again" })));
    await expect(download(endless.context, "https://a.example/")).rejects.toThrow(/redirects more than 5 times/);
    expect(endless.urls).toHaveLength(6);
    await expect(download(answering({ status: 302 }).context, "https://a.example/")).rejects.toThrow(
      /redirects to no address/,
    );
  });

  test("stops after 64 MB", async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    let closed = false;
    const { result } = await downloaded((_, response) => {
      response.write(picture);
      // Writes until the client closes the connection.
      const pour = () => {
        while (!closed && response.write(chunk));
      };
      response.on("drain", pour).on("close", () => (closed = true));
      pour();
    });
    expect(result).toEqual(expect.objectContaining({ message: expect.stringContaining("more than 64 MB") as string }));
  });

  test.each([
    ["baseline.jpg", "image/jpeg"],
    ["palette.gif", "image/gif"],
    ["lossy.webp", "image/webp"],
    ["plain.bmp", "image/bmp"],
    ["plain.tiff", "image/tiff"],
  ])("recognises %s", async (name, contentType) => {
    const bytes = readFileSync(join(__dirname, "pictures", name));
    const { result } = await downloaded((_, response) => response.end(bytes));
    expect(result).toMatchObject({ contentType, width: 16, height: 8, bytes: bytes.length });
  });

  test("reads only the beginning of a JPEG for its size, however many empty segments follow", async () => {
    const bytes = Buffer.alloc(4 * 1024 * 1024, Buffer.from([0xff, 0xe1, 0, 2]));
    Buffer.from([0xff, 0xd8, 0xff, 0xd8]).copy(bytes);
    const frame = [0xff, 0xc0, 0, 11, 8, 0, 8, 0, 16, 1, 1, 0x11, 0];
    const withSizeAt = (at: number) => Buffer.concat([bytes.subarray(0, at), Buffer.from(frame), bytes.subarray(at)]);
    const late = await downloaded((_, response) => response.end(withSizeAt(3 * 1024 * 1024)));
    expect((late.result as Error).message).toMatch(/not an image/);
  });

  test.each([
    ["an HTML page", "<!doctype html><script>alert(1)</script>", /not an image/],
    [
      "an SVG, which can contain scripts",
      "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'><script>alert(1)</script></svg>",
      /not an image in one of the supported formats \(png, jpg/,
    ],
    ["zeros, which some detectors take for an image", Buffer.alloc(4096), /not an image/],
    ["an icon, whose list of pictures may be endless", Buffer.from("icns\0\0\0\x18ic07\0\0\0\x10"), /not an image/],
    ["an empty body", "", /not an image/],
  ])("rejects %s", async (_, body, why) => {
    const { result } = await downloaded((_, response) => response.end(body));
    expect((result as Error).message).toMatch(why);
  });
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
