import { existsSync, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { parseDocument } from "yaml";
import * as z from "zod";
import { describeThrown } from "../describe-thrown";
import type { DecisionAnswers, Emulator, EmulatorOptions } from "../../emulator";
import { InputError } from "../errors";
import { linkIn, makeFolder } from "../files";
import { environmentName } from "../rules/find-setting";
import { addressNames, meantForService } from "../rules/addresses";
import { runCommand, runPulumi } from "../run-pulumi";
import { partsOf } from "../rules/resource-types";
import { commandsOfVenv } from "../system-path";
import { answerOption } from "./emulator";
import { counted } from "../rules/visible";
import { projectHere } from "./stack";
import { printError } from "./print";

interface Options {
  folder?: string;
  here?: boolean;
  answer?: DecisionAnswers;
}

export function addDevCommand(program: Command): void {
  program
    .command("dev")
    .description("run a command with the emulator beside it, for example: dev -- pulumi up")
    .argument("<command...>", "the command and its arguments")
    .passThroughOptions()
    .option("--folder <path>", "where the emulator and Pulumi keep their data (default: .cloudvoice in the project)")
    .addOption(answerOption())
    .option("--here", "use the emulator even if the stack or the environment is set up for a service")
    .action(async (command: string[], options: Options) => {
      process.exitCode = await runWithEmulator(command, options);
    });
}

async function runWithEmulator(command: string[], options: Options): Promise<number> {
  const { folder: named, here = false, answer } = options;
  const project = projectHere(resolve(optionIn(command, "--cwd", "-C") ?? "."));
  const folder = resolve(named ?? join(project.folder, ".cloudvoice"));
  const venv = commandsOfVenv(project.folder);
  if (existsSync(venv)) process.env.PATH = [venv, process.env.PATH].join(delimiter);
  const environmentValue = (name: string) => process.env[name]?.trim() || undefined;
  const addresses = addressNames.map(environmentName);
  if (!here) assertForEmulator({ environment: process.env });
  const setAddress = here ? undefined : addresses.find(environmentValue);
  if (setAddress !== undefined) {
    printError(`${setAddress} is set, so the command uses the emulator at that address, and no emulator is started.`);
    return runCommand(command);
  }
  const link = linkIn(project.folder, folder);
  if (link !== undefined)
    throw new InputError(
      `The emulator and Pulumi cannot keep their data in ${folder}: ${link} is a symbolic link, and the files behind ` +
        "it would be overwritten. Remove the link, or name another folder with --folder.",
    );
  makeFolder(folder);
  const emulator = await startAlone(join(folder, "emulator.jsonl"), {
    ...(answer && { answers: answer }),
  });
  const firstEntry = emulator.ledger().length;
  try {
    Object.assign(process.env, {
      // Set each interface's address: in the stack's settings, such an address would win over the common address.
      ...Object.fromEntries(addresses.map((name) => [name, emulator.url])),
      CLOUDVOICE_API_KEY: emulator.apiKey,
      // The journal is beside the emulator's data, because its notes belong to the emulator's account.
      CLOUDVOICE_JOURNAL: environmentValue("CLOUDVOICE_JOURNAL") ?? join(folder, "journal"),
      // The emulator finishes image tasks immediately, so there is no reason to poll every 10 seconds.
      CLOUDVOICE_IMAGE_POLL_SECONDS: environmentValue("CLOUDVOICE_IMAGE_POLL_SECONDS") ?? "0.2",
      // It answers and lists at once, so after a kill there is nothing to wait for.
      CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: environmentValue("CLOUDVOICE_REQUEST_TIMEOUT_SECONDS") ?? "10",
      CLOUDVOICE_SETTLE_SECONDS: environmentValue("CLOUDVOICE_SETTLE_SECONDS") ?? "1",
    });
    if (!environmentValue("PULUMI_BACKEND_URL")) {
      useLocalBackend(folder);
      const stack = project.name === "" ? undefined : await ensureStack(command, project.folder);
      if (stack !== undefined && !here && runsPulumi(command))
        assertForEmulator({ environment: {}, config: configIn(command, project, stack) });
    }
    const code = await runCommand(command);
    printError(report(emulator, firstEntry));
    if (runsPulumi(command) && (code !== 0 || command.includes("destroy")))
      printError(
        "Commands that are named above need the emulator too: write `dev -- ` before them, as in this command.",
      );
    return code;
  } finally {
    await emulator.close();
  }
}

/**
 * Rejects settings or variables that are meant for a service: later runs with the service would not find the emulator's
 * voices.
 */
function assertForEmulator(surroundings: Parameters<typeof meantForService>[0]): void {
  const reason = meantForService(surroundings);
  if (reason === undefined) return;
  throw new InputError(
    `The command was not run: ${reason}, and dev would use the emulator instead of a service. For the service, run the ` +
      "command without dev. For the emulator, remove that setting or variable, use another stack, or add --here: " +
      "`dev --here -- …`.",
  );
}

const runsPulumi = (command: string[]) => command.some((word) => /(^|[\\/])(pulumi|(pulumi-)?cloudvoice)$/.test(word));

/** Reads the settings file of the stack. Ignores unknown fields, so that a newer engine's file still parses. */
function configIn(command: string[], project: ReturnType<typeof projectHere>, stack: string): Record<string, unknown> {
  const fileOfStack = join(project.folder, project.stackConfigDir, `Pulumi.${partsOf(stack).stack}.yaml`);
  const file = optionIn(command, "--config-file") ?? fileOfStack;
  if (!existsSync(file)) return {};
  const { config } = z
    .looseObject({ config: z.record(z.string(), z.unknown()).nullish() })
    .parse(parseDocument(readFileSync(file, "utf8")).toJS() ?? {});
  return config ?? {};
}

/** Starts the emulator. Waits while another process uses its file. */
async function startAlone(file: string, options: EmulatorOptions): Promise<Emulator> {
  const { startKeptEmulator } = await import("../../emulator");
  for (let waited = false; ; waited = true) {
    try {
      return await startKeptEmulator(file, options);
    } catch (error) {
      if (describeThrown(error).code !== "EMULATOR_FILE_IN_USE") throw error;
      if (!waited)
        printError("Another command uses the emulator of this project. Waiting for the end of that command.");
      await delay(200);
    }
  }
}

/**
 * The name of the stack in the scripts that `init` writes. With a usual name, e.g. `dev`, the stack would share its
 * settings file with a team's stack of the same name.
 */
const firstStack = "emulator";

/**
 * Returns the name of the command's stack: the stack that the command names, else the selected stack, else `emulator`.
 * Creates a missing stack. Exception: a stack that the command names and that lacks a settings file, e.g. in
 * `pulumi stack init new`.
 */
async function ensureStack(command: string[], cwd: string): Promise<string> {
  const named = optionIn(command, "--stack", "-s");
  const isCreatedByCommand =
    named !== undefined && named !== firstStack && !existsSync(join(cwd, `Pulumi.${named}.yaml`));
  if (isCreatedByCommand) return named;
  const which = named === undefined ? [] : ["--stack", named];
  const selected = await runPulumi(["stack", "--show-name", ...which], { cwd });
  if (selected.failure === undefined) return selected.stdout.trim();
  const creation = named === undefined ? ["select", "--create", firstStack] : ["init", "--no-select", ...which];
  const { failure } = await runPulumi(["stack", ...creation], { cwd });
  if (failure !== undefined) throw new InputError(failure);
  return named ?? firstStack;
}

/** The value of an option in the forms `--stack dev` and `--stack=dev`. */
function optionIn(words: string[], long: string, short?: string): string | undefined {
  const index = words.findIndex((word) => word === long || word === short || word.startsWith(`${long}=`));
  const word = words[index];
  return word?.includes("=") ? word.slice(long.length + 1) : words[index + 1 || words.length];
}

function report(emulator: Emulator, firstEntry: number): string {
  const { calls, voicesBilled, charge, tasks, tokens } = emulator.summary(undefined, firstEntry);
  const counts = Object.entries(calls).map(([action, count]) => `${count} ${action}`);
  return (
    `Emulator: ${counts.join(", ") || "no call"}; voices billed: ${voicesBilled}, $${charge.toFixed(2)}; ` +
    `image tasks: ${tasks}; decision tokens: ${tokens}. It now holds ${counted(emulator.voices().length, "voice")}.`
  );
}

function useLocalBackend(folder: string): void {
  const { PULUMI_CONFIG_PASSPHRASE: passphrase, ...backend } = localBackend(folder);
  Object.assign(process.env, backend);
  if (!process.env.PULUMI_CONFIG_PASSPHRASE_FILE) process.env.PULUMI_CONFIG_PASSPHRASE ??= passphrase;
}

/** The variables of a Pulumi backend in a folder. The passphrase is public: it protects only keys of emulators. */
export function localBackend(folder: string): Record<string, string> {
  const state = join(folder, "state");
  makeFolder(state);
  return {
    // Workaround: the file backend writes a metadata file next to each stack. If the engine is killed while it writes
    // that file, the file stays empty and Pulumi can no longer read the stack.
    PULUMI_BACKEND_URL: `${pathToFileURL(state).href}?metadata=skip`,
    PULUMI_CONFIG_PASSPHRASE: "cloudvoice-local",
  };
}
