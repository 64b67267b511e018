import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { copy, recordings, root, temporaryFolder } from "../support/files";

/** A clone by Git for Windows, which adds CRLF unless `.gitattributes` says otherwise, works in WSL and on Linux too. */

const scripts = readdirSync(join(root, "tools")).filter((name) => name.endsWith(".sh"));
const oneLineEnd = [
  ".ci/run",
  ...scripts.map((name) => `tools/${name}`),
  "provider/plugin/pulumi-resource-cloudvoice",
  "provider/plugin/pulumi-resource-",
  "provider/templates/shared/gitignore",
  "provider/src/index.ts",
];
const asCommitted = ["provider/plugin/pulumi-resource-cloudvoice.cmd", "provider/pulumi-cloudvoice.api.md"];

test("a clone with the settings of Git for Windows has the bytes of every script, source and recording", () => {
  const [origin, clone] = [temporaryFolder(), join(temporaryFolder(), "clone")];
  const windows = ["core.autocrlf=true", "core.eol=crlf"];
  const git = (settings: string[], ...args: string[]) => {
    const all = ["user.name=a", "user.email=a@b.c", ...settings].flatMap((setting) => ["-c", setting]);
    return execFileSync("git", [...all, ...args], { cwd: origin, stdio: "pipe" }).toString();
  };
  const recording = "examples/catalog/audio/narrator-de.mp3";
  const files = [".gitattributes", ...oneLineEnd, ...asCommitted];
  for (const file of files) copy(join(root, file), origin, file);
  copy(recordings.mp3, origin, recording);
  git([], "init", "--quiet");
  git([], "add", "--all");
  git([], "commit", "--quiet", "-m", "files");
  git(windows, "clone", "--quiet", origin, clone);

  for (const file of [...files, recording])
    expect([file, readFileSync(join(clone, file)).equals(readFileSync(join(root, file)))]).toEqual([file, true]);
  for (const file of oneLineEnd) expect(readFileSync(join(clone, file), "utf8")).not.toContain("\r");
  expect(readFileSync(join(clone, asCommitted[0]!), "utf8")).toContain("\r\n");
});
