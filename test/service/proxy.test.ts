import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { emulate } from "../support/emulate";
import { connected } from "../support/service";

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
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  process.env.http_proxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  try {
    await connected({ ...emulator, url: "http://voices.test" }, { allowHttp: "true" }).voices.listPage(0, 1);
    expect(asked).toEqual(["voices.test:80"]);
    await connected(emulator).voices.listPage(0, 1);
    expect(asked).toHaveLength(1);
  } finally {
    delete process.env.http_proxy;
    proxy.closeAllConnections();
    proxy.close();
  }
});
