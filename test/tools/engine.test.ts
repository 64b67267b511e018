import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { engineVersion } from "../../tools/engine/build";
import { getEngine } from "../../tools/engine/engine";
import { root } from "../../tools/local";
import { temporaryFolder } from "../support/files";
import { serve } from "../support/serve";

/** The engine is installed, cached, downloaded or built, in this order. */

test("rejects a download with a wrong checksum, and lists the remedies when no source works", async () => {
  const checksum = `${"0".repeat(64)}  pulumi-v${engineVersion}-${process.platform}-${process.arch}.tar.gz\n`;
  const from = await serve((request, reply) =>
    reply.end(request.url?.endsWith("checksums.txt") ? checksum : "archive"),
  );
  const { PATH } = process.env;
  // The PATH has neither Go nor Pulumi.
  const folder = temporaryFolder();
  mkdirSync(join(folder, "bin"));
  process.env.PATH = join(folder, "bin");
  try {
    await expect(
      getEngine({ path: "", cache: temporaryFolder(), downloads: from.url, log: () => undefined }),
    ).rejects.toThrow(/does not match its checksum[^]*Go is not installed[^]*Install Pulumi .*or install Go/);
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
