import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";

interface Options {
  port: number;
  host: string;
  key?: string;
  file?: string;
  answers: "nested" | "flat";
  voiceQuota: number;
}

export function addEmulatorCommand(program: Command): void {
  program
    .command("emulator")
    .description("run a local emulator of the service, for trying programs at no cost")
    .option("--port <number>", "port to listen on (0: any free port)", wholeNumber, 0)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--key <key>", "API key to accept (default: a random key; with --file, the same key at each start)")
    .option("--file <path>", "keep accounts, ledger and API key between runs, in this file and in <path>.key")
    .option(
      "--answers <form>",
      "where responses have their fields: nested in an output object, or flat at the top level",
      oneOf("nested", "flat"),
      "nested" as const,
    )
    .option("--voice-quota <number>", "highest number of voices in an account", wholeNumber, 1000)
    .action(runEmulator);
}

async function runEmulator({ port, host, key, file, answers, voiceQuota }: Options): Promise<void> {
  const { startEmulator } = await import("../emulator");
  const apiKey = key ?? (file === undefined ? undefined : savedKey(`${file}.key`));
  const emulator = await startEmulator({
    port,
    host,
    answers,
    voiceQuota,
    ...(file !== undefined && { file }),
    ...(apiKey !== undefined && { accounts: { default: apiKey } }),
  });
  console.log(`export CLOUDVOICE_BASE_URL=${emulator.url}`);
  console.log(`export CLOUDVOICE_API_KEY=${emulator.apiKey}`);
  console.error(
    `The emulator is ready at ${emulator.url}. Its ledger is at ${emulator.url}/_emulator/ledger. ` +
      "Press Ctrl-C to stop.",
  );
  const stop = () => void emulator.close().then(() => process.exit(0));
  process.once("SIGINT", stop).once("SIGTERM", stop);
}

/** The key stays the same between runs, because users put it into the configuration of their stacks. */
function savedKey(path: string): string {
  if (!existsSync(path)) writeFileSync(path, `emulator-${randomBytes(12).toString("hex")}`, { mode: 0o600 });
  return readFileSync(path, "utf8").trim();
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

function oneOf<T extends string>(...allowed: T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((value) => value === text);
    if (found === undefined) throw new InvalidArgumentError(`It must be one of ${allowed.join(", ")}.`);
    return found;
  };
}
