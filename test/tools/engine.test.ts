import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { engineVersion } from "../../tools/engine/build";
import { getEngine } from "../../tools/engine/engine";
import { root } from "../../tools/local";
import { put, temporaryFolder } from "../support/files";

/** The engine is installed, cached, downloaded or built, in this order. These engines only print a version. */

function fakeEngine(folder: string, version: string): void {
  for (const name of ["pulumi", "pulumi-language-nodejs"])
    chmodSync(put(folder, name, `#!/bin/sh\necho v${version}\n`), 0o755);
}

/** Serves an archive as the official download does, with the given checksum or the correct one. */
async function downloads(checksum?: string) {
  const folder = temporaryFolder();
  fakeEngine(join(folder, "pulumi"), "8.0.0");
  execFileSync("tar", ["-czf", "archive.tar.gz", "pulumi"], { cwd: folder });
  const archive = readFileSync(join(folder, "archive.tar.gz"));
  const server = createServer((request, reply) => {
    const machine = `${process.platform}-${process.arch}`;
    const sum = checksum ?? createHash("sha256").update(archive).digest("hex");
    if (request.url?.endsWith("checksums.txt")) reply.end(`${sum}  pulumi-v${engineVersion}-${machine}.tar.gz\n`);
    else reply.end(archive);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

const lines: string[] = [];
const log = (line: string) => lines.push(line);
beforeEach(() => (lines.length = 0));

test("uses an installed engine unchanged", async () => {
  const folder = temporaryFolder();
  fakeEngine(folder, "9.0.0");
  expect(await getEngine({ path: folder, cache: temporaryFolder(), log })).toEqual({
    folder,
    version: "9.0.0",
    how: "installed",
  });
  expect(lines).toEqual([]);
});

test("verifies a download, caches it and uses the cached engine the next time", async () => {
  const from = await downloads();
  const cache = temporaryFolder();
  expect(await getEngine({ path: "", cache, downloads: from.url, log })).toMatchObject({ version: "8.0.0" });
  from.close();
  expect(lines.join("\n")).toMatch(/trying the official Pulumi[^]*100 %[^]*got the official Pulumi/);
  expect(await getEngine({ path: "", cache, downloads: "http://127.0.0.1:9", log })).toMatchObject({
    version: "8.0.0",
    how: "from the cache",
  });
});

test("rejects a download with a wrong checksum, and lists the remedies when no source works", async () => {
  const from = await downloads("0".repeat(64));
  const { PATH } = process.env;
  // The PATH has neither Go nor Pulumi.
  const folder = temporaryFolder();
  mkdirSync(join(folder, "bin"));
  process.env.PATH = join(folder, "bin");
  try {
    await expect(getEngine({ path: "", cache: temporaryFolder(), downloads: from.url, log })).rejects.toThrow(
      /does not match its checksum[^]*Go is not installed[^]*Install Pulumi .*or install Go/,
    );
  } finally {
    process.env.PATH = PATH;
    from.close();
  }
});

test("the host of Node.js is built from the modules that are compiled for the command line, as far as both have them", () => {
  const versions = (module: string) => {
    const text = readFileSync(join(root, "tools", "engine", module, "go.mod"), "utf8");
    return new Map([...text.matchAll(/^\t(\S+) (v\S+)/gm)].map(([, name = "", version = ""]) => [name, version]));
  };
  const ofCommandLine = versions("cli");
  const others = [...versions("language-nodejs")].filter(
    ([name, version]) => (ofCommandLine.get(name) ?? version) !== version,
  );
  expect(others.map(([name]) => name)).toEqual(["github.com/pulumi/pulumi/sdk/v3"]);
});
