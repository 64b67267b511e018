/**
 * `npm run pulumi -- <arguments>`: runs Pulumi with the repository's engine and local state. The emulator is the
 * service, unless a CLOUDVOICE_*_BASE_URL variable names another one. `--cwd examples/image` runs another example.
 * `npm run cloudvoice -- <arguments>` runs the package's command line in the same way, by the first word `cloudvoice`.
 */
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { type Emulator, startEmulator } from "pulumi-cloudvoice/emulator";
import { getEngine } from "./engine/engine";
import { localFolder, pulumiEnvironment, root } from "./local";

const stacks = ["dev", "staging", "prod"];
const emulatorPort = 8931;
/** npm links no bin for a workspace whose built files are missing at `npm ci`, so `npx pulumi-cloudvoice` may fail here. */
const commandLine = join(root, "provider", "dist", "cli.js");
const baseUrlVariable = /^CLOUDVOICE_(VOICE_|IMAGE_|DECISION_)?BASE_URL$/;

async function main(words: string[]): Promise<number> {
  const isCloudvoice = words[0] === "cloudvoice";
  const args = isCloudvoice ? words.slice(1) : words;
  const env = pulumiEnvironment(await getEngine());
  const stack = ensureStack(args, env);
  const hasOwnService = Object.keys(process.env).some((name) => baseUrlVariable.test(name));
  const emulator = hasOwnService ? undefined : await emulate(stack, env);
  const firstEntry = emulator?.ledger().length ?? 0;
  try {
    return await (isCloudvoice ? run(process.execPath, [commandLine, ...args], env) : run("pulumi", args, env));
  } finally {
    if (emulator) {
      logLedger(emulator, stack, firstEntry);
      await emulator.close();
    }
  }
}

/**
 * Creates the stack that the arguments name, else the selected stack, else `dev`, if it is one of the example's
 * stacks. A stack named by `--stack` is used for this command only. Without `--stack`, the stack becomes the selected
 * one.
 */
function ensureStack(args: string[], env: NodeJS.ProcessEnv): string {
  const cwd = join(root, argumentOf(args, "--cwd", "-C") ?? "");
  const run = (...words: string[]) => spawnSync("pulumi", words, { cwd, env, encoding: "utf8" });
  const named = argumentOf(args, "--stack", "-s");
  const stack = named ?? (run("stack", "--show-name").stdout.trim() || "dev");
  const known = JSON.parse(run("stack", "ls", "--json").stdout || "[]") as { name: string; current: boolean }[];
  if (stacks.includes(stack) && !known.some(({ name }) => name === stack))
    assertSuccess(run("stack", "init", "--no-select", "--stack", stack));
  if (named === undefined && !known.some(({ current }) => current))
    assertSuccess(run("stack", "select", "--stack", stack));
  return stack;
}

function assertSuccess({ status, stderr }: { status: number | null; stderr: string }): void {
  if (status !== 0) throw new Error(stderr.trim());
}

/**
 * Starts the emulator with one account per stack, and points `env` to it. Returns undefined if another run has
 * started it already. The port is always the same, because the state identifies an account by its address and key.
 */
async function emulate(stack: string, env: NodeJS.ProcessEnv): Promise<Emulator | undefined> {
  const keys = Object.fromEntries([...new Set([...stacks, stack])].map((name) => [name, `emulator-key-of-${name}`]));
  const options = { accounts: keys, file: join(localFolder, "emulator.jsonl") };
  env.CLOUDVOICE_API_KEY = keys[stack];
  // The emulator finishes image tasks immediately, so there is no reason to poll every 10 seconds.
  env.CLOUDVOICE_IMAGE_POLL_SECONDS ??= "0.2";
  env.CLOUDVOICE_BASE_URL = `http://127.0.0.1:${emulatorPort}`;
  // Beside the emulator's data: another clone has the same address and keys, and its notes are not of this account.
  env.CLOUDVOICE_JOURNAL ??= join(localFolder, "journal");
  try {
    return await startEmulator({ ...options, port: emulatorPort });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
  }
  if (await isEmulator(env.CLOUDVOICE_BASE_URL)) {
    console.error(
      `Another run has already started the emulator at ${env.CLOUDVOICE_BASE_URL}, and this run uses it too. ` +
        "The emulator stops when that run ends, so let that run end last.",
    );
    return undefined;
  }
  const emulator = await startEmulator(options);
  console.error(`Port ${emulatorPort} is in use by another program, so the emulator listens at ${emulator.url}.`);
  env.CLOUDVOICE_BASE_URL = emulator.url;
  return emulator;
}

async function isEmulator(url: string): Promise<boolean> {
  const response = await fetch(`${url}/_emulator/state`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
  return response?.ok ?? false;
}

/** Logs what this run has cost in the emulator. */
function logLedger(emulator: Emulator, stack: string, firstEntry: number): void {
  const { calls, voicesBilled, charge, tasks, tokens } = emulator.summary(stack, firstEntry);
  const counts = Object.entries(calls).map(([action, count]) => `${count} ${action}`);
  console.error(
    `Emulator, account ${stack}: ${counts.join(", ") || "no call"}; voices billed: ${voicesBilled}, ` +
      `$${charge.toFixed(2)}; image tasks: ${tasks}; decision tokens: ${tokens}. ` +
      `It now holds ${emulator.voices(stack).length} voices.`,
  );
}

/** The value of an option: `--stack dev` or `--stack=dev`. */
function argumentOf(args: string[], option: string, short: string): string | undefined {
  for (const [index, word] of args.entries()) {
    if (word === option || word === short) return args[index + 1];
    if (word.startsWith(`${option}=`)) return word.slice(option.length + 1);
  }
  return undefined;
}

function run(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(command, args, { cwd: root, env, stdio: "inherit" });
  // On Ctrl-C the terminal sends SIGINT to the child as well. This process must not exit before it, because it runs
  // the emulator.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? (signal === null ? 1 : 130)));
  });
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
