import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { runnable } from "../runnable";

/*
 * Finds a Pulumi engine, or gets one: the CLI that is installed, else our cache, else the official download, else a build from
 * the Go module proxy. The engine is the command line (`pulumi`), the host of Node.js programs (`pulumi-language-nodejs`) and the
 * host of dynamic providers, a script of @pulumi/pulumi. All in one folder, they need no plugin download.
 */

export interface Engine {
  /** To be put at the head of PATH. */
  folder: string;
  version: string;
  how: string;
}

const downloadVersion = "3.248.0";
const buildVersion = "3.200.0";
const windows = process.platform === "win32";
const executable = (name: string) => (windows ? `${name}.exe` : name);

export interface EngineSources {
  /** Folders to look for an installed CLI in; default: PATH. */
  path?: string;
  cache?: string;
  /** Where the official archives are. */
  downloads?: string;
  say?: (line: string) => void;
}

export async function getEngine(sources: EngineSources = {}): Promise<Engine> {
  const path = sources.path ?? process.env.PATH ?? "";
  const cache =
    sources.cache ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "pulumi-cloudvoice", "engine");
  const say = sources.say ?? ((line: string) => console.error(line));

  const installed = installedEngine(path);
  if (installed) return installed;
  const folder = join(cache, `${process.platform}-${process.arch}`);
  const cached = engineIn(folder, "from the cache");
  if (cached) return cached;

  say("Pulumi is not installed here; getting an engine for this repository's own use.");
  const failures: string[] = [];
  for (const [what, get] of [
    [
      `the official Pulumi ${downloadVersion}`,
      (into: string) =>
        download(
          into,
          sources.downloads ?? `https://github.com/pulumi/pulumi/releases/download/v${downloadVersion}`,
          say,
        ),
    ],
    [`a build of Pulumi ${buildVersion} with Go`, (into: string) => build(into, say)],
  ] as const) {
    say(`- trying ${what} …`);
    mkdirSync(cache, { recursive: true });
    const into = mkdtempSync(join(cache, "getting-"));
    try {
      await get(into);
      // Renamed whole, so that no run ever finds half an engine.
      rmSync(folder, { recursive: true, force: true });
      renameSync(into, folder);
      const got = engineIn(folder, what);
      if (!got) throw new Error("it does not run");
      say(`- got ${what}, in ${folder}`);
      return got;
    } catch (error) {
      rmSync(into, { recursive: true, force: true });
      failures.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
      say(`  not possible: ${failures.at(-1)?.slice(what.length + 2)}`);
    }
  }
  throw new Error(
    `No Pulumi engine could be had.\n${failures.map((failure) => `- ${failure}`).join("\n")}\n` +
      "Install Pulumi (https://www.pulumi.com/docs/install/), or install Go 1.24 or newer and run this again.",
  );
}

function installedEngine(path: string): Engine | undefined {
  const folderOf = (name: string) =>
    path.split(delimiter).find((folder) => folder !== "" && runnable(join(folder, executable(name))));
  const folder = folderOf("pulumi");
  if (folder === undefined || folderOf("pulumi-language-nodejs") === undefined) return undefined;
  const version = versionOf(join(folder, executable("pulumi")));
  return version === undefined ? undefined : { folder, version, how: "installed" };
}

function engineIn(folder: string, how: string): Engine | undefined {
  const version = versionOf(join(folder, executable("pulumi")));
  if (version === undefined || !existsSync(join(folder, executable("pulumi-language-nodejs")))) return undefined;
  // The third part belongs to the SDK that is installed now.
  const script = windows ? "pulumi-resource-pulumi-nodejs.cmd" : "pulumi-resource-pulumi-nodejs";
  const sdk = dirname(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
  const ours = join(sdk, script);
  if (existsSync(ours)) replaceIfOther(ours, join(folder, script));
  return { folder, version, how };
}

/** Never writes into a file that another run may be starting at this moment ("text file busy"): it is renamed into its place, once. */
function replaceIfOther(from: string, to: string): void {
  if (existsSync(to) && readFileSync(to).equals(readFileSync(from))) return;
  const fresh = `${to}.${process.pid}`;
  copyFileSync(from, fresh);
  renameSync(fresh, to);
}

function versionOf(pulumi: string): string | undefined {
  if (!runnable(pulumi)) return undefined;
  const asked = spawnSync(pulumi, ["version"], {
    encoding: "utf8",
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  return asked.status === 0 ? asked.stdout.trim().replace(/^v/, "") : undefined;
}

async function download(into: string, from: string, say: (line: string) => void): Promise<void> {
  const system = { darwin: "darwin", linux: "linux", win32: "windows" }[process.platform as string];
  const machine = { x64: "x64", arm64: "arm64" }[process.arch as string];
  if (!system || !machine) throw new Error(`there is none for ${process.platform}-${process.arch}`);
  const archive = `pulumi-v${downloadVersion}-${system}-${machine}.${windows ? "zip" : "tar.gz"}`;

  const sums = await (await fetched(`${from}/pulumi-${downloadVersion}-checksums.txt`)).text();
  const wanted = sums
    .split("\n")
    .find((line) => line.endsWith(archive))
    ?.split(/\s+/)[0];
  if (wanted === undefined) throw new Error(`${archive} is not among its checksums`);

  const answer = await fetched(`${from}/${archive}`);
  const size = Number(answer.headers.get("content-length") ?? 0);
  const pieces: Uint8Array[] = [];
  let got = 0;
  let told = 0;
  for await (const piece of answer.body ?? []) {
    pieces.push(piece as Uint8Array);
    got += (piece as Uint8Array).length;
    if (size > 0 && got / size >= told + 0.1)
      say(`  ${Math.round((told = got / size) * 100)} % of ${(size / 1e6).toFixed(0)} MB`);
  }
  const bytes = Buffer.concat(pieces);
  if (createHash("sha256").update(bytes).digest("hex") !== wanted)
    throw new Error(`${archive} does not match its checksum`);

  const work = mkdtempSync(join(tmpdir(), "pulumi-"));
  try {
    writeFileSync(join(work, archive), bytes);
    // bsdtar, on Windows, reads zip too.
    execFileSync("tar", ["-xf", archive], { cwd: work, stdio: "pipe" });
    const unpacked = windows ? join(work, "pulumi", "bin") : join(work, "pulumi");
    cpSync(unpacked, into, { recursive: true });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function fetched(url: string): Promise<Response> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(url.endsWith(".txt") ? 20_000 : 600_000) });
    if (answer.ok) return answer;
    throw new Error(`${url} answered ${answer.status}`);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Error(`${url} can't be fetched: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause: error,
    });
  }
}

function build(into: string, say: (line: string) => void): void {
  const go = spawnSync("go", ["version"], { encoding: "utf8", env: process.env });
  if (go.status !== 0) throw new Error("Go is not installed");
  for (const [module, name, command, stamp, about] of [
    [
      "cli",
      "pulumi",
      "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
      ` -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${buildVersion}`,
      "two to three minutes",
    ],
    [
      "language-nodejs",
      "pulumi-language-nodejs",
      "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
      "",
      "half a minute",
    ],
  ] as const) {
    say(`  building ${name} (the first time: ${about}) …`);
    const args = [
      "build",
      "-trimpath",
      "-mod=readonly",
      "-ldflags",
      `-s -w${stamp}`,
      "-o",
      join(into, executable(name)),
      command,
    ];
    const built = spawnSync("go", args, {
      cwd: join(import.meta.dirname, module),
      encoding: "utf8",
      env: { ...process.env, GOFLAGS: "", GOWORK: "off", CGO_ENABLED: "0" },
    });
    if (built.status !== 0)
      throw new Error(
        `go build of ${name}: ${(built.error?.message ?? built.stderr).trim().split("\n").slice(-5).join(" ")}`,
      );
  }
}
