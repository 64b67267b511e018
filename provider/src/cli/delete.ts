import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { describeThrown } from "../describe-thrown";
import { InputError } from "../errors";
import { once } from "../once";
import type { Settings } from "../rules/settings";
import { counted, textsOf, visible } from "../rules/visible";
import type { Service } from "../service/connect";
import { removeVoice } from "../service/voices/remove";
import { fullStackName, type HolderOf, namesOfHolders } from "./stacks/states";
import { VoiceNotes } from "../service/journal/voice-notes";
import { selectVoices, type ShownVoice, tableOfVoices } from "./listing";
import { journalOf, neededStack, orphansIn, settingsOf, statesOf, voicesOf, withService } from "./stack";
import { printError, printLine } from "./print";

interface DeleteOptions {
  stack?: string;
  orphans?: boolean;
  prefix?: string;
  yes?: boolean;
}

export function addDeleteCommand(program: Command): void {
  program
    .command("delete")
    .description("delete voices of the account that no stack in the backend holds")
    .argument("[voices...]", "the full names of the voices, as `pulumi-cloudvoice voices` lists them")
    .option("--stack <name>", "use the settings and the state of this stack (default: the selected stack)")
    .option("--prefix <text>", "delete the voices whose preferred name begins with this text")
    .option(
      "--orphans",
      "delete the voices with a generated name of this stack. Do not use this option if another backend has resources " +
        "of the same project, stack and namespace",
    )
    .option("--yes", "delete without asking")
    .addHelpText(
      "after",
      "\nRun this in the folder of the Pulumi project. The command does not delete a voice that a stack holds. To " +
        "delete such a voice, remove it from the program and run `pulumi up`, or run `pulumi destroy`." +
        "\nDo not run this during an update: a voice that was just created is not in the state yet." +
        "\nExit codes: 0, or 1 for an error, or for a voice that was refused or could not be deleted.",
    )
    .action(runDelete);
}

async function runDelete(named: string[], options: DeleteOptions): Promise<void> {
  const { orphans = false, prefix, yes = false } = options;
  const hasFilter = orphans || prefix !== undefined;
  if (named.length > 0 === hasFilter)
    throw new InputError("Name the voices to delete, or select them with --orphans or --prefix.");
  const stack = await (orphans ? neededStack("--orphans", options.stack) : fullStackName(options.stack));
  const settings = await settingsOf(stack);
  await withService(settings, async (service) => {
    const listed = await voicesOf(service, stack);
    const among = orphans ? await orphansIn(listed, statesOf(stack), settings) : listed;
    const selected = selectVoices(among, options, service.clock.now());
    if (hasFilter && selected.length === 0) {
      printError(`No voice matches ${describeFilter(options)}.`);
      return;
    }
    // This call throws if a state can't be read, and then no voice is deleted.
    const holderOf = await namesOfHolders(statesOf(stack), hasFilter ? selected : named.map((voice) => ({ voice })));
    const free = selected.filter(({ voice }) => holderOf(voice) === undefined);
    const { remove, refused } = hasFilter ? { remove: free, refused: [] } : planDeletion(named, selected, holderOf);
    for (const { voice, why } of refused) printError(`refused: ${visible(voice)}: ${why}`);
    if (hasFilter && selected.length > free.length)
      printError(`Not deleted: ${counted(selected.length - free.length, "voice")} of the selection, held by stacks.`);
    await deleteVoices(deletionOf(service, settings, stack, remove), remove, yes);
    if (refused.length > 0) process.exitCode = 1;
  });
}

function describeFilter({ orphans, prefix = "" }: DeleteOptions): string {
  return textsOf([orphans && "--orphans", prefix !== "" && `--prefix ${visible(prefix)}`]).join(" and ");
}

function planDeletion(named: readonly string[], listed: readonly ShownVoice[], holderOf: HolderOf) {
  const rows = new Map(listed.map((row) => [row.voice, row]));
  const judged = [...new Set(named)].map((voice) => {
    const row = rows.get(voice);
    return { voice, row, why: refusalOf(voice, holderOf(voice), row !== undefined) };
  });
  return {
    remove: judged.flatMap(({ row, why }) => (row === undefined || why !== undefined ? [] : [row])),
    refused: judged.flatMap(({ voice, why }) => (why === undefined ? [] : [{ voice, why }])),
  };
}

/** Why the command does not delete the voice. */
function refusalOf(voice: string, holder: string | undefined, isListed: boolean): string | undefined {
  if (holder !== undefined) return `the resource ${holder} holds it`;
  return isListed ? undefined : `the account has no voice ${visible(voice)}`;
}

/** Asks a person on the terminal to confirm. With `yes`, returns true without asking. Throws without a terminal. */
export async function confirmDeletion(
  rows: ShownVoice[],
  yes: boolean,
  terminal = process.stdin,
  screen: NodeJS.WritableStream = process.stderr,
): Promise<boolean> {
  if (yes) return true;
  const voices = counted(rows.length, "voice");
  if (!terminal.isTTY)
    throw new InputError(`${voices} would be deleted, but nobody can confirm, because the input is not a terminal`, {
      advice: "To confirm in advance, add --yes.",
    });
  screen.write(`${tableOfVoices(rows)}\n`);
  const prompt = createInterface({ input: terminal, output: screen });
  try {
    // Ctrl-D ends the input without an answer. `setImmediate` lets an answer that came just before the end win.
    const ended = new Promise<string>((resolve) => prompt.once("close", () => setImmediate(resolve, "")));
    const question = `Delete ${voices}? This cannot be undone. [y/N] `;
    const answer = await Promise.race([prompt.question(question), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}

/**
 * Returns a function that deletes a voice and removes its notes from the journal. The first call reads the states again,
 * because an update may have reused a voice while a person was asked.
 */
export function deletionOf(
  service: Service,
  settings: Settings,
  stack: string | undefined,
  rows: ShownVoice[],
): (voice: string) => Promise<void> {
  const holders = once(() => namesOfHolders(statesOf(stack), rows));
  const journal = once(() => journalOf(settings, service.clock, printError));
  const notes = once(() => {
    const parts = { account: service.voiceFingerprint, pending: new Set<string>(), startedAtMs: service.clock.now() };
    return new VoiceNotes({ journal: journal(), ...parts });
  });
  return async (voice) => {
    const refusal = refusalOf(voice, (await holders())(voice), true);
    if (refusal !== undefined) throw new InputError(`${refusal} now`);
    await removeVoice(service, voice);
    // By its generated name, even if the journal can't be listed; and with a chosen name, by its id.
    await notes().removeOf(voice, {});
    await journal().forgetId(voice);
  };
}

/** Asks first. If a voice can't be deleted, the other voices are deleted all the same, and the exit code is 1. */
export async function deleteVoices(
  remove: (voice: string) => Promise<unknown>,
  rows: ShownVoice[],
  yes: boolean,
): Promise<void> {
  const isAgreed = rows.length > 0 && (await confirmDeletion(rows, yes));
  let deleted = 0;
  const deleteOne = async ({ voice }: ShownVoice) => {
    try {
      await remove(voice);
      deleted++;
      printLine(`deleted: ${visible(voice)}`);
    } catch (error) {
      process.exitCode = 1;
      printError(`not deleted: ${visible(voice)}: ${describeThrown(error).message}`);
    }
  };
  if (isAgreed) await Promise.all(rows.map(deleteOne));
  printError(`${counted(deleted, "voice")} deleted.`);
}
