import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import * as runtimeConfig from "@pulumi/pulumi/runtime/config";
import type { Identity } from "../decide/naming";
import { findSetting, type FoundSetting, keyInClear, type SettingName } from "../decide/settings";

/** Settings as the program sees them. */
export function findInProgram(name: SettingName): FoundSetting | undefined {
  const config = new pulumi.Config("cloudvoice");
  return findSetting(name, process.env, (key) => config.get(key.slice("cloudvoice:".length)));
}

// Exported by the SDK, and not in its types.
const { isConfigSecret } = runtimeConfig as unknown as { isConfigSecret: (key: string) => boolean };

export function checkSecretKey(): void {
  const config = new pulumi.Config("cloudvoice");
  if (config.get("apiKey") === undefined || isConfigSecret("cloudvoice:apiKey")) return;
  throw new pulumi.RunError(keyInClear);
}

/**
 * An input under the name of an output: the engine makes an output secret when the input of its name is. So what the service
 * derives from a secret becomes secret too. Absent when none of the sources is secret.
 */
export function secretMark(...sources: unknown[]): pulumi.Output<string | undefined> {
  const secret = pulumi.isSecret(pulumi.output(sources));
  return pulumi.output(secret).apply((is) => (is ? pulumi.secret("") : undefined)) as pulumi.Output<string | undefined>;
}

/** The engine can't import a dynamic resource, and would say so less clearly. */
export function refuseImport(name: string, opts: pulumi.CustomResourceOptions | undefined, instead: (id: unknown) => string): void {
  if (opts?.import !== undefined) throw new pulumi.RunError(`${name}: import can't work for a dynamic resource; ${instead(opts.import)}`);
}

/** What the check of a voice is told beside its inputs, and does not put into the state. */
export interface VoiceIdentity extends Identity {
  /** Whether the old voice goes before the new one comes, which the quota depends on. */
  deleteBeforeReplace?: boolean;
  /** Whether other bytes under the same path are to be ignored: the engine itself can ignore the path only. */
  ignoreAudio?: boolean;
}

/**
 * Where a resource stands, for the name of its voice. A promise and not an output: as an output it would wait for its parent,
 * which waits for its children.
 */
export function identityOf(type: string, name: string, { parent, deleteBeforeReplace = false, retainOnDelete = false, ignoreChanges = [] }: pulumi.CustomResourceOptions = {}): Promise<VoiceIdentity> {
  const namespace = findInProgram("namespace")?.value ?? organization();
  return urnOf(type, name, parent).then((urn) => ({
    namespace,
    urn,
    ...(deleteBeforeReplace && !retainOnDelete && { deleteBeforeReplace }),
    ...(ignoreChanges.some((path) => path === "audio" || path === "audioSha256" || path === "*") && { ignoreAudio: true }),
  }));
}

/** Tests with mocks have none unless they say so. */
function organization(): string {
  try {
    return pulumi.getOrganization();
  } catch {
    return "organization";
  }
}

function urnOf(type: string, name: string, parent: pulumi.Resource | undefined): Promise<string> {
  return new Promise((resolve) => {
    pulumi.createUrn(name, type, parent).apply((urn) => resolve(urn));
  });
}

/** What lines and files call a resource: its name, and four digits that tell it from its namesakes under other parents. */
export async function labelOf(type: string, name: string, parent: pulumi.Resource | undefined): Promise<string> {
  const urn = await urnOf(type, name, parent);
  return `${name}-${createHash("sha256").update(urn).digest("hex").slice(0, 4)}`;
}
