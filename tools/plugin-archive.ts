/**
 * `npm run plugin-archive`: makes the plugin one executable that needs no Node.js and no package, and packs it for
 * `pulumi plugin install resource cloudvoice <version> --file <archive>`. The executable is for this kind of machine.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../provider/package.json";
import { executableName } from "./engine/build";
import { localFolder, root } from "./local";

/** Returns the archive's path. It uses the built plugin, so run `npm run build` first. */
export function makePluginArchive(into: string): string {
  const work = mkdtempSync(join(tmpdir(), "cloudvoice-plugin-"));
  try {
    const executable = executableName("pulumi-resource-cloudvoice");
    makeExecutable(join(root, "provider", "dist", "plugin.js"), join(work, executable), work);
    copyFileSync(join(root, "LICENSE"), join(work, "LICENSE"));
    copyFileSync(join(root, "provider", "dist", "THIRD-PARTY-LICENSES.txt"), join(work, "THIRD-PARTY-LICENSES.txt"));
    mkdirSync(into, { recursive: true });
    // The names that Pulumi's own plugins have.
    const machine = process.arch === "x64" ? "amd64" : process.arch;
    const system = process.platform === "win32" ? "windows" : process.platform;
    const archive = join(into, `pulumi-resource-cloudvoice-v${version}-${system}-${machine}.tar.gz`);
    execFileSync("tar", ["-czf", archive, "-C", work, executable, "LICENSE", "THIRD-PARTY-LICENSES.txt"]);
    return archive;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** A single executable application: a copy of this Node.js with the program in it. */
function makeExecutable(program: string, executable: string, work: string): void {
  const blob = join(work, "program.blob");
  const config = join(work, "sea.json");
  writeFileSync(config, JSON.stringify({ main: program, output: blob, disableExperimentalSEAWarning: true }));
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  run(process.execPath, "--experimental-sea-config", config);
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  const isMac = process.platform === "darwin";
  // A changed executable has no valid signature any more, and macOS runs none without.
  if (isMac) run("codesign", "--remove-signature", executable);
  const postject = createRequire(import.meta.url).resolve("postject/dist/cli.js");
  // The text that Node.js looks for in itself.
  const fuse = ["--sentinel-fuse", "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"];
  const segment = isMac ? ["--macho-segment-name", "NODE_SEA"] : [];
  run(process.execPath, postject, executable, "NODE_SEA_BLOB", blob, ...fuse, ...segment);
  if (isMac) run("codesign", "--sign", "-", executable);
}

if (process.argv[1] === import.meta.filename) console.log(makePluginArchive(join(localFolder, "plugin")));
