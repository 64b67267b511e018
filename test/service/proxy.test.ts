import { assertProxies, proxyHint } from "../../provider/src/service/proxy";
import { emulate } from "../support/emulate";
import { connected } from "../support/service";

/** A proxy that is named wrongly, is down or asks for authentication is named as the proxy, and never with its password. */

test.each([
  "proxy:3128",
  "user:secret@proxy",
  "http://user:secret@:3128",
  "socks5://proxy:1080",
  "http://us%er:secret@proxy",
])("%j is no proxy, and is not shown", (value) => {
  const thrown = () => assertProxies({ HTTPS_PROXY: value });
  expect(thrown).toThrow(/^HTTPS_PROXY is not the address of a proxy.*not shown/);
  expect(thrown).not.toThrow(/secret|proxy:3128"/);
});

test("no proxy, an empty one, and addresses of proxies are accepted", () => {
  assertProxies({ HTTP_PROXY: "", https_proxy: "http://user:secret@proxy:3128", HTTPS_PROXY: "https://us%25er@proxy" });
});

test("a connection that may have gone through a proxy names its variable", () => {
  expect(proxyHint("https://service.example/v1", { https_proxy: "http://p:1" })).toMatch(
    /^The proxy in https_proxy .*407/,
  );
  expect(proxyHint("https://service.example/v1", { HTTP_PROXY: "http://p:1" })).toBeUndefined();
  expect(proxyHint("http://service.example/v1", { HTTP_PROXY: "http://p:1" })).toMatch(/^The proxy in HTTP_PROXY /);
});

test("a proxy that is no address is an error before any call", async () => {
  const emulator = await emulate();
  const environment = jest.replaceProperty(process, "env", { HTTPS_PROXY: "user:canary-password@proxy" });
  const error: unknown = await connected(emulator)
    .account.atStart()
    .catch((thrown: unknown) => thrown);
  environment.restore();
  expect(String(error)).toMatch(/HTTPS_PROXY is not the address of a proxy/);
  expect(String(error)).not.toContain("canary");
  expect(emulator.summary().calls.list).toBeUndefined();
});
