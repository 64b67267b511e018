/**
 * `npm run plugin-archive`: makes the plugin one executable that needs no Node.js and no package, and packs it for
 * `pulumi plugin install resource cloudvoice <version> --file <archive>`. The executable is for this kind of machine.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { version } from "../provider/package.json";
import { getGoTool } from "./go-tools";
import { localFolder, root } from "./local";

/** A kind of machine, and the Node.js for it, which becomes the plugin. */
export interface Machine {
  platform: NodeJS.Platform;
  arch: string;
  node: string;
}

const thisMachine: Machine = { platform: process.platform, arch: process.arch, node: process.execPath };

/**
 * Makes the archive and returns its path. Run `npm run build` first. `builder`: a Node.js for this machine, of the same
 * version, which makes the part to put in.
 */
export function makePluginArchive(into: string, machine = thisMachine, builder = process.execPath): string {
  const work = mkdtempSync(join(tmpdir(), "cloudvoice-plugin-"));
  try {
    const { platform, arch } = machine;
    const executable = `pulumi-resource-cloudvoice${platform === "win32" ? ".exe" : ""}`;
    const program = join(work, "program.js");
    // An executable has one program, and the built plugin has two files beside the asset.
    const entryPoints = [join(root, "provider", "dist", "plugin.js")];
    buildSync({ entryPoints, outfile: program, bundle: true, platform: "node", logLevel: "warning" });
    makeExecutable(program, join(work, executable), work, machine, builder);
    copyFileSync(join(root, "LICENSE"), join(work, "LICENSE"));
    copyFileSync(join(root, "provider", "dist", "THIRD-PARTY-LICENSES.txt"), join(work, "THIRD-PARTY-LICENSES.txt"));
    mkdirSync(into, { recursive: true });
    // The file name that Pulumi's own plugins have.
    const system = platform === "win32" ? "windows" : platform;
    const name = `pulumi-resource-cloudvoice-v${version}-${system}-${arch === "x64" ? "amd64" : arch}.tar.gz`;
    execFileSync("tar", ["-czf", join(into, name), "-C", work, executable, "LICENSE", "THIRD-PARTY-LICENSES.txt"]);
    return join(into, name);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** A single executable application: a copy of the machine's Node.js with the program in it. */
function makeExecutable(program: string, executable: string, work: string, machine: Machine, builder: string): void {
  const blob = join(work, "program.blob");
  const config = join(work, "sea.json");
  // The program of the thread that measures recordings.
  const assets = { "measure.js": join(root, "provider", "dist", "measure.js") };
  writeFileSync(config, JSON.stringify({ main: program, output: blob, disableExperimentalSEAWarning: true, assets }));
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  run(builder, "--experimental-sea-config", config);
  copyFileSync(machine.node, executable);
  chmodSync(executable, 0o755);
  const isMac = machine.platform === "darwin";
  const postject = createRequire(import.meta.url).resolve("postject/dist/cli.js");
  // The text that Node.js looks for in its own executable.
  const fuse = ["--sentinel-fuse", "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"];
  const segment = isMac ? ["--macho-segment-name", "NODE_SEA"] : [];
  run(process.execPath, postject, executable, "NODE_SEA_BLOB", blob, ...fuse, ...segment);
  if (!isMac) return;
  // The change invalidates the signature, without which macOS runs nothing. Only a Mac has `codesign`.
  if (process.platform === "darwin") run("codesign", "--force", "--sign", "-", executable);
  else run(getGoTool("quill"), "sign", "--ad-hoc", "--identity", "pulumi-resource-cloudvoice", executable);
}

if (process.argv[1] === import.meta.filename) console.log(makePluginArchive(join(localFolder, "plugin")));
