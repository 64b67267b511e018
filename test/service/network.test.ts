import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { readdirSync } from "node:fs";
import { type AddressInfo, connect, type Server } from "node:net";
import { PNG } from "pngjs";
import { generate } from "selfsigned";
import { download } from "../../provider/src/service/images/download";
import { emulate } from "../support/emulate";
import { temporaryFolder } from "../support/files";
import { connected } from "../support/service";

const apiKey = "sk-canary-of-the-network";
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** What a server on this machine was asked, and where it listens. */
async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answering(listener: RequestListener) {
  const asked: Parameters<RequestListener>[0][] = [];
  const url = `http://${await listening(
    createServer((request, response) => {
      asked.push(request);
      response.shouldKeepAlive = false;
      listener(request, response);
    }),
  )}`;
  return { url, asked };
}

test("a server whose certificate no one vouches for gets no request, and so no key", async () => {
  const { private: key, cert } = await generate([{ name: "commonName", value: "127.0.0.1" }]);
  let asked = 0;
  const url = `https://${await listening(
    createTlsServer({ key, cert }, (_, response) => {
      asked++;
      response.end("{}");
    }),
  )}`;
  const { voices } = connected({ url, apiKey }, { maxRetries: "0" });
  await expect(voices.listPage(0, 1)).rejects.toThrow(/could not be reached: .*self.signed certificate/);
  expect(asked).toBe(0);
});

test("a server that speaks no TLS is told plainly, and was paid nothing", async () => {
  const { url, asked } = await answering((_, response) => response.end("{}"));
  const { voices } = connected({ url: url.replace("http:", "https:"), apiKey }, { maxRetries: "0" });
  const failure = await voices.listPage(0, 1).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    name: "UnreachableError",
    billed: "no",
    message: expect.stringMatching(/does not speak TLS.*is it an http address\?/) as string,
  });
  expect(asked).toEqual([]);
});

test.each([301, 302, 303, 307, 308])("a redirect by %i is not followed, whatever the call", async (status) => {
  const other = await answering((_, response) => response.end("{}"));
  const { url } = await answering((_, response) =>
    response.writeHead(status, { location: `${other.url}/elsewhere` }).end(),
  );
  const { voices, images, decisions } = connected({ url, apiKey }, { maxRetries: "0" });
  const calls = [
    () => voices.listPage(0, 1),
    () => voices.remove("a"),
    () => images.submit({ model: "svc-image", prompt: "a" }),
    () => images.poll("a"),
    () => decisions.ask("a", {}),
  ];
  for (const call of calls) {
    await expect(call()).rejects.toThrow(/redirects, which is not followed with a key/);
  }
  expect(other.asked).toEqual([]);
});

describe("a download", () => {
  const picture = PNG.sync.write(new PNG({ width: 3, height: 2 }));

  async function downloaded(listener: RequestListener) {
    const server = await answering(listener);
    const service = connected({ url: server.url, apiKey }, { maxRetries: "0" });
    const folder = temporaryFolder();
    const result = await download(service, `${server.url}/picture.png`, folder).catch((error: unknown) => error);
    return { ...server, result, left: readdirSync(folder) };
  }

  test("carries no key", async () => {
    const { asked, result } = await downloaded((_, response) => response.end(picture));
    expect(result).toMatchObject({ contentType: "image/png", width: 3, height: 2, bytes: picture.length });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.headers).not.toHaveProperty("authorization");
    expect(asked[0]?.rawHeaders.join()).not.toContain(apiKey);
  });

  test("ends beyond 64 MB, and leaves nothing", async () => {
    const piece = Buffer.alloc(1024 * 1024);
    let closed = false;
    const { result, left } = await downloaded((_, response) => {
      response.write(picture);
      // Without an end, as long as anyone reads.
      const pour = () => {
        while (!closed && response.write(piece));
      };
      response.on("drain", pour).on("close", () => (closed = true));
      pour();
    });
    expect(result).toEqual(expect.objectContaining({ message: expect.stringContaining("more than 64 MB") as string }));
    expect(left).toEqual([]);
  });

  test.each([
    ["a page", "<!doctype html><script>alert(1)</script>", /not an image/],
    [
      "a picture that may hold a program",
      "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'><script>alert(1)</script></svg>",
      /another kind than png, jpg/,
    ],
    ["zeros, which are guessed to be something", Buffer.alloc(4096), /not an image|another kind/],
    ["nothing", "", /not an image/],
  ])("keeps pictures only: %s is refused", async (_, body, why) => {
    const { result, left } = await downloaded((_, response) => response.end(body));
    expect((result as Error).message).toMatch(why);
    expect(left).toEqual([]);
  });
});

test("proxies are taken from the environment, and never stand before this machine's own services", async () => {
  const emulator = await emulate();
  const { port } = new URL(emulator.url);
  const asked: string[] = [];
  const proxy = createServer().on("connect", (request, client) => {
    asked.push(request.url ?? "");
    const service = connect(Number(port), "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
    service.pipe(client).pipe(service);
    client.on("error", () => service.destroy());
    service.on("error", () => client.destroy());
  });
  process.env.http_proxy = `http://${await listening(proxy)}`;
  try {
    await connected({ ...emulator, url: "http://voices.test" }, { allowHttp: "true" }).voices.listPage(0, 1);
    expect(asked).toEqual(["voices.test:80"]);
    await connected(emulator).voices.listPage(0, 1);
    expect(asked).toHaveLength(1);
  } finally {
    delete process.env.http_proxy;
    proxy.closeAllConnections();
  }
});
