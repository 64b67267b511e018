import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { findSetting, readSettings, type Settings } from "../decide/settings";
import { describeThrown, InputError } from "../errors";

/** What the command line knows of a Pulumi stack: it asks Pulumi itself, in the folder it runs in. */

const config = z.record(z.string(), z.object({ value: z.string().optional(), secret: z.boolean().optional() }));
const deployment = z.object({
  deployment: z.object({
    resources: z
      .array(z.object({ type: z.string(), id: z.string().optional(), inputs: z.record(z.string(), z.unknown()).optional(), outputs: z.record(z.string(), z.unknown()).optional() }))
      .optional(),
  }),
});

async function pulumi(args: string[], stack: string | undefined): Promise<unknown> {
  const words = [...args, "--non-interactive", ...(stack === undefined ? [] : ["--stack", stack])];
  try {
    const { stdout } = await promisify(execFile)("pulumi", words, { maxBuffer: 1024 * 1024 * 1024, env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" } });
    return JSON.parse(stdout) as unknown;
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim();
    throw new InputError(`\`pulumi ${args.join(" ")}\` failed: ${said ? said : describeThrown(error).message}`);
  }
}

/** Settings from the environment, else from the stack's configuration when a stack is named. */
export async function settingsOf(stack: string | undefined): Promise<Settings> {
  const values = stack === undefined ? {} : config.parse(await pulumi(["config", "--show-secrets", "--json"], stack));
  return readSettings((name) => findSetting(name, process.env, (key) => values[key]?.value));
}

export interface VoiceInState {
  id: string;
  preferredName: string;
  generated: boolean;
}

/** The voices that the stack's state holds. */
export async function voicesInState(stack: string | undefined): Promise<VoiceInState[]> {
  const { resources = [] } = deployment.parse(await pulumi(["stack", "export"], stack)).deployment;
  return resources
    .filter(({ type, id }) => type === "pulumi-nodejs:dynamic/cloudvoice:CloudVoice" && id !== undefined)
    .map(({ id = "", outputs = {}, inputs = {} }) => {
      const { preferredName, nameVersion } = { ...inputs, ...outputs };
      return { id, preferredName: typeof preferredName === "string" ? preferredName : "", generated: nameVersion !== undefined };
    });
}
