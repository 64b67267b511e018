import type { ListedVoice } from "../rules/voice";
import type { Command } from "commander";
import { counted, textsOf } from "../rules/visible";
import { describeThrown } from "../describe-thrown";
import { fullStackName, namesOfHolders, type States, voicesIn, withoutHolder } from "./stacks/states";
import { InputError } from "../errors";
import { selectVoices, type ShownVoice, tableOfVoices } from "./listing";
import type { Service } from "../service/connect";
import { exitCodes } from "./review/review";
import { neededStack, orphansIn, settingsOf, statesOf, voicesOf, withService } from "./stack";
import { jsonOf, printError, printLine, printText } from "./print";
import { nameInUrn } from "../rules/resource-types";
import type { Rights } from "../rules/rights";
import { ageDays } from "../rules/time";
import type { StackState } from "./stacks/state";
import { shownRights } from "./review/fields";
import { hasGeneratedId } from "../rules/naming";

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
      const rows = await withoutHolder(states, selectVoices(all, options, service.clock.now()));
      printError(`${rows.length} of ${counted(all.length, "voice")} are in no state of this backend.`);
      const hint = generatedHint(rows);
      if (hint !== undefined) printError(hint);
      if (rows.length > 0) printText(adoptingEntries(rows));
      return;
    }
    const listed = options.orphans ? await orphansIn(all, states, settings) : all;
    const rows = await withHolders(states, selectVoices(listed, options, service.clock.now()));
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
  printText(jsonOf({ voices: voicesWithRights(await states.everywhere(), service, listed) }));
}

interface VoiceWithRights {
  voice: string;
  /** Absent if no state records rights for the voice. */
  rights?: Rights | undefined;
  /** The full name of the stack and the name of the resource; absent if no stack of the backend holds the voice. */
  stack?: string;
  resource?: string;
  /** The path or URL of the recording, and, for a file, the SHA-256. */
  recording?: string | undefined;
  sha256?: string | undefined;
  createdAt?: string | undefined;
  ageDays?: number | undefined;
  /** Whether the account has the voice. `another account`: the state records another key or address for the voice. */
  live: "yes" | "no" | "another account";
}

/** The voices of all stacks, and those that no stack holds. */
function voicesWithRights(states: StackState[], service: Service, listed: ListedVoice[]): VoiceWithRights[] {
  const holders = states.flatMap((state) => state.holders);
  const fingerprint = service.voiceFingerprint();
  const rows = new Map(listed.map((row) => [row.voice, row]));
  const aged = (createdAt: string | undefined) => ({ createdAt, ageDays: ageDays(createdAt, service.clock.now()) });
  const voicesOfStacks = holders.map((each): VoiceWithRights => {
    const { voice, rights, stack, savedUrn, audio, audioSha256, account } = each;
    const row = rows.get(voice);
    const isForeign = account !== undefined && account !== fingerprint;
    return {
      ...{ voice, stack, resource: nameInUrn(savedUrn), recording: audio, sha256: audioSha256 },
      rights: rights && shownRights(rights),
      ...aged(row?.createdAt ?? each.createdAt),
      live: row ? "yes" : isForeign ? "another account" : "no",
    };
  });
  const idsInStates = new Set(states.flatMap(voicesIn).map(({ voice }) => voice));
  const unclaimed = listed.filter(({ voice }) => !idsInStates.has(voice));
  const voicesWithoutStack = unclaimed.map(({ voice, createdAt }): VoiceWithRights => ({
    voice,
    ...aged(createdAt),
    live: "yes",
  }));
  return [...voicesOfStacks, ...voicesWithoutStack];
}

/**
 * Returns the entries of a catalog that adopt these voices, as JSON. The user adds the recordings. The key of a voice is
 * its name. If several voices have one name, the keys of all but the first get a number. So does a name such as
 * `__proto__` or `toString`, which every object in JavaScript has.
 */
export function adoptingEntries(rows: ShownVoice[]): string {
  const used = new Set(Object.getOwnPropertyNames(Object.prototype));
  const named = rows.map((row) => ({ name: row.name === "" ? "voice" : row.name, row }));
  named.sort((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }));
  const entries = named.map(({ name, row: { voice, targetModel } }) => {
    let key = name;
    for (let number = 2; used.has(key); number++) key = `${name}_${number}`;
    used.add(key);
    return [key, { targetModel, audio: `audio/${key}.wav`, adopt: voice }];
  });
  return jsonOf(Object.fromEntries(entries));
}

/** A line about the voices with generated names, which `adopt` asks about. Undefined if there are none. */
function generatedHint(rows: ShownVoice[]): string | undefined {
  const { length } = rows.filter(({ voice }) => hasGeneratedId(voice));
  if (length === 0) return undefined;
  return (
    `A stack of this package created ${length} of these, and deletes each voice it replaces. ` +
    "An update asks before it adopts one."
  );
}
