import { type Command, Option } from "commander";
import { visible } from "../rules/visible";
import { unheld, voicesIn } from "../voices/held";
import { orphanedVoices } from "../voices/judge/delete";
import { InputError } from "../errors";
import type { ListedVoice } from "../service/voices/client";
import { adoptingProgram, importFile, languageOf, type ProgramLanguage, programLanguages } from "./adoption";
import { confirmDeletion, type DeleteOptions, deleteVoices, deletionOf } from "./delete";
import { counted, days, selectVoices, type ShownVoice, tableOfVoices } from "./listing";
import { partsOf } from "../stacks/names";
import { fullStackName } from "../stacks/pulumi-states";
import type { Service } from "../service/connect";
import type { States } from "../stacks/states";
import { jsonOf } from "./review/forms";
import { exitCodes } from "./review/words";
import { csvOfRights, type RightsFilter, rightsSummary, tableOfRights, voicesWithRights } from "./rights";
import {
  journalOf,
  namingOf,
  neededStack,
  projectHere,
  settingsOf,
  statesOf,
  voicesOf,
  withContent,
  withRights,
  withService,
} from "./stack";
import { printError, printLine, printText } from "./print";
import { setOrphans } from "./set-orphans";

interface Options extends DeleteOptions, RightsFilter {
  orphans?: boolean;
  adopt?: boolean;
  format?: "program" | "import";
  set?: boolean;
  language?: ProgramLanguage;
  delete?: boolean;
  json?: boolean;
  rights?: boolean;
  csv?: boolean;
}

export function addVoicesCommand(program: Command): void {
  program
    .command("voices")
    .description("list the account's voices, find voices that a killed run left behind, or adopt existing ones")
    .option(
      "--stack <name>",
      "use the settings and the state of this stack (run this in the project's folder; default: the selected stack)",
    )
    .option("--prefix <text>", "only voices whose preferred name begins with this text")
    .option("--older-than <days>", "only voices that are at least this old", days)
    .option("--orphans", "only voices with a generated name of the stack that no stack in the backend holds")
    .option("--adopt", "print a program that adopts the voices that no stack in the backend holds")
    .addOption(
      new Option("--format <format>", "with --adopt: that program, or a file for `pulumi import --file`")
        .choices(["program", "import"])
        .default("program"),
    )
    .option("--set", "with --adopt: the program has a VoiceSet in place of a VoiceCatalog")
    .addOption(
      new Option(
        "--language <language>",
        "with --adopt: the language of the program (default: that of the project)",
      ).choices(programLanguages),
    )
    .option(
      "--delete",
      "with --orphans: delete them, after a question. Do not use it during an update of the stack, " +
        "or if another state has resources of the same project, stack and namespace",
    )
    .option("--yes", "with --delete: delete without asking")
    .option("--rights", "all voices of all stacks in the backend with their rights, and those that no stack holds")
    .option("--holder <text>", "with --rights: only voices whose holder contains this text; exit code 2 if any")
    .option(
      "--ends-within <days>",
      "with --rights: only voices whose rights end within so many days, or have ended; exit code 2 if there are any",
      days,
    )
    .option("--csv", "with --rights: print CSV")
    .option("--json", "print JSON")
    .action(printVoices);
}

async function printVoices(options: Options): Promise<void> {
  const { json = false, adopt = false, yes = false, orphans: orphansOnly = false } = options;
  if (options.delete && !orphansOnly)
    throw new InputError(
      "--delete needs --orphans, because it deletes orphaned voices only. " +
        "Add --orphans, or use `pulumi-cloudvoice delete`.",
    );
  if (adopt && (orphansOnly || json)) throw new InputError("--adopt cannot be combined with --orphans or --json.");
  const print = adopt ? adoptionPrinter(options) : undefined;
  assertOptionsOfAdoption(options);
  assertOptionsOfRights(options);
  const stack = await (orphansOnly ? neededStack("--orphans", options.stack) : fullStackName(options.stack));
  const settings = await settingsOf(stack);
  if (settings.voiceBaseUrl === undefined)
    throw new InputError(
      "The voices cannot be listed: there is no address of the service. Set CLOUDVOICE_BASE_URL, or name a stack that has " +
        "it with --stack. With the emulator, run the command by `npx --no-install pulumi-cloudvoice dev -- …`.",
    );
  await withService(settings, async (service) => {
    const all = await voicesOf(service, stack);
    const states = statesOf(stack);
    if (options.rights) return await printRights(states, service, all, options);
    if (print !== undefined) {
      const rows = await unheld(states, selectVoices(all, options, service.now()));
      printError(`${counted(rows.length, "voice")} of ${all.length} are in no state of this backend.`);
      if (rows.length > 0) printText(print(rows, stack));
      return;
    }
    const ofSets = orphansOnly
      ? await setOrphans(all, states, settings, await journalOf(settings, service.clock, printError))
      : [];
    const held = async () => voicesIn(await withContent(await states.own(), settings));
    const named = orphansOnly ? orphanedVoices(all, await held(), namingOf(settings)) : [];
    const orphans = [...new Set([...named, ...ofSets.map(({ row }) => row)])];
    const candidates = orphansOnly ? await unheld(states, orphans) : all;
    const rows = selectVoices(candidates, options, service.now());
    if (json) {
      const [total, quota] = [all.length, settings.voiceQuota];
      printText(jsonOf({ voices: rows, total, quota, remaining: Math.max(0, quota - total) }));
    } else {
      if (rows.length > 0) printLine(tableOfVoices(rows));
      for (const { row, evidence } of ofSets)
        if (rows.some(({ voice }) => voice === row.voice)) printLine(visible(`${row.voice}: ${evidence}`));
      const shown = rows.length === 0 ? "none of them matches" : `${rows.length} shown`;
      const selection = rows.length === all.length ? "" : `, ${shown}`;
      printLine(`${all.length} of ${settings.voiceQuota} voices in the account${selection}`);
    }
    // A pending operation may be older than voices that have left the set and stay.
    const proven = [...named, ...ofSets.filter(({ isLogged }) => isLogged).map(({ row }) => row)];
    const going = rows.filter((row) => !orphansOnly || proven.some(({ voice }) => voice === row.voice));
    if (options.delete && going.length < rows.length)
      printError(`${counted(rows.length - going.length, "voice")} of a pending operation alone: not deleted.`);
    if (options.delete && going.length > 0 && (await confirmDeletion(going, yes))) {
      const failed = await deleteVoices(
        deletionOf(service, settings, stack, going),
        going,
        json ? printError : printLine,
      );
      printError(`${counted(going.length - failed, "voice")} deleted.`);
      if (failed > 0) process.exitCode = 1;
    }
  });
}

/** Fails before the account is listed if it is not known what to print. */
function adoptionPrinter({ format, set = false, language }: Options) {
  if (format === "import") return importFile;
  const printed = language ?? languageOf(projectHere());
  return (rows: ShownVoice[], stack: string | undefined) =>
    adoptingProgram(rows, { language: printed, set, stack: stack === undefined ? undefined : partsOf(stack).stack });
}

function assertOptionsOfAdoption({ adopt, format, set, language }: Options): void {
  const isProgram = adopt && format !== "import";
  if (!isProgram && (set || language !== undefined))
    throw new InputError("--set and --language need --adopt, with --format program.");
}

function assertOptionsOfRights({ rights, holder, endsWithin, csv, json, ...others }: Options): void {
  if (!rights && (holder !== undefined || endsWithin !== undefined || csv))
    throw new InputError("--holder, --ends-within and --csv need --rights.");
  const { prefix, olderThan, orphans, adopt } = others;
  if (rights && [prefix, olderThan, orphans, adopt].some((option) => option !== undefined))
    throw new InputError("--rights cannot be combined with --prefix, --older-than, --orphans or --adopt.");
  if (csv && json) throw new InputError("--csv cannot be combined with --json.");
}

async function printRights(states: States, service: Service, listed: ListedVoice[], options: Options): Promise<void> {
  const everywhere = await states.everywhere();
  const found = voicesWithRights(
    {
      ...{ held: await withRights(everywhere), read: everywhere.flatMap(({ readers = [] }) => readers), listed },
      ...{ fingerprint: service.voiceFingerprint(), nowMs: service.now() },
    },
    options,
  );
  const { voices } = found;
  if (options.json) printText(jsonOf(found));
  else if (options.csv) printText(csvOfRights(voices));
  else if (voices.length > 0) printLine(tableOfRights(voices));
  (options.json || options.csv ? printError : printLine)(rightsSummary(found, options));
  const isCheck = options.holder !== undefined || options.endsWithin !== undefined;
  if (isCheck && voices.length > 0) process.exitCode = exitCodes.changes;
}
