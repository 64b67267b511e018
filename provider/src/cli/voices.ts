import { type Command, Option } from "commander";
import { textsOf } from "../rules/first-of";
import type { Settings } from "../rules/settings";
import { unheld, voicesIn } from "./stacks/held";
import { orphanedVoices } from "./stacks/orphans";
import { InputError } from "../errors";
import type { ListedVoice } from "../service/voices/client";
import { adoptingProgram, importFile, languageOf, type ProgramLanguage, programLanguages } from "./adoption";
import { type DeleteOptions, deleteVoices, deletionOf } from "./delete";
import { counted, days, selectVoices, type ShownVoice, tableOfVoices } from "./listing";
import { partsOf } from "./stacks/names";
import { fullStackName } from "./stacks/pulumi-states";
import type { Service } from "../service/connect";
import type { States } from "./stacks/states";
import { jsonOf } from "./review/forms";
import { exitCodes } from "./review/exit-code";
import { csvOfRights, type RightsFilter, rightsSummary, tableOfRights, voicesWithRights } from "./rights";
import {
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

interface Options extends DeleteOptions, RightsFilter {
  orphans?: boolean;
  exitCode?: boolean;
  adopt?: boolean;
  format?: "program" | "import";
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
    .option("--orphans", "only voices with a generated name of this stack, if no stack in the backend holds them")
    .option("--exit-code", "with --orphans: exit with code 2 if there are some")
    .option("--adopt", "print a program that adopts the voices that no stack in the backend holds")
    .addOption(
      new Option("--format <format>", "with --adopt: print the program, or a file for `pulumi import --file`")
        .choices(["program", "import"])
        .default("program"),
    )
    .addOption(
      new Option(
        "--language <language>",
        "with --adopt: the language of the program (default: the language of the project)",
      ).choices(programLanguages),
    )
    .option(
      "--delete",
      "with --orphans: delete these voices, after a question. Do not use this option during an update of the stack, " +
        "or if another state has resources of the same project, stack and namespace",
    )
    .option("--yes", "with --delete: delete without asking")
    .option(
      "--rights",
      "list the voices of all stacks in the backend with their rights, and the voices that no stack holds",
    )
    .option(
      "--holder <text>",
      "with --rights: only voices whose holder contains this text; exit code 2 if there are any",
    )
    .option(
      "--ends-within <days>",
      "with --rights: only voices whose rights have ended, or end within this many days; exit code 2 if there are any",
      days,
    )
    .option("--csv", "with --rights: print CSV")
    .option("--json", "print JSON")
    .action(printVoices);
}

async function printVoices(options: Options): Promise<void> {
  assertOptions(options);
  const print = options.adopt ? adoptionPrinter(options) : undefined;
  const stack = await (options.orphans ? neededStack("--orphans", options.stack) : fullStackName(options.stack));
  const settings = await settingsOf(stack);
  if (settings.voiceBaseUrl === undefined)
    throw new InputError(
      "The voices cannot be listed: there is no address of the service. Set CLOUDVOICE_BASE_URL, or name a stack " +
        "with an address (--stack). For the emulator, run `npx --no-install pulumi-cloudvoice dev -- …`.",
    );
  await withService(settings, async (service) => {
    const all = await voicesOf(service, stack);
    const states = statesOf(stack);
    if (options.rights) return await printRights(states, service, all, options);
    if (print !== undefined) {
      const rows = await unheld(states, selectVoices(all, options, service.now()));
      printError(`${rows.length} of ${counted(all.length, "voice")} are not in a state of this backend.`);
      if (rows.length > 0) printText(print(rows, stack));
      return;
    }
    const listed = options.orphans ? await unheld(states, await orphansIn(all, states, settings)) : all;
    const rows = selectVoices(listed, options, service.now());
    printRows(rows, all.length, settings.voiceQuota, options);
    if (options.exitCode && rows.length > 0) process.exitCode = exitCodes.changes;
    if (!options.delete || rows.length === 0) return;
    const remove = deletionOf(service, settings, stack, rows);
    await deleteVoices(remove, rows, options.yes ?? false, options.json ? printError : printLine);
  });
}

async function orphansIn(all: ListedVoice[], states: States, settings: Settings): Promise<ListedVoice[]> {
  return orphanedVoices(all, voicesIn(await withContent(await states.own(), settings)), settings);
}

function printRows(rows: ShownVoice[], total: number, quota: number, { json }: Options): void {
  if (json) return printText(jsonOf({ voices: rows, total, quota, remaining: Math.max(0, quota - total) }));
  if (rows.length > 0) printLine(tableOfVoices(rows));
  const shown = rows.length === 0 ? "none of them matches" : `${rows.length} shown`;
  printLine(`${total} of ${quota} voices in the account${rows.length === total ? "" : `, ${shown}`}`);
}

/** Returns the function that prints. Call this before the account is listed: an unknown language should fail first. */
function adoptionPrinter({ format, language }: Options) {
  if (format === "import") return importFile;
  const printed = language ?? languageOf(projectHere());
  return (rows: ShownVoice[], stack: string | undefined) =>
    adoptingProgram(rows, { language: printed, stack: stack === undefined ? undefined : partsOf(stack).stack });
}

function assertOptions(options: Options): void {
  const { rights, adopt, orphans, json, csv, format, language, holder, endsWithin, prefix, olderThan } = options;
  const isProgram = adopt && format !== "import";
  const [problem] = textsOf([
    options.exitCode && !orphans && "--exit-code needs --orphans.",
    options.delete &&
      !orphans &&
      "--delete needs --orphans: it deletes orphaned voices only. Add --orphans, or use `pulumi-cloudvoice delete`.",
    adopt && (orphans || json) && "--adopt cannot be combined with --orphans or --json.",
    !isProgram && language !== undefined && "--language needs --adopt, with --format program.",
    !adopt && format === "import" && "--format import needs --adopt.",
    !rights &&
      (holder !== undefined || endsWithin !== undefined || csv) &&
      "--holder, --ends-within and --csv need --rights.",
    rights &&
      [prefix, olderThan, orphans, adopt].some((option) => option !== undefined) &&
      "--rights cannot be combined with --prefix, --older-than, --orphans or --adopt.",
    csv && json && "--csv cannot be combined with --json.",
  ]);
  if (problem !== undefined) throw new InputError(problem);
}

async function printRights(states: States, service: Service, listed: ListedVoice[], options: Options): Promise<void> {
  const everywhere = await states.everywhere();
  const found = voicesWithRights(
    {
      ...{ held: await withRights(everywhere), read: everywhere.flatMap(({ readers }) => readers), listed },
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
