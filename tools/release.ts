/**
 * `npm run release` makes what a release consists of, in `.local/release`: the packed package, the plugin's archives for
 * six kinds of machines, the SDK for Python, a software bill of materials, and checksums. `-- --dry-run` then
 * proves it: it goes from a registry on this machine to a voice in an empty folder, with npm, pnpm, Yarn and Bun.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { version } from "../provider/package.json";
import { getEngine } from "./engine/engine";
import { localFolder, root, withEngine } from "./local";
import { makeArchives, nodePackages } from "./release/archives";
import { managerCommand, managerPackages } from "./matrix/managers";
import { npm, pack } from "./npm";
import { registryWith } from "./registry";
import { makeWheel, proveWheel } from "./release/wheel";

const folder = join(localFolder, "release");
const tools = join(localFolder, "release-tools");
const modules = join(tools, "node_modules");
/** Outside of the repository, whose settings and packages must not help. */
const elsewhere = mkdtempSync(join(tmpdir(), "cloudvoice-release-"));
const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(CLOUDVOICE_|PULUMI_|npm_(?!config_cafile))/i.test(name)),
);

async function main(words: string[]): Promise<void> {
  const started = Date.now();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  installTools();

  // All later steps, and the workflow that publishes, use this file.
  const tarball = pack(folder);
  log(`packed: ${(readFileSync(tarball).length / 1e6).toFixed(2)} MB`);
  const bom = npm(root, "sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "-w", "pulumi-cloudvoice");
  writeFileSync(join(folder, `pulumi-cloudvoice-${version}.cdx.json`), bom);
  await makeArchives(folder, modules, log);
  const wheel = makeWheel(folder, join(elsewhere, "python"));
  writeChecksums();
  if (words.includes("--dry-run")) {
    proveWheel(wheel, elsewhere);
    log(`${basename(wheel)}: installed by pip, imported`);
    await prove(tarball);
  }
  log(`${folder}: ${readdirSync(folder).length} files, after ${Math.round((Date.now() - started) / 1000)} s`);
}

function installTools(): void {
  mkdirSync(tools, { recursive: true });
  writeFileSync(join(tools, "package.json"), JSON.stringify({ private: true }));
  const packages = [...nodePackages, ...managerPackages];
  // `--force`: five of the six kinds of Node.js are for other machines.
  npm(tools, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--force", ...packages);
}

function writeChecksums(): void {
  const lines = readdirSync(folder).map(
    (name) =>
      `${createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex")}  ${name}\n`,
  );
  writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}

async function prove(tarball: string): Promise<void> {
  npm(elsewhere, "publish", tarball, "--dry-run", "--silent");
  const others = npm(root, "config", "get", "registry").trim();
  const registry = await registryWith(tarball, others);
  try {
    const env = {
      ...inherited,
      ...withEngine(await getEngine(), process.env),
      PULUMI_HOME: join(elsewhere, "pulumi"),
      npm_config_registry: registry.url,
      npm_config_cache: join(elsewhere, "npm-cache"),
      YARN_NPM_REGISTRY_SERVER: registry.url,
      YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
      YARN_NODE_LINKER: "node-modules",
      YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
      // Yarn and pnpm refuse releases of the last days, and this one is new.
      YARN_NPM_MINIMAL_AGE_GATE: "0",
      pnpm_config_minimum_release_age: "0",
      // pnpm 11 and newer read no variable of npm.
      pnpm_config_registry: registry.url,
      YARN_GLOBAL_FOLDER: join(elsewhere, "yarn"),
    };
    for (const manager of Object.keys(managers) as (keyof typeof managers)[]) await liveWith(manager, env);
  } finally {
    registry.server.close();
  }
}

const managers = {
  npm: { command: ["npm"], init: ["exec", "--yes", "--", "pulumi-cloudvoice"] },
  pnpm: { command: managerCommand("pnpm", modules), init: ["dlx", "pulumi-cloudvoice"] },
  yarn: { command: managerCommand("yarn", modules), init: ["dlx", "pulumi-cloudvoice"] },
  bun: { command: managerCommand("bun", modules), init: ["x", "pulumi-cloudvoice"] },
};

/** Goes from an empty folder to a voice, and back. This process is also the registry, so it does not wait in a call. */
async function liveWith(manager: keyof typeof managers, env: NodeJS.ProcessEnv): Promise<void> {
  const started = Date.now();
  const empty = join(elsewhere, `with-${manager}`);
  mkdirSync(empty);
  const { command, init } = managers[manager];
  // The command line reports what the emulator saw on standard error.
  const run = async (args: string[], cwd = join(empty, "voices")) =>
    (await promisify(execFile)("bash", ["-c", '"$@" 2>&1', "bash", ...command, ...args], { cwd, env })).stdout;
  const expectOutput = async (script: string, pattern: RegExp) => {
    const output = await run(["run", script]);
    if (!pattern.test(output)) throw new Error(`${manager} run ${script} did not end as it should:\n${output}`);
  };
  await run([...init, "init", "voices"], empty);
  await run(["install"]);
  await expectOutput("up", /\+ 2 created[^]*voices billed: 1, \$0\.01.*It now holds 1 voice\./);
  const seconds = Math.round((Date.now() - started) / 1000);
  await expectOutput("up", /2 unchanged[^]*voices billed: 0/);
  await expectOutput("destroy", /- 2 deleted[^]*It now holds 0 voices\./);
  log(`${manager}: from an empty folder to a voice in three commands and ${seconds} s; nothing paid twice; destroyed`);
}

function log(line: string): void {
  console.log(line);
}

main(process.argv.slice(2))
  .catch((error: unknown) => {
    const { message, stdout = "", stderr = "" } = error as Error & { stdout?: string; stderr?: string };
    console.error([message, stdout, stderr].join("\n"));
    process.exitCode = 1;
  })
  .finally(() => rmSync(elsewhere, { recursive: true, force: true }));
