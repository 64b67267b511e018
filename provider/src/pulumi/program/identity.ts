import type * as pulumi from "@pulumi/pulumi";
import type { ResourceIdentity, ToldIdentity } from "../shared/identity";
import { oncePerProgram, organization, urnOf } from "./sdk";
import { findInProgram } from "./settings";

/** A resource that takes an existing voice carries all names. More would be too much, if thousands do. */
const mostNames = 1000;
const namesInProgram = oncePerProgram((): string[] => []);

/** What the engine tells no provider of a resource. One that takes an existing voice waits for the rest of the program. */
export async function toldIdentity(
  name: string,
  args: Record<string, unknown>,
  { deleteBeforeReplace, retainOnDelete, protect, import: imported }: pulumi.CustomResourceOptions,
): Promise<ToldIdentity> {
  const names = namesInProgram();
  if ("audio" in args) names.push(name);
  const told = {
    organization: organization(),
    ...(deleteBeforeReplace && !retainOnDelete && { deleteBeforeReplace }),
    ...(protect && { protect }),
  };
  if (args.adopt === undefined && imported === undefined) return told;
  await new Promise(setImmediate);
  return names.length > mostNames ? told : { ...told, declared: JSON.stringify(names) };
}

/** What identifies a resource, for its notes in the journal and for the generated name of a voice. */
export async function identityOf(
  type: string,
  name: string,
  args: Record<string, unknown>,
  opts: pulumi.CustomResourceOptions = {},
): Promise<ResourceIdentity> {
  const namespace = findInProgram("namespace")?.value ?? organization();
  return {
    namespace,
    ...(await toldIdentity(name, args, opts)),
    urn: await urnOf(type, name, opts.parent),
    marksPaths: true,
  };
}
