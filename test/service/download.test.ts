import dns, { type LookupAddress, type LookupAllOptions } from "node:dns";
import type { RequestListener } from "node:http";
import { Readable } from "node:stream";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { PNG } from "pngjs";
import { download } from "../../provider/src/service/images/download";
import type { HttpRequest } from "../../provider/src/service/http";
import { isPrivateAddress } from "../../provider/src/service/private-network";
import { connected, fakeClock } from "../support/service";
import { serve } from "../support/serve";

/** What a download makes of many pictures, and of what is none: `test/media`. */

const apiKey = "sk-canary-of-the-network";
afterEach(() => jest.restoreAllMocks());

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
    expect(result).toMatchObject({ contentType: "image/png", bytes: picture.length });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers).not.toHaveProperty("authorization");
    expect(requests[0]?.rawHeaders.join()).not.toContain(apiKey);
  });

  test.each<[string, string[] | string, (bytes: Buffer) => Buffer]>([
    ["gzip", "gzip", gzipSync],
    ["two encodings in one header", "br, GZIP", (bytes) => gzipSync(brotliCompressSync(bytes))],
    ["two headers", ["deflate", "gzip"], (bytes) => gzipSync(deflateSync(bytes))],
    ["an encoding of a storage service", "aws-chunked", (bytes) => bytes],
    ["gzip, and is not", "gzip", (bytes) => bytes],
    ["br, and is not", "br", (bytes) => bytes],
    ["deflate, and has no header", "deflate", (bytes) => deflateRawSync(bytes)],
  ])("unpacks a picture whose header says %s", async (_, encoding, pack) => {
    const { result } = await downloaded((_, response) => {
      response.setHeader("content-encoding", encoding);
      response.end(pack(picture));
    });
    expect(result).toMatchObject({ content: picture, bytes: picture.length, contentType: "image/png" });
  });

  test("tries again after a compressed picture that is cut", async () => {
    let cut = 20;
    const server = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(picture).subarray(0, cut));
      cut = picture.length * 2;
    });
    const service = { ...connected({ url: server.url, apiKey }, { maxRetries: "1" }), clock: fakeClock() };
    await expect(download(service, `${server.url}/1.png`)).resolves.toMatchObject({ bytes: picture.length });
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
        message: expect.stringMatching(/image's address is in a private network\. This is allowed only if/) as string,
      });
      expect(requests).toEqual([]);
    },
  );

  test("asks nothing of a private network by http for a service with https, which may be in one itself", async () => {
    const { url, requests } = await serve((_, response) => response.end(picture));
    const service = connected({ url: "https://127.0.0.1:9", apiKey }, { maxRetries: "0" });
    await expect(download(service, `${url}/1.png`)).rejects.toThrow(
      /private network\. .* and the address uses https if the service does/,
    );
    expect(requests).toEqual([]);
  });

  test.each([
    "10.1.2.3",
    "169.254.169.254",
    "100.64.0.1",
    "[fd00::1]",
    "[::1]",
    "0.0.0.0",
    "[64:ff9b::a00:1]",
    "[::8.8.8.8]",
  ])("%s is a private address", (host) => expect(isPrivateAddress(new URL(`http://${host}/`).hostname)).toBe(true));

  test.each(["8.8.8.8", "172.32.0.1", "[2001:4860::8888]", "[64:ff9b::808:808]", "service.example"])(
    "%s is no private address",
    (host) => expect(isPrivateAddress(new URL(`http://${host}/`).hostname)).toBe(false),
  );

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

  test.each(["file:///etc/passwd", "data:image/png;base64,AAAA", "1.png", "ftp://a/b"])(
    "asks nothing of %s",
    async (address) => {
      const { urls, context } = answering();
      await expect(download(context, address)).rejects.toMatchObject({ name: "RejectedError" });
      expect(urls).toEqual([]);
    },
  );

  test("follows redirects, and checks the address of each hop", async () => {
    const start = "https://pictures.example/a/1.png";
    const { urls, context } = answering(
      { status: 302, location: "../b/1.png" },
      { status: 307, location: "//x.example" },
    );
    expect(await download(context, start)).toMatchObject({ content: picture });
    expect(urls).toEqual([start, "https://pictures.example/b/1.png", "https://x.example/"]);

    const toPlain = answering({ status: 302, location: "http://pictures.example/1.png" });
    expect(await download(toPlain.context, start)).toMatchObject({ content: picture, unencrypted: true });
    expect(toPlain.urls).toEqual([start, "http://pictures.example/1.png"]);
  });

  test("gives up after five redirects, and at one that leads nowhere", async () => {
    const endless = answering(...Array.from({ length: 20 }, () => ({ status: 301, location: "/again" })));
    await expect(download(endless.context, "https://a.example/")).rejects.toThrow(/redirects more than 5 times/);
    expect(endless.urls).toHaveLength(6);
    await expect(download(answering({ status: 302 }).context, "https://a.example/")).rejects.toThrow(
      /redirects, but the response states no valid address/,
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
});
