import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { lockFile } from "../../provider/emulator/file-lock";
import { isExecutable } from "../is-executable";
import {
  buildEngine,
  buildProgram,
  engineVersion,
  type EngineVersion,
  executableName,
  programFile,
  type ProgramName,
} from "./build";

/*
 * Finds or installs a Pulumi engine, in this order: the installed CLI, this repository's cache, the official
 * download, a build from the Go module proxy.
 *
 * An engine consists of the command line (`pulumi`), the host of Node.js programs (`pulumi-language-nodejs`) and the
 * host of dynamic providers, which is a script in @pulumi/pulumi. When all three are in one folder, Pulumi downloads
 * no plugins.
 */

export interface Engine {
  /** The folder to put first on the PATH. */
  folder: string;
  version: string;
  /** The origin of the engine, for the log. */
  how: string;
}

const windows = process.platform === "win32";

export interface EngineSources {
  /** The version to download or to build. Default: that of the tests. An installed CLI can have any version. */
  version?: EngineVersion;
  /** Folders to search for an installed CLI. Default: PATH. */
  path?: string;
}

const log = (line: string) => console.error(line);

export async function getEngine({ version = engineVersion, path = process.env.PATH ?? "" }: EngineSources = {}) {
  const folder = folderOf(version);
  const existing = installedEngine(path) ?? engineIn(folder, "from the cache");
  if (existing) return existing;

  mkdirSync(cache, { recursive: true });
  const unlock = await lock(folder);
  try {
    return engineIn(folder, "from the cache") ?? installEngine(version, folder);
  } finally {
    await unlock();
  }
}

/** Lets one process install this engine. Others wait, and then find it. The lock of a killed process ends with it. */
async function lock(folder: string): Promise<() => Promise<void>> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await lockFile(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EMULATOR_FILE_IN_USE") throw error;
      if (attempt === 0) log("Another process is installing the engine. Waiting for it …");
      await delay(lockPollMs);
    }
  }
}

const lockPollMs = 500;

function installEngine(version: EngineVersion, folder: string): Engine {
  log("Pulumi is not installed. Installing an engine for this repository only.");
  const installers: [description: string, install: (into: string) => void][] = [
    [`the official Pulumi ${version}`, (into) => downloadEngine(version, into)],
    [`a build of Pulumi ${version} with Go`, (into) => buildEngine(version, into, log)],
  ];
  const failures: string[] = [];
  for (const [description, install] of installers) {
    log(`- trying ${description} …`);
    try {
      const engine = installInto(folder, install, description);
      log(`- got ${description}, in ${folder}`);
      return engine;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      failures.push(`- ${description}: ${why}`);
      log(`  failed: ${why}`);
    }
  }
  throw new Error(
    `No Pulumi engine could be installed:\n${failures.join("\n")}\n` +
      "Install Pulumi (https://www.pulumi.com/docs/install/), or install Go 1.25.11 or newer and run this again.",
  );
}

/** The folder of downloaded and built engines: the user's cache folder. */
export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "pulumi-cloudvoice", "engine");

/** Each version has its own folder, so clones of different age do not replace each other's engine. */
function folderOf(version: EngineVersion): string {
  return join(cache, `${process.platform}-${process.arch}-${version}`);
}

/** Pulumi's npm package `pulumi` downloads the engine at its first run. The pages advise users to do the same. */
function downloadEngine(version: EngineVersion, into: string): void {
  const home = join(into, "home");
  const env = { ...process.env, PULUMI_HOME: home, PULUMI_VERSION: version, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const options = { env, shell: windows, timeout: 600_000, stdio: "pipe" } as const;
  execFileSync("npx", ["--yes", `pulumi@${engineVersion}`, "version"], options);
  cpSync(join(home, "versions", version, "bin"), into, { recursive: true });
  rmSync(home, { recursive: true });
}

/**
 * Gets a language host or a generator of SDKs, and returns its folder. The official Pulumi has the hosts. Other
 * programs are built when first needed.
 */
export function getProgram(name: ProgramName, engine: Pick<Engine, "folder">): string {
  const folder = folderOf(engineVersion);
  const found = [engine.folder, folder].find((each) => isExecutable(join(each, programFile(name))));
  if (found !== undefined) return found;
  mkdirSync(folder, { recursive: true });
  buildProgram(name, folder, log);
  return folder;
}

/**
 * Installs into a new folder, and then moves the files, the command line last, so that no other run finds an incomplete
 * engine. Programs of `getProgram` stay.
 */
function installInto(folder: string, install: (into: string) => void, description: string): Engine {
  const into = mkdtempSync(`${folder}-`);
  try {
    install(into);
    mkdirSync(folder, { recursive: true });
    const commandLine = executableName("pulumi");
    const files = readdirSync(into).filter((name) => name !== commandLine);
    for (const name of [...files, commandLine]) renameSync(join(into, name), join(folder, name));
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
  const engine = engineIn(folder, description);
  if (!engine) throw new Error("`pulumi version` failed after the installation");
  return engine;
}

function installedEngine(path: string): Engine | undefined {
  const folderWith = (name: string) =>
    path.split(delimiter).find((folder) => folder !== "" && isExecutable(join(folder, executableName(name))));
  const folder = folderWith("pulumi");
  if (folder === undefined || folderWith("pulumi-language-nodejs") === undefined) return undefined;
  const version = versionOf(join(folder, executableName("pulumi")));
  return version === undefined ? undefined : { folder, version, how: "installed" };
}

function engineIn(folder: string, how: string): Engine | undefined {
  const version = versionOf(join(folder, executableName("pulumi")));
  if (version === undefined || !existsSync(join(folder, executableName("pulumi-language-nodejs")))) return undefined;
  addDynamicProviderHost(folder);
  return { folder, version, how };
}

/** Copies the host of dynamic providers from the installed SDK, which can differ from that of the last run. */
function addDynamicProviderHost(folder: string): void {
  const script = windows ? "pulumi-resource-pulumi-nodejs.cmd" : "pulumi-resource-pulumi-nodejs";
  const sdk = dirname(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
  if (existsSync(join(sdk, script))) replaceIfDifferent(join(sdk, script), join(folder, script));
}

/** Replaces the file by a rename. Writing to a script that another run starts fails with "text file busy". */
function replaceIfDifferent(from: string, to: string): void {
  if (existsSync(to) && readFileSync(to).equals(readFileSync(from))) return;
  const copy = `${to}.${process.pid}`;
  copyFileSync(from, copy);
  renameSync(copy, to);
}

function versionOf(pulumi: string): string | undefined {
  if (!isExecutable(pulumi)) return undefined;
  const run = spawnSync(pulumi, ["version"], {
    encoding: "utf8",
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  return run.status === 0 ? run.stdout.trim().replace(/^v/, "") : undefined;
}
