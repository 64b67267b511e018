import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";

export function addEmulatorCommand(program: Command): void {
  program
    .command("emulator")
    .description("run a local emulator of the service, to try programs on at no cost")
    .option("--port <number>", "port to listen on (0: any free one)", wholeNumber, 0)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--key <key>", "API key to give out (default: a random one; with --file the same at each start)")
    .option("--file <path>", "remember accounts, ledger and key in this file and one beside it, between runs")
    .option(
      "--answers <form>",
      "how answers nest their fields: nested or flat",
      oneOf("nested", "flat"),
      "nested" as const,
    )
    .option("--voice-quota <number>", "voices an account may hold", wholeNumber, 1000)
    .action(async ({ port, host, key, file, answers, voiceQuota }: Options) => {
      const { startEmulator } = await import("../emulator");
      const emulator = await startEmulator({
        port,
        host,
        answers,
        voiceQuota,
        ...(file && { file }),
        ...((key ?? file) && { accounts: { default: key ?? keyBeside(file ?? "") } }),
      });
      console.log(`export CLOUDVOICE_BASE_URL=${emulator.url}`);
      console.log(`export CLOUDVOICE_API_KEY=${emulator.apiKey}`);
      console.error(
        `The emulator is ready at ${emulator.url}; its ledger is at ${emulator.url}/_emulator/ledger. Ctrl-C ends it.`,
      );
      const end = () => void emulator.close().then(() => process.exit(0));
      process.once("SIGINT", end).once("SIGTERM", end);
    });
}

/** The key of an emulator that remembers: stacks have it in their configuration. */
function keyBeside(file: string): string {
  const place = `${file}.key`;
  if (!existsSync(place)) writeFileSync(place, `emulator-${randomBytes(12).toString("hex")}`, { mode: 0o600 });
  return readFileSync(place, "utf8").trim();
}

interface Options {
  port: number;
  host: string;
  key?: string;
  file?: string;
  answers: "nested" | "flat";
  voiceQuota: number;
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
