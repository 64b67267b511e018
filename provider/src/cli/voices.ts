import type { ListedVoice } from "../rules/voice";
import type { Command } from "commander";
import { textsOf } from "../rules/first-of";
import { describeThrown } from "../describe-thrown";
import { namesOfHolders, type States, withoutHolder } from "./stacks/states";
import { InputError } from "../errors";
import { adoptingEntries, generatedHint } from "./adoption";
import { counted, selectVoices, type ShownVoice, tableOfVoices } from "./listing";
import { fullStackName } from "./stacks/pulumi-states";
import type { Service } from "../service/connect";
import { jsonOf } from "./review/forms";
import { exitCodes } from "./review/exit-code";
import { voicesWithRights } from "./rights";
import { neededStack, orphansIn, settingsOf, statesOf, voicesOf, withService } from "./stack";
import { printError, printLine, printText } from "./print";

interface Options {
  stack?: string;
  prefix?: string;
  orphans?: boolean;
  exitCode?: boolean;
  adopt?: boolean;
  json?: boolean;
  rights?: boolean;
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
    .option("--orphans", "only voices with a generated name of this stack, if no stack in the backend holds them")
    .option("--exit-code", "with --orphans: exit with code 2 if there are some")
    .option(
      "--adopt",
      "print, as JSON, the entries of a catalog that adopt the voices that no stack in the backend holds",
    )
    .option(
      "--rights",
      "with --json: the voices of all the backend's stacks, with their rights, and the voices that no stack holds",
    )
    .option("--json", "print JSON")
    .action(printVoices);
}

async function printVoices(options: Options): Promise<void> {
  assertOptions(options);
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
    if (options.rights) return await printRights(states, service, all);
    if (options.adopt) {
      const rows = await withoutHolder(states, selectVoices(all, options, service.now()));
      printError(`${rows.length} of ${counted(all.length, "voice")} are in no state of this backend.`);
      const hint = generatedHint(rows);
      if (hint !== undefined) printError(hint);
      if (rows.length > 0) printText(adoptingEntries(rows));
      return;
    }
    const listed = options.orphans ? await orphansIn(all, states, settings) : all;
    const rows = await withHolders(states, selectVoices(listed, options, service.now()));
    printRows(rows, all.length, settings.voiceQuota, options);
    if (options.exitCode && rows.length > 0) process.exitCode = exitCodes.changes;
  });
}

/** Adds who holds each voice. If a state can't be read, lists the voices without their holders. */
async function withHolders(states: States, rows: ShownVoice[]): Promise<ShownVoice[]> {
  try {
    const holderOf = await namesOfHolders(states, rows);
    return rows.map((row) => ({ ...row, heldBy: holderOf(row.voice) ?? "no stack of the backend" }));
  } catch (error) {
    printError(`The resources of the voices are not shown: ${describeThrown(error).message}`);
    return rows;
  }
}

function printRows(rows: ShownVoice[], total: number, quota: number, { json }: Options): void {
  if (json) return printText(jsonOf({ voices: rows, total, quota, remaining: Math.max(0, quota - total) }));
  if (rows.length > 0) printLine(tableOfVoices(rows));
  const shown = rows.length === 0 ? "none of them matches" : `${rows.length} shown`;
  printLine(`${total} of ${quota} voices in the account${rows.length === total ? "" : `, ${shown}`}`);
}

function assertOptions(options: Options): void {
  const { rights, adopt, orphans, json, prefix } = options;
  const [problem] = textsOf([
    options.exitCode && !orphans && "--exit-code needs --orphans.",
    adopt && (orphans || json) && "--adopt cannot be combined with --orphans or --json.",
    rights && !json && "--rights needs --json.",
    rights &&
      [prefix, orphans, adopt].some((option) => option !== undefined) &&
      "--rights cannot be combined with --prefix, --orphans or --adopt.",
  ]);
  if (problem !== undefined) throw new InputError(problem);
}

async function printRights(states: States, service: Service, listed: ListedVoice[]): Promise<void> {
  const everywhere = await states.everywhere();
  const voices = voicesWithRights({
    holders: everywhere.flatMap(({ holders }) => holders),
    read: everywhere.flatMap(({ readers }) => readers),
    ...{ listed, fingerprint: service.voiceFingerprint(), nowMs: service.now() },
  });
  printText(jsonOf({ voices }));
}
