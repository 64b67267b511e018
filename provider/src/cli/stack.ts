import type { ListedVoice } from "../rules/voice";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseDocument } from "yaml";
import * as z from "zod";
import { findSetting, keyInClear, type SettingValue } from "../rules/find-setting";
import { readSettings, type SettingName, type Settings } from "../rules/settings";
import { isHiddenSecret, isRecord } from "../rules/values";
import { fullStackName, pulumiStates, States, voicesIn, withoutHolder } from "./stacks/states";
import { isNameOfHolder, orphanedVoices } from "./stacks/own-name";
import { InputError, UnexpectedAnswerError } from "../errors";
import { addressGuard } from "../rules/addresses";
import { assertNoOutcomeOptions, pulumiJson } from "../run-pulumi";
import type { Clock } from "../service/clock";
import { connect, type Service } from "../service/connect";
import { Journal } from "../service/journal/journal";
import { openJournalStore } from "../service/journal/open";
import { partsOf } from "../rules/resource-types";
import { nearestProjectFile } from "./stacks/project-file";
import type { StackState, VoiceHolder } from "./stacks/state";
import { printError } from "./print";

/** Reads a Pulumi stack with the `pulumi` command, in the current folder. */

const config = z.record(z.string(), z.object({ value: z.string().optional(), secret: z.boolean().optional() }));

/**
 * `inClear`: the value is in the stack's configuration without encryption. `isSecret`: the value is in the stack's
 * configuration, encrypted.
 */
export type FindStackSetting = (
  name: SettingName,
) => (SettingValue & { inClear: boolean; isSecret: boolean }) | undefined;

/** Finds settings in the environment, or else in the configuration of the stack, if there is one. */
export async function configurationOf(stack: string | undefined): Promise<FindStackSetting> {
  if (stack !== undefined) assertNoOutcomeOptions(process.env);
  const values =
    stack === undefined ? {} : await pulumiJson(["config", "--show-secrets", "--json", "--stack", stack], config);
  return (name) => {
    const setting = findSetting(name, process.env, (key) => values[key]?.value);
    const secret = setting && values[setting.source]?.secret;
    return setting && { ...setting, inClear: secret === false, isSecret: secret === true };
  };
}

/** Returns the settings. Throws if the key must not be sent to their address. */
export async function settingsOf(stack: string | undefined): Promise<Settings> {
  const find = await configurationOf(stack);
  if (find("apiKey")?.inClear) throw new InputError(keyInClear);
  const settings = readSettings(find, Object.keys(process.env));
  addressGuard(settings, process.env)("voice");
  return settings;
}

/** Connects to the service, runs the work, and closes the connection. */
export function withService<T>(settings: Settings, work: (service: Service) => Promise<T>): Promise<T> {
  const service = connect(settings, { log: printError });
  return work(service).finally(() => service.close());
}

/** Opens the provider's journal. A relative path begins in the program's folder. `warn` gets the journal's warnings. */
export function journalOf(settings: Settings, clock: Clock, warn: (line: string) => void): Journal {
  const store = openJournalStore(settings.journal, { ...settings, programFolder: programFolder() });
  return new Journal(store, clock, warn, settings);
}

/**
 * All voices of the account. Throws if the list is empty although the stack has voices, unless the service's responses
 * prove that these voices are gone.
 */
export async function voicesOf({ account }: Service, stack: string | undefined): Promise<ListedVoice[]> {
  const { voices, doubt } = await account.atStart();
  if (voices.length > 0 || stack === undefined || doubt === undefined) return [...voices];
  const { holders } = await statesOf(stack).stackState();
  if (holders.length === 0) return [];
  throw new UnexpectedAnswerError(`the list may be incomplete: ${doubt}`, {
    purpose: "listing the account's voices",
    advice:
      "Nothing was changed. Run the command again. `npx --no-install pulumi-cloudvoice doctor` shows which parts of the " +
      "service's responses are understood. Set the paths of the other parts in cloudvoice:forms.",
  });
}

export async function neededStack(option: string, named: string | undefined): Promise<string> {
  const stack = await fullStackName(named);
  if (stack !== undefined) return stack;
  throw new InputError(
    `${option} needs a stack. Run the command in the project's folder, and name the stack with --stack.`,
  );
}

/** The voices with a generated name of this stack that no stack of the backend holds. */
export async function orphansIn(listed: ListedVoice[], states: States, settings: Settings): Promise<ListedVoice[]> {
  const holders = voicesIn(await withContent(await states.stackState(), settings));
  return withoutHolder(states, orphanedVoices(listed, holders, settings));
}

export function statesOf(stack: string | undefined): States {
  return new States(pulumiStates(), stack);
}

/**
 * Returns the state with the content of its voices, which determines their generated names. A state with secret content
 * is read again with its secrets. If this second read fails, the content stays unknown.
 */
export async function withContent(state: StackState, settings: Settings): Promise<StackState> {
  const isHidden = (holder: VoiceHolder) => {
    const { generatedName: name, content = {} } = holder;
    if (isHiddenSecret(content.preferredName) || isHiddenSecret(content.nameVersion)) return true;
    return name !== undefined && isNameOfHolder(holder, name, settings) === "unknown";
  };
  return voicesIn(state).some(isHidden)
    ? pulumiStates()
        .withSecrets(state.stack)
        .catch(() => state)
    : state;
}

/** The fields of a project's file. Pulumi itself reports problems in the file. */
const projectFields = z.object({
  name: z.string().catch(""),
  main: z.string().catch("."),
  stackConfigDir: z.string().catch("."),
});

export function projectAndStack(full: string): { project: string; stack: string } {
  const { project = projectHere().name, stack } = partsOf(full);
  return { project, stack };
}

/** The nearest Pulumi project, or else the current folder. */
export function projectHere(from = process.cwd()) {
  const file = nearestProjectFile(from);
  const content: unknown = file && parseDocument(readFileSync(file, "utf8")).toJS();
  const folder = file === undefined ? process.cwd() : dirname(file);
  return { folder, ...projectFields.parse(isRecord(content) ? content : {}) };
}

export function programFolder(): string {
  const { folder, main } = projectHere();
  const path = join(folder, main);
  return /\.[cm]?[jt]s$/.test(path) ? dirname(path) : path;
}
