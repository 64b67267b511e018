import type * as pulumi from "@pulumi/pulumi";
import type { ResourceIdentity, ToldIdentity } from "../shared/identity";
import { organization, urnOf } from "./sdk";
import { findInProgram } from "./settings";

/** What the engine tells no provider of a resource. */
export function toldIdentity({
  deleteBeforeReplace = false,
  retainOnDelete = false,
  protect = false,
}: pulumi.CustomResourceOptions = {}): ToldIdentity {
  return {
    organization: organization(),
    ...(deleteBeforeReplace && !retainOnDelete && { deleteBeforeReplace }),
    ...(protect && { protect }),
  };
}

/** What identifies a resource, for its notes in the journal and for the generated name of a voice. */
export async function identityOf(
  type: string,
  name: string,
  opts: pulumi.CustomResourceOptions = {},
): Promise<ResourceIdentity> {
  const namespace = findInProgram("namespace")?.value ?? organization();
  return {
    namespace,
    ...toldIdentity(opts),
    urn: await urnOf(type, name, opts.parent),
    marksPaths: true,
  };
}
