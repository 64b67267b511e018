import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { engineVersion } from "../../tools/engine/build";
import { getEngine } from "../../tools/engine/engine";
import { root } from "../../tools/local";
import { put, temporaryFolder } from "../support/files";
import { serve } from "../support/serve";

/** The engine is installed, cached, downloaded or built, in this order. These engines only print a version. */

function fakeEngine(folder: string, version: string): void {
  for (const name of ["pulumi", "pulumi-language-nodejs"])
    chmodSync(put(folder, name, `#!/bin/sh\necho v${version}\n`), 0o755);
}

/** Serves an archive as the official download does, with the given checksum or the correct one. */
function downloads(checksum?: string) {
  const folder = temporaryFolder();
  fakeEngine(join(folder, "pulumi"), "8.0.0");
  execFileSync("tar", ["-czf", "archive.tar.gz", "pulumi"], { cwd: folder });
  const archive = readFileSync(join(folder, "archive.tar.gz"));
  return serve((request, reply) => {
    const machine = `${process.platform}-${process.arch}`;
    const sum = checksum ?? createHash("sha256").update(archive).digest("hex");
    if (request.url?.endsWith("checksums.txt")) reply.end(`${sum}  pulumi-v${engineVersion}-${machine}.tar.gz\n`);
    else reply.end(archive);
  });
}

const folderOf = (version: string, cache: string) => join(cache, `${process.platform}-${process.arch}-${version}`);

const lines: string[] = [];
const log = (line: string) => lines.push(line);
beforeEach(() => (lines.length = 0));

test("verifies a download, caches it beside the language hosts, and uses the cached engine the next time", async () => {
  const from = await downloads();
  const cache = temporaryFolder();
  const host = put(folderOf(engineVersion, cache), "pulumi-language-yaml", "of an earlier run");
  expect(await getEngine({ path: "", cache, downloads: from.url, log })).toMatchObject({ version: "8.0.0" });
  expect(readFileSync(host, "utf8")).toBe("of an earlier run");
  expect(lines.join("\n")).toMatch(/trying the official Pulumi[^]*got the official Pulumi/);
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
