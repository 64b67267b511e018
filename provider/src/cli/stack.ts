import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { parseDocument } from "yaml";
import { z } from "zod";
import { findSetting, type FoundSetting, keyInClear } from "../rules/find-setting";
import { readSettings, type SettingName, type Settings } from "../rules/settings";
import { resourceKind } from "../rules/resource-types";
import { hasGeneratedName } from "../rules/voice";
import { describeThrown } from "../describe-thrown";
import { InputError } from "../errors";

/** Reads a Pulumi stack with the `pulumi` command, in the current folder. */

const config = z.record(z.string(), z.object({ value: z.string().optional(), secret: z.boolean().optional() }));
const deployment = z.object({
  deployment: z.object({
    resources: z
      .array(
        z.object({
          type: z.string(),
          id: z.string().optional(),
          delete: z.boolean().optional(),
          retainOnDelete: z.boolean().optional(),
          inputs: z.record(z.string(), z.unknown()).optional(),
          outputs: z.record(z.string(), z.unknown()).optional(),
        }),
      )
      .optional(),
  }),
});

/** Runs `pulumi`. A failed run returns what it printed and why it failed. */
export async function pulumiOutput(
  args: string[],
  stack: string | undefined,
  variables: Record<string, string> = {},
): Promise<{ stdout: string; failure?: string }> {
  const allArgs = [...args, "--non-interactive", ...(stack === undefined ? [] : ["--stack", stack])];
  try {
    const { stdout } = await promisify(execFile)("pulumi", allArgs, {
      maxBuffer: 1024 * 1024 * 1024,
      env: {
        ...process.env,
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "false",
        ...variables,
      },
    });
    return { stdout };
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    const { code, message } = describeThrown(error);
    const why = code === "ENOENT" ? "pulumi is not installed, or it is not in PATH" : stderr.trim() || message;
    return { stdout, failure: `\`pulumi ${args.join(" ")}\` failed: ${why}` };
  }
}

async function pulumiJson(args: string[], stack: string | undefined): Promise<unknown> {
  const { stdout, failure } = await pulumiOutput(args, stack);
  if (failure !== undefined) throw new InputError(failure);
  return JSON.parse(stdout);
}

/** `inClear`: the value is in the stack's configuration file without encryption. */
export type FindSetting = (name: SettingName) => (FoundSetting & { inClear: boolean }) | undefined;

/** Finds settings in the environment first, then in the configuration of the stack if one is named. */
export async function findSettingsOf(stack: string | undefined): Promise<FindSetting> {
  const values =
    stack === undefined ? {} : config.parse(await pulumiJson(["config", "--show-secrets", "--json"], stack));
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

export interface VoiceInState {
  id: string;
  preferredName: string;
  generated: boolean;
  /** An old copy that an interrupted replacement left. The next update deletes it. */
  pendingDelete: boolean;
}

/** The voices in the stack's state. */
export async function voicesInState(stack: string | undefined): Promise<VoiceInState[]> {
  const { resources = [] } = deployment.parse(await pulumiJson(["stack", "export"], stack)).deployment;
  return resources
    .filter(({ type, id }) => resourceKind(type) === "voice" && id !== undefined)
    .map(({ id = "", delete: isOld = false, retainOnDelete = false, outputs = {}, inputs = {} }) => {
      const properties = { ...inputs, ...outputs };
      const { preferredName } = properties;
      return {
        id,
        preferredName: typeof preferredName === "string" ? preferredName : "",
        generated: hasGeneratedName(properties),
        pendingDelete: isOld && !retainOnDelete,
      };
    });
}

const stackList = z.array(z.object({ name: z.string() }));

/**
 * The ids of the voices that other stacks of this project hold. A moved resource keeps the voice that it had in its
 * former stack.
 */
export async function voicesInOtherStacks(stack: string | undefined): Promise<Set<string>> {
  const own = stack ?? (await pulumiOutput(["stack", "--show-name"], undefined)).stdout.trim();
  const names = stackList.parse(await pulumiJson(["stack", "ls", "--json"], undefined)).map(({ name }) => name);
  const others = names.filter((name) => name !== own && name.split("/").at(-1) !== own.split("/").at(-1));
  const voices = await Promise.all(others.map((name) => voicesInState(name)));
  return new Set(voices.flat().map(({ id }) => id));
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
