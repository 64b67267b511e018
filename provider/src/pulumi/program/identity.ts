import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import type { Identity } from "../../rules/naming";
import { findInProgram } from "./settings";

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
export function identityOf(
  type: string,
  name: string,
  {
    parent,
    deleteBeforeReplace = false,
    retainOnDelete = false,
    ignoreChanges = [],
  }: pulumi.CustomResourceOptions = {},
): Promise<VoiceIdentity> {
  const namespace = findInProgram("namespace")?.value ?? organization();
  return urnOf(type, name, parent).then((urn) => ({
    namespace,
    urn,
    ...(deleteBeforeReplace && !retainOnDelete && { deleteBeforeReplace }),
    ...(ignoreChanges.some((path) => path === "audio" || path === "audioSha256" || path === "*") && {
      ignoreAudio: true,
    }),
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
