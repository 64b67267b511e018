import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { engineVersion, oldestEngineVersion } from "../../tools/engine/build";
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

test("does not write to the files of a cached engine that may be in use", async () => {
  const cache = temporaryFolder();
  const folder = folderOf(engineVersion, cache);
  fakeEngine(folder, "7.0.0");
  await getEngine({ path: "", cache, log });
  const host = join(folder, "pulumi-resource-pulumi-nodejs");
  const before = statSync(host);
  await getEngine({ path: "", cache, log });
  expect(statSync(host)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });

  // A clone with another SDK version left its own host. The file is replaced, because a process may run the old one.
  writeFileSync(host, "of another SDK");
  await getEngine({ path: "", cache, log });
  expect(statSync(host).ino).not.toBe(before.ino);
  expect(readFileSync(host, "utf8")).toMatch(/^#!/);
});

test("a cached engine of another version is neither used nor replaced", async () => {
  const cache = temporaryFolder();
  for (const version of [engineVersion, oldestEngineVersion]) fakeEngine(folderOf(version, cache), version);
  for (const version of [engineVersion, oldestEngineVersion])
    expect(await getEngine({ path: "", cache, version, log })).toMatchObject({ version, how: "from the cache" });
  expect(await getEngine({ path: "", cache, log })).toMatchObject({ version: engineVersion });
  expect(lines).toEqual([]);
});

test("verifies a download, caches it beside the language hosts, and uses the cached engine the next time", async () => {
  const from = await downloads();
  const cache = temporaryFolder();
  const host = put(folderOf(engineVersion, cache), "pulumi-language-yaml", "of an earlier run");
  expect(await getEngine({ path: "", cache, downloads: from.url, log })).toMatchObject({ version: "8.0.0" });
  expect(readFileSync(host, "utf8")).toBe("of an earlier run");
  expect(lines.join("\n")).toMatch(/trying the official Pulumi[^]*100 %[^]*got the official Pulumi/);
  expect(await getEngine({ path: "", cache, downloads: "http://127.0.0.1:9", log })).toMatchObject({
    version: "8.0.0",
    how: "from the cache",
  });
});

test("of two that begin at once, one installs the engine, and the other waits, says so and finds it", async () => {
  const from = await downloads();
  const cache = temporaryFolder();
  const both = [1, 2].map(() => getEngine({ path: "", cache, downloads: from.url, log }));
  const how = (await Promise.all(both)).map((engine) => engine.how);
  expect(how.sort()).toEqual(["from the cache", expect.stringMatching(/^the official Pulumi/)]);
  expect(lines.filter((line) => line.startsWith("Another process is installing the engine"))).toHaveLength(1);
  expect(lines.filter((line) => line.includes("trying"))).toHaveLength(1);
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
