import { type Command, InvalidArgumentError } from "commander";
import { nameInVoice } from "../rules/naming";
import { orphanedVoices } from "../rules/quota";
import { visible } from "../rules/visible";
import { createdAt } from "../rules/time";
import { settingsOf, voicesInState } from "./stack";

interface Options {
  stack?: string;
  prefix?: string;
  olderThan?: number;
  strays?: boolean;
  delete?: boolean;
  json?: boolean;
}

export function addVoicesCommand(program: Command): void {
  program
    .command("voices")
    .description("list the account's voices, and find those that a killed run left behind")
    .option("--stack <name>", "read the settings, and for --strays the state, of this stack (in the project's folder)")
    .option("--prefix <text>", "only voices whose preferred name begins so")
    .option("--older-than <days>", "only voices at least so old", days)
    .option("--strays", "only voices under generated names of the stack that its state does not hold")
    .option(
      "--delete",
      "with --strays: delete them. Not while an update of the stack is under way, and not where another state holds resources of the same project, stack and namespace",
    )
    .option("--json", "as JSON")
    .action(list);
}

async function list({
  stack,
  prefix = "",
  olderThan,
  strays = false,
  delete: deleting = false,
  json = false,
}: Options): Promise<void> {
  if (deleting && !strays) throw new Error("--delete goes with --strays");
  const settings = await settingsOf(stack);
  if (stack === undefined && settings.voiceBaseUrl === undefined)
    throw new Error(
      "no address of the service: set CLOUDVOICE_BASE_URL, or name the stack whose settings hold it with --stack",
    );
  const { connect } = await import("../service/connect");
  const service = connect(settings);
  try {
    const all = await service.account.voices();
    const held = strays ? (await voicesInState(stack)).filter((voice) => voice.generated) : [];
    const before = new Date(Date.now() - (olderThan ?? 0) * 24 * 3600 * 1000).toISOString();
    const shown = (strays ? orphanedVoices(all, held) : all)
      .map((row) => ({
        voice: row.voice,
        name: nameInVoice(row.voice) ?? "",
        targetModel: row.targetModel,
        createdAt: createdAt(row.gmtCreate) ?? "",
      }))
      .filter(
        (row) =>
          row.name.startsWith(prefix) && (olderThan === undefined || (row.createdAt !== "" && row.createdAt <= before)),
      )
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt));

    if (json)
      console.log(
        JSON.stringify(
          {
            voices: shown,
            total: all.length,
            quota: settings.voiceQuota,
            remaining: Math.max(0, settings.voiceQuota - all.length),
          },
          null,
          2,
        ),
      );
    else
      await print(
        shown,
        `${all.length} of ${settings.voiceQuota} voices in the account${shown.length === all.length ? "" : `, ${shown.length} shown`}`,
      );
    if (deleting) {
      for (const { voice } of shown) await service.voices.remove(voice);
      console.error(`deleted: ${shown.length}`);
    }
  } finally {
    await service.close();
  }
}

function days(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0)) throw new InvalidArgumentError("It must be a number of days.");
  return value;
}

async function print(
  rows: { voice: string; name: string; targetModel: string; createdAt: string }[],
  summary: string,
): Promise<void> {
  if (rows.length > 0) {
    const { default: Table } = await import("cli-table3");
    const table = new Table({ head: ["voice", "name", "target model", "created"], style: { head: [], border: [] } });
    for (const { voice, name, targetModel, createdAt: created } of rows)
      table.push([voice, name, targetModel, created].map(visible));
    console.log(table.toString());
  }
  console.log(summary);
}
