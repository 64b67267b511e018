import { type Command, InvalidArgumentError, Option } from "commander";
import { nameInVoice } from "../rules/naming";
import { orphanedVoices } from "../rules/quota";
import { visible } from "../rules/visible";
import { createdAt } from "../rules/time";
import { InputError } from "../errors";
import type { ListedVoice } from "../service/voices/client";
import { settingsOf, voicesInOtherStacks, voicesInState } from "./stack";
import { formatTable } from "./table";

interface Options {
  stack?: string;
  prefix?: string;
  olderThan?: number;
  orphans?: boolean;
  /** The older name of `orphans`. */
  strays?: boolean;
  delete?: boolean;
  json?: boolean;
}

interface Row {
  voice: string;
  name: string;
  targetModel: string;
  createdAt: string;
}

export function addVoicesCommand(program: Command): void {
  program
    .command("voices")
    .description("list the account's voices, and find voices that a killed run left behind")
    .option(
      "--stack <name>",
      "use the settings of this stack and, for --orphans, its state (run this in the project's folder)",
    )
    .option("--prefix <text>", "only voices whose preferred name begins with this text")
    .option("--older-than <days>", "only voices that are at least this old", days)
    .option(
      "--orphans",
      "only orphaned voices: those with a generated name of the stack that are not in the stack's state",
    )
    .addOption(new Option("--strays").hideHelp())
    .option(
      "--delete",
      "with --orphans: delete them. Do not use it during an update of the stack, " +
        "or if another state has resources of the same project, stack and namespace",
    )
    .option("--json", "print JSON")
    .action(listVoices);
}

async function listVoices(options: Options): Promise<void> {
  const { stack, json = false } = options;
  const orphansOnly = options.orphans ?? options.strays ?? false;
  if (options.delete && !orphansOnly)
    throw new InputError("--delete needs --orphans, because it deletes orphaned voices only. Add --orphans.");
  const settings = await settingsOf(stack);
  if (stack === undefined && settings.voiceBaseUrl === undefined)
    throw new InputError(
      "The voices cannot be listed: there is no address of the service. " +
        "Set CLOUDVOICE_BASE_URL, or use --stack to name a stack whose configuration has it.",
    );
  const { connect } = await import("../service/connect");
  const service = connect(settings, { log: console.error });
  try {
    const all = await service.account.voices();
    const candidates = orphansOnly
      ? orphanedVoices(all, await voicesInState(stack), await voicesInOtherStacks(stack))
      : all;
    const rows = candidates
      .map(rowOf)
      .filter((row) => isSelected(row, options))
      .sort(byCreation);
    if (json) {
      const [total, quota] = [all.length, settings.voiceQuota];
      console.log(JSON.stringify({ voices: rows, total, quota, remaining: Math.max(0, quota - total) }, null, 2));
    } else {
      if (rows.length > 0) console.log(await tableOf(rows));
      const selection = rows.length === all.length ? "" : `, ${rows.length} shown`;
      console.log(`${all.length} of ${settings.voiceQuota} voices in the account${selection}`);
    }
    if (options.delete) {
      for (const { voice } of rows) await service.voices.remove(voice);
      console.error(`deleted: ${rows.length}`);
    }
  } finally {
    await service.close();
  }
}

function rowOf({ voice, targetModel, gmtCreate }: ListedVoice): Row {
  return { voice, name: nameInVoice(voice) ?? "", targetModel, createdAt: createdAt(gmtCreate) ?? "" };
}

function isSelected(row: Row, { prefix = "", olderThan }: Options): boolean {
  if (!row.name.startsWith(prefix)) return false;
  if (olderThan === undefined) return true;
  const latest = new Date(Date.now() - olderThan * 24 * 3600 * 1000).toISOString();
  return row.createdAt !== "" && row.createdAt <= latest;
}

function byCreation(a: Row, b: Row): number {
  return a.createdAt.localeCompare(b.createdAt);
}

function tableOf(rows: Row[]): Promise<string> {
  return formatTable(
    ["voice", "name", "target model", "created"],
    rows.map((row) => [row.voice, row.name, row.targetModel, row.createdAt].map(visible)),
  );
}

function days(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0)) throw new InvalidArgumentError("It must be a number of days.");
  return value;
}
