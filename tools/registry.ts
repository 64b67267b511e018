import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { root } from "./local";

/**
 * A package registry that has the packed file as `pulumi-cloudvoice`, and sends a client to another registry for
 * everything else. So the commands of a page can be typed before the package is published.
 */
export async function registryWith(tarball: string, others: string): Promise<{ url: string; server: Server }> {
  const manifest = JSON.parse(readFileSync(join(root, "provider", "package.json"), "utf8")) as { version: string };
  const content = readFileSync(tarball);
  const integrity = `sha512-${createHash("sha512").update(content).digest("base64")}`;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/package.tgz") return void response.end(content);
    const version = { ...manifest, dist: { tarball: `${url()}/package.tgz`, integrity } };
    if (pathname === "/pulumi-cloudvoice/latest") return void response.end(JSON.stringify(version));
    if (pathname !== "/pulumi-cloudvoice") {
      return void response.writeHead(302, { location: new URL(`.${request.url ?? ""}`, others).href }).end();
    }
    const packument = {
      name: "pulumi-cloudvoice",
      "dist-tags": { latest: manifest.version },
      versions: { [manifest.version]: version },
    };
    response.setHeader("content-type", "application/json").end(JSON.stringify(packument));
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: url(), server };
}
