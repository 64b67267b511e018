import { writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { describeThrown } from "../describe-thrown";
import type { DecisionAnswers, EmulatorOptions } from "../../emulator";
import { InputError } from "../errors";
import { makeFolder } from "../files";
import { printError, printLine } from "./print";
import { shellQuoted } from "../rules/visible";

interface Options extends Omit<EmulatorOptions, "accounts" | "answers"> {
  key?: string;
  sample?: string;
  answer?: DecisionAnswers;
}

export function addEmulatorCommand(program: Command): void {
  program
    .command("emulator")
    .description("run a local emulator of the service, for trying programs at no cost")
    .option("--port <number>", "port to listen on (default: a free port; with --file, always the same)", portNumber)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--key <key>", "API key to accept (default: a random key; with --file, always the same)", apiKey)
    .option("--file <path>", "keep accounts and ledger in this file, the key in <path>.key, the port in <path>.port")
    .option("--sample <path>", "write a sample recording of 12 s to this .wav file, and do not start the emulator")
    .addOption(answerOption())
    .option("--voice-quota <number>", "highest number of voices in an account", wholeNumber, 1000)
    .action(runEmulator);
}

/** The option of commands that start an emulator. May be repeated. */
export function answerOption(): Option {
  const add = (text: string, answers: DecisionAnswers = {}): DecisionAnswers => {
    const [, id, answer] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (id === undefined || answer === undefined)
      throw new InvalidArgumentError("Give the id of a question and its answer: --answer tone=rude.");
    return { ...answers, [id]: answer };
  };
  return new Option(
    "--answer <id=value>",
    "the emulator's answer to a question of a decision: an option, yes or no, a level (can be repeated)",
  ).argParser(add);
}

async function runEmulator({ sample, key, file, answer, ...options }: Options): Promise<void> {
  if (sample !== undefined) return writeSample(sample);
  const { startKeptEmulator } = await import("../../emulator");
  const accounts = key !== undefined && { accounts: { default: key } };
  const emulator = await startKeptEmulator(file, { ...options, ...accounts, ...(answer && { answers: answer }) });
  if (file === undefined)
    printError(
      "This emulator loses its data at Ctrl-C, and has another address and key at the next start. `pulumi refresh` " +
        "and `pulumi destroy` then fail. To keep data, address and key, start the emulator with --file emulator.jsonl.",
    );
  printLine(`export CLOUDVOICE_BASE_URL=${shellQuoted(emulator.url)}`);
  printLine(`export CLOUDVOICE_API_KEY=${shellQuoted(emulator.apiKey)}`);
  printError(
    `The emulator is ready. Its voices are at ${emulator.url}, its ledger is at ${emulator.url}/_emulator/ledger. ` +
      "Press Ctrl-C to stop.",
  );
  const stop = () => void emulator.close().then(() => process.exit(0));
  process.once("SIGINT", stop).once("SIGTERM", stop);
}

async function writeSample(path: string): Promise<void> {
  if (!path.toLowerCase().endsWith(".wav"))
    throw new InputError("The sample recording is a WAV file. Give it a name that ends in .wav.");
  const { sampleRecording } = await import("../../emulator");
  makeFolder(dirname(path));
  try {
    writeFileSync(path, sampleRecording(basename(path)), { flag: "wx" });
  } catch (error) {
    if (describeThrown(error).code !== "EEXIST") throw error;
    throw new InputError(`The file ${path} exists already. Give the sample recording another name.`);
  }
  printError(`Wrote ${path}: 12 s of a synthetic voice, for the emulator only.`);
}

/** Returns the key if an HTTP header can contain its characters. The setting `apiKey` has the same rule. */
function apiKey(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new InvalidArgumentError("It must consist of visible ASCII characters, without spaces.");
  return text;
}

export function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError("It must be at most 65535.");
  return port;
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}
