import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseDocument } from "yaml";
import { z } from "zod";
import { findSetting, type FoundSetting, keyInClear } from "../rules/find-setting";
import { readSettings, type SettingName, type Settings } from "../rules/settings";
import { resourceKind } from "../rules/resource-types";
import { hasGeneratedName } from "../rules/voice";
import { describeThrown } from "../describe-thrown";
import { InputError } from "../errors";
import { pulumiJson, runPulumi } from "../run-pulumi";

/** Reads a Pulumi stack with the `pulumi` command, in the current folder. */

const config = z.record(z.string(), z.object({ value: z.string().optional(), secret: z.boolean().optional() }));
const deployment = z.object({
  deployment: z.object({
    resources: z
      .array(
        z.object({
          urn: z.string(),
          type: z.string(),
          id: z.string().optional(),
          delete: z.boolean().optional(),
          external: z.boolean().optional(),
          retainOnDelete: z.boolean().optional(),
          inputs: z.record(z.string(), z.unknown()).optional(),
          outputs: z.record(z.string(), z.unknown()).optional(),
        }),
      )
      .optional(),
  }),
});

/** The option that names the stack. Without it, a command uses the selected stack. */
export function inStack(stack: string | undefined): string[] {
  return stack === undefined ? [] : ["--stack", stack];
}

/** `inClear`: the value is in the stack's configuration file without encryption. */
export type FindSetting = (name: SettingName) => (FoundSetting & { inClear: boolean }) | undefined;

/** Finds settings in the environment first, then in the configuration of the stack if one is named. */
export async function findSettingsOf(stack: string | undefined): Promise<FindSetting> {
  const values =
    stack === undefined
      ? {}
      : config.parse(await pulumiJson(["config", "--show-secrets", "--json", ...inStack(stack)]));
  return (name) => {
    const found = findSetting(name, process.env, (key) => values[key]?.value);
    return found && { ...found, inClear: values[found.source]?.secret === false };
  };
}

export async function settingsOf(stack: string | undefined): Promise<Settings> {
  const find = await findSettingsOf(stack);
  if (find("apiKey")?.inClear) throw new InputError(keyInClear);
  return readSettings(find);
}

/** The last part of `organisation/project/stack`. */
export function shortName(stack: string): string {
  return stack.split("/").at(-1) ?? "";
}

/** The selected stack of the project in the current folder. Undefined without a project, or if none is selected. */
export async function selectedStack(): Promise<string | undefined> {
  const { stdout, failure } = await runPulumi(["stack", "--show-name"]);
  return failure === undefined ? stdout.trim() || undefined : undefined;
}

export interface VoiceInState {
  urn: string;
  id: string;
  /** The fingerprint of the account that the voice was created in. */
  account: string | undefined;
  preferredName: string;
  generated: boolean;
  /** An old copy that an interrupted replacement left. The next update deletes it. */
  pendingDelete: boolean;
  /** The program only reads it, with `CloudVoice.get`: no update creates or deletes this voice for this resource. */
  external: boolean;
}

/** The voices in the stack's state. */
export async function voicesInState(stack: string | undefined): Promise<VoiceInState[]> {
  const { resources = [] } = deployment.parse(await pulumiJson(["stack", "export", ...inStack(stack)])).deployment;
  return resources
    .filter(({ type, id }) => resourceKind(type) === "voice" && id !== undefined)
    .map(({ urn, id = "", delete: isOld = false, external = false, retainOnDelete = false, ...resource }) => {
      const { outputs = {}, inputs = {} } = resource;
      const properties: Record<string, unknown> = { ...inputs, ...outputs };
      const { preferredName, account } = properties;
      return {
        urn,
        id,
        account: typeof account === "string" ? account : undefined,
        preferredName: typeof preferredName === "string" ? preferredName : "",
        generated: hasGeneratedName(properties),
        pendingDelete: isOld && !retainOnDelete,
        external,
      };
    });
}

const stackList = z.array(z.object({ name: z.string() }));

async function stackNames(...options: string[]): Promise<string[]> {
  return stackList.parse(await pulumiJson(["stack", "ls", "--json", ...options])).map(({ name }) => name);
}

/** The other stacks of the project. */
async function otherStacks(stack: string | undefined): Promise<string[]> {
  const own = stack ?? (await selectedStack()) ?? "";
  return (await stackNames()).filter((name) => name !== own && shortName(name) !== shortName(own));
}

/** The voices in the states of the project's other stacks. */
export async function voicesInOtherStacks(stack: string | undefined): Promise<VoiceInState[]> {
  const voices = await Promise.all((await otherStacks(stack)).map((name) => voicesInState(name)));
  return voices.flat();
}

/** Without the voices that a program only reads. An update counts and protects no such voice. */
export function withoutExternal(voices: VoiceInState[]): VoiceInState[] {
  return voices.filter(({ external }) => !external);
}

export function idsOf(voices: VoiceInState[]): Set<string> {
  return new Set(voices.map(({ id }) => id));
}

/**
 * The voices that no stack of the backend's other projects holds. A resource that moved to another project keeps its
 * voice, which has the name that its former stack generated. An organization may have hundreds of stacks, so they are
 * asked only if there is a voice to ask about.
 */
export async function outsideOtherProjects<T extends { voice: string }>(rows: T[]): Promise<T[]> {
  if (rows.length === 0) return [];
  const elsewhere = await voicesInOtherProjects();
  return rows.filter(({ voice }) => !elsewhere.has(voice));
}

async function voicesInOtherProjects(): Promise<Set<string>> {
  const here = new Set(await stackNames());
  const voices = new Set<string>();
  for (const name of await stackNames("--all"))
    if (!here.has(name)) for (const { id } of await voicesInState(name)) voices.add(id);
  return voices;
}

export interface VoiceHolders {
  /** The resource that holds a voice, as a text for people. */
  holderOf: (voice: string) => string | undefined;
  /** Other stacks whose states could not be read. */
  warnings: string[];
}

/** Who holds which voice, in the states of this stack and of the project's other stacks. */
export async function voiceHolders(stack: string | undefined): Promise<VoiceHolders> {
  const holders = new Map<string, string>();
  const addVoicesOf = async (name: string) => {
    for (const { id, urn } of await voicesInState(name))
      if (!holders.has(id)) holders.set(id, `the resource ${urn.split("::").slice(3).join("::")} of the stack ${name}`);
  };
  if (stack !== undefined) await addVoicesOf(stack);
  const others = (await otherStacks(stack)).map((name) =>
    addVoicesOf(name).then(
      () => [],
      (error: unknown) => [
        `the state of the stack ${name} cannot be read, so its voices are not protected: ${describeThrown(error).message}`,
      ],
    ),
  );
  const warnings = (await Promise.all(others)).flat();
  return { holderOf: (voice) => holders.get(voice), warnings };
}

const history = z.array(z.object({ kind: z.string(), resourceChanges: z.record(z.string(), z.number()).nullish() }));

/** How many resources the stack's last operation removed from the state, if it was a refresh. */
export async function removedByLastRefresh(stack: string): Promise<number> {
  const { stdout, failure } = await runPulumi(["stack", "history", "--json", "--page-size", "1", ...inStack(stack)]);
  // The history only explains a change, so a review does without it if it can't be read.
  const [last] = failure === undefined ? (history.safeParse(JSON.parse(stdout)).data ?? []) : [];
  return last?.kind === "refresh" ? (last.resourceChanges?.delete ?? 0) : 0;
}

const projectFile = z
  .object({ name: z.string().catch(""), main: z.string().catch(".") })
  .catch({ name: "", main: "." });

/**
 * The nearest Pulumi project. Problems in Pulumi.yaml are not reported here, because Pulumi reports them itself.
 * Without a project, the result is the current folder.
 */
export function projectHere(from = process.cwd()): { folder: string; name: string; main: string } {
  const file = ["Pulumi.yaml", "Pulumi.yml"].map((name) => join(from, name)).find((path) => existsSync(path));
  if (file !== undefined)
    return { folder: from, ...projectFile.parse(parseDocument(readFileSync(file, "utf8")).toJS()) };
  return dirname(from) === from ? { folder: process.cwd(), name: "", main: "." } : projectHere(dirname(from));
}

/** The folder that the program runs in. */
export function programFolder(): string {
  const { folder, main } = projectHere();
  const path = join(folder, main);
  return /\.[cm]?[jt]s$/.test(path) ? dirname(path) : path;
}
