import type * as pulumi from "@pulumi/pulumi";
import type { ResourceIdentity } from "../shared/identity";
import { organization, urnOf } from "./sdk";
import { findInProgram } from "./settings";

/** What identifies a resource, for its notes in the journal and for the generated name of a voice. */
export async function identityOf(
  type: string,
  name: string,
  { parent, deleteBeforeReplace = false, retainOnDelete = false, protect = false }: pulumi.CustomResourceOptions = {},
): Promise<ResourceIdentity> {
  const namespace = findInProgram("namespace")?.value ?? organization();
  return {
    namespace,
    organization: organization(),
    urn: await urnOf(type, name, parent),
    ...(deleteBeforeReplace && !retainOnDelete && { deleteBeforeReplace }),
    ...(protect && { protect }),
    marksPaths: true,
  };
}
