/**
 * `npm run peers`: runs test suites and commands of others against the built plugin, each on an emulator of its own,
 * and prints a table. `npm run peers -- import` runs those with this text in their names.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { startEmulator } from "../provider/emulator";
import { endOf } from "./end-of";
import { getEngine, getProgram } from "./engine/engine";
import { pulumiEnvironment, root } from "./local";
import { type Check, checks } from "./peers/checks";
import { getSuites } from "./peers/suites";
import { pluginFolder } from "./plugin-stack";
import { putRecordings } from "./stack";

/** The error of the old built hosts of Node.js and Python (docs/contributing/tests.md, "The built engine"). */
const hostLacks = /method GeneratePackage not implemented/;

type Outcome = "ok" | "FAILED" | "the host lacks GeneratePackage";

async function main(filter: string): Promise<void> {
  const suites = getSuites();
  const engine = await getEngine();
  const hosts = (["pulumi-language-yaml", "pulumi-language-python"] as const).map((name) => getProgram(name, engine));
  const chosen = checks.filter(({ suite, promise }) => `${suite} ${promise}`.includes(filter));
  let failed = chosen.length === 0;
  for (const check of chosen) {
    const startedMs = Date.now();
    const { outcome, output } = await outcomeOf(check, (folder) => {
      const env = pulumiEnvironment(engine, join(folder, ".local"), inheritedEnvironment());
      return { suites, env: { ...env, PATH: [env.PATH, ...hosts].join(delimiter) } };
    });
    const seconds = ((Date.now() - startedMs) / 1000).toFixed(1).padStart(5);
    console.log(`${check.suite.padEnd(26)} ${check.promise.padEnd(58)} ${seconds} s  ${outcome}`);
    if (outcome !== "FAILED") continue;
    failed = true;
    console.log(output.replace(/^/gm, "  | "));
  }
  if (failed) process.exitCode = 1;
}

/** A setting of the developer's own environment must not change the run. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(CLOUDVOICE_|PULUMI_)/.test(name)));
}

async function outcomeOf(
  check: Check,
  prepare: (folder: string) => { suites: string; env: NodeJS.ProcessEnv },
): Promise<{ outcome: Outcome; output: string }> {
  const emulator = await startEmulator();
  const home = mkdtempSync(join(tmpdir(), "cloudvoice-peers-"));
  try {
    const folder = join(home, "program");
    mkdirSync(folder);
    putRecordings(folder);
    installPackage(folder);
    const { suites, env } = prepare(home);
    const variables = {
      ...env,
      CLOUDVOICE_BASE_URL: emulator.url,
      CLOUDVOICE_API_KEY: emulator.apiKey,
      CLOUDVOICE_IMAGE_POLL_SECONDS: "0.1",
      XDG_STATE_HOME: join(home, ".state"),
    };
    await check.run({
      folder,
      pulumi: (...args) => run("pulumi", [...args, "--non-interactive", "--color", "never"], folder, variables),
      type: (line) => run(line, [], folder, variables, true),
      goTest: async (name, more = {}) => {
        const backend = join(home, "backend");
        mkdirSync(backend, { recursive: true });
        const settings = {
          ...variables,
          ...more,
          PULUMI_BACKEND_URL: `file://${backend}`,
          PEERS_PLUGIN: pluginFolder,
          PEERS_PROGRAM: folder,
        };
        await run(suites, ["-test.v", "-test.run", `^${name}$`], home, settings);
      },
      seedVoice: () => emulator.seedVoices("default", 1)[0] ?? "",
    });
    const left = emulator.voices().map(({ voice }) => voice);
    if (left.length > 0) throw new Error(`the account still has ${left.join(", ")}`);
    const { list: _, poll: _polls, download: _downloads, ...calls } = emulator.summary().calls;
    if (!isDeepStrictEqual(calls, check.calls ?? {})) {
      throw new Error(`the service saw ${JSON.stringify(calls)}, expected ${JSON.stringify(check.calls ?? {})}`);
    }
    return { outcome: "ok", output: "" };
  } catch (error) {
    const output = error instanceof Error ? error.message : String(error);
    return { outcome: hostLacks.test(output) ? "the host lacks GeneratePackage" : "FAILED", output };
  } finally {
    await emulator.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The built package, where a package manager puts it. The plugin in it needs no other package. */
function installPackage(folder: string): void {
  for (const part of ["package.json", "dist", "plugin"])
    cpSync(join(root, "provider", part), join(folder, "node_modules", "pulumi-cloudvoice", part), { recursive: true });
}

/** Runs a program and returns its standard output. Throws with all of its output if it fails. */
async function run(
  command: string,
  args: string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  shell = false,
): Promise<string> {
  const { code, stdout, output } = await endOf(
    spawn(command, args, { cwd, env, shell, stdio: ["ignore", "pipe", "pipe"] }),
  );
  if (code !== 0) throw new Error(`${[command, ...args].join(" ")}\n${output}`);
  return stdout;
}

void main(process.argv.slice(2).join(" "));
