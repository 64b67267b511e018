import type { Command } from "commander";
import { InputError } from "../errors";
import { visible } from "../rules/visible";
import { confirmDeletion, deleteVoices, planDeletion } from "./deletion";
import { days, rowOf, selectVoices, voiceCount } from "./listing";
import { fullStackName } from "../stacks/pulumi-states";
import { holdersOf, settingsOf, statesOf, withService } from "./stack";

interface Options {
  stack?: string;
  prefix?: string;
  olderThan?: number;
  yes?: boolean;
}

export function addDeleteCommand(program: Command): void {
  program
    .command("delete")
    .description("delete voices of the account that no stack in the backend holds")
    .argument("[voices...]", "the voices' full names, as the command voices lists them")
    .option("--stack <name>", "the stack with the settings and the state to use (default: the selected stack)")
    .option("--prefix <text>", "delete the voices whose preferred name begins with this text")
    .option("--older-than <days>", "delete the voices that are at least this old", days)
    .option("--yes", "delete without asking")
    .addHelpText(
      "after",
      "\nRun this in the folder of the Pulumi project. A voice that a state holds is refused; `pulumi destroy` and the " +
        "removal from the program delete such voices." +
        "\nDo not run it during an update: a voice that the update has just created is not in the state yet." +
        "\nExit codes: 0 deleted, 1 an error, or a voice that was refused or could not be deleted.",
    )
    .action(runDelete);
}

async function runDelete(named: string[], options: Options): Promise<void> {
  const { prefix, olderThan, yes = false } = options;
  const hasFilter = prefix !== undefined || olderThan !== undefined;
  if (named.length > 0 === hasFilter)
    throw new InputError("Name the voices to delete, or select them with --prefix and --older-than.");

  const stack = await fullStackName(options.stack);
  const settings = await settingsOf(stack);
  await withService(settings, async (service) => {
    const listed = await service.account.voices();
    const selected = hasFilter ? selectVoices(listed, options, service.now()) : [];
    // Without the states no voice may be deleted.
    const holderOf = await holdersOf(statesOf(stack), hasFilter ? selected : named.map((voice) => ({ voice })));
    const free = selected.filter(({ voice }) => holderOf(voice) === undefined);
    const wanted = hasFilter ? free.map(({ voice }) => voice) : named;
    const { remove, refused } = planDeletion(
      wanted,
      listed.map((row) => rowOf(row, service.now())),
      holderOf,
    );

    if (hasFilter && selected.length === 0) {
      console.error(`No voice matches ${describeFilter(options)}.`);
      return;
    }
    for (const { voice, why } of refused) console.error(`refused: ${visible(voice)}: ${why}`);
    if (selected.length > free.length)
      console.error(`${voiceCount(selected.length - free.length)} of the selection stay, because stacks hold them.`);
    const confirmed = remove.length > 0 && (await confirmDeletion(remove, yes));
    const failed = confirmed ? await deleteVoices(service.voices, remove) : 0;
    console.error(`${voiceCount(confirmed ? remove.length - failed : 0)} deleted.`);
    if (failed + refused.length > 0) process.exitCode = 1;
  });
}

function describeFilter({ prefix, olderThan }: Options): string {
  const parts = [
    prefix !== undefined && `--prefix ${visible(prefix)}`,
    olderThan !== undefined && `--older-than ${olderThan}`,
  ];
  return parts.filter(Boolean).join(" and ");
}
