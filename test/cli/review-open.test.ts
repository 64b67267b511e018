import { request } from "node:http";
import { servePage } from "../../provider/src/cli/review/open";

/** `review --open` serves people's voices, so only the browser that it opened gets them. */

test("the page is served on loopback, under an address that nobody can guess, until the command is stopped", async () => {
  jest.spyOn(console, "error").mockImplementation(() => undefined);
  let opened = (_: URL): void => undefined;
  const url = new Promise<URL>((resolve) => (opened = resolve));
  const ended = servePage("<p>voices", (address) => opened(new URL(address)));
  const { hostname, port, pathname } = await url;
  const get = (path: string, host = `${hostname}:${port}`, method = "GET") =>
    new Promise<string>((resolve, reject) => {
      request({ hostname, port, path, method, headers: { host } }, (response) => {
        let text = `${response.statusCode} ${response.headers["cache-control"]} `;
        response.on("data", (data: Buffer) => (text += data.toString()));
        response.on("end", () => resolve(text));
      })
        .once("error", reject)
        .end();
    });

  expect(hostname).toBe("127.0.0.1");
  expect(pathname).toMatch(/^\/[0-9a-f]{32}\/$/);
  expect(await get(pathname)).toBe("200 no-store <p>voices");
  // Another page of the browser may ask under a name that it had resolve to this machine.
  expect(await get(pathname, `attacker.example:${port}`)).toBe("404 no-store ");
  expect(await get("/")).toBe("404 no-store ");
  expect(await get(pathname, undefined, "POST")).toBe("404 no-store ");

  process.emit("SIGINT");
  await ended;
  await expect(get(pathname)).rejects.toThrow("ECONNREFUSED");
});
