/** `npm run pulumi -- <anything>`: Pulumi with the repository's engine, its local state, and the emulator as the service. */
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { type Emulator, startEmulator } from "pulumi-cloudvoice/emulator";
import { getEngine } from "./engine/engine";
import { localFolder, pulumiEnvironment, root } from "./local";

const stacks = ["dev", "staging", "prod"];
const emulatorPort = 8931;

async function main(args: string[]): Promise<number> {
  const engine = await getEngine();
  const env = pulumiEnvironment(engine);
  const run = (...words: string[]) => spawnSync("pulumi", words, { cwd: root, env, encoding: "utf8" });

  // A stack that is named is meant for this one command; without any, it is dev from then on.
  const named = stackOf(args);
  const stack = named ?? (run("stack", "--show-name").stdout.trim() || "dev");
  const known = JSON.parse(run("stack", "ls", "--json").stdout || "[]") as { name: string; current: boolean }[];
  if (stacks.includes(stack) && !known.some(({ name }) => name === stack))
    must(run("stack", "init", "--no-select", "--stack", stack));
  if (named === undefined && !known.some(({ current }) => current)) must(run("stack", "select", "--stack", stack));

  const own = Object.keys(process.env).some((name) => /^CLOUDVOICE_(VOICE_|IMAGE_|DECISION_)?BASE_URL$/.test(name));
  const emulator = own ? undefined : await emulate(stack, env);
  const before = emulator?.ledger().length ?? 0;
  try {
    return await pulumi(args, env);
  } finally {
    if (emulator) {
      tellLedger(emulator, stack, before);
      await emulator.close();
    }
  }
}

function must({ status, stderr }: { status: number | null; stderr: string }): void {
  if (status !== 0) throw new Error(stderr.trim());
}

/** One account a stack. The port stays the same from run to run, because the state knows an account by its address and key. */
async function emulate(stack: string, env: NodeJS.ProcessEnv): Promise<Emulator | undefined> {
  const keys = Object.fromEntries([...new Set([...stacks, stack])].map((name) => [name, `emulator-key-of-${name}`]));
  const options = { accounts: keys, file: join(localFolder, "emulator.jsonl") };
  env.CLOUDVOICE_API_KEY = keys[stack];
  // The emulator's tasks are done at once; nobody need wait ten seconds for them.
  env.CLOUDVOICE_IMAGE_POLL_SECONDS ??= "0.2";
  env.CLOUDVOICE_BASE_URL = `http://127.0.0.1:${emulatorPort}`;
  try {
    return await startEmulator({ ...options, port: emulatorPort });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
  }
  if (await isEmulator(env.CLOUDVOICE_BASE_URL)) {
    console.error(`Another run has the emulator at ${env.CLOUDVOICE_BASE_URL}: sharing it, so let that run end last.`);
    return undefined;
  }
  const emulator = await startEmulator(options);
  console.error(`Port ${emulatorPort} is taken by another program; the emulator is at ${emulator.url}.`);
  env.CLOUDVOICE_BASE_URL = emulator.url;
  return emulator;
}

async function isEmulator(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/_emulator/state`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
  return answer?.ok ?? false;
}

function tellLedger(emulator: Emulator, stack: string, before: number): void {
  const { calls, voicesBilled, charge, tasks, tokens } = emulator.summary(stack, before);
  const called = Object.entries(calls).map(([action, count]) => `${count} ${action}`);
  console.error(
    `Emulator, account ${stack}: ${called.join(", ") || "no call"}; voices billed: ${voicesBilled}, $${charge.toFixed(2)}; image tasks: ${tasks}; decision tokens: ${tokens}. ` +
      `It now holds ${emulator.voices(stack).length} voices.`,
  );
}

function stackOf(args: string[]): string | undefined {
  for (const [index, word] of args.entries()) {
    if (word === "--stack" || word === "-s") return args[index + 1];
    if (word.startsWith("--stack=")) return word.slice("--stack=".length);
  }
  return undefined;
}

function pulumi(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn("pulumi", args, { cwd: root, env, stdio: "inherit" });
  // The terminal sends Ctrl-C to both; Pulumi decides what becomes of it, and the emulator must outlive it.
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
