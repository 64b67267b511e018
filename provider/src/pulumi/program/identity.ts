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
  opts: pulumi.CustomResourceOptions,
): Promise<ToldIdentity> {
  const { deleteBeforeReplace, retainOnDelete, protect, import: imported } = opts;
  const names = namesInProgram();
  if ("audio" in args) names.push(name);
  const gates = gatesBefore(opts);
  const told = {
    organization: organization(),
    ...(deleteBeforeReplace && !retainOnDelete && { deleteBeforeReplace }),
    ...(protect && { protect }),
    ...(gates.length > 0 && { gates }),
  };
  if (args.adopt === undefined && imported === undefined) return told;
  await new Promise(setImmediate);
  return names.length > mostNames ? told : { ...told, declared: JSON.stringify(names) };
}

/** A decision with expectations, and a catalog that waits for gates. */
type Marked = { __gate?: { name: string; provider: unknown }; __gates?: string[] } | undefined;

/** The gates that a resource with these options waits for. The process of another provider would not see them judged. */
export function gatesBefore(opts: pulumi.CustomResourceOptions = {}): string[] {
  const gates = [opts.dependsOn ?? []].flat().flatMap((resource) => (resource as Marked)?.__gate ?? []);
  const here = gates.filter(({ provider }) => provider === providerOf(opts)).map(({ name }) => name);
  return [...here, ...((opts.parent as Marked)?.__gates ?? [])];
}

export function providerOf({ provider, parent }: pulumi.CustomResourceOptions = {}): unknown {
  return provider ?? parent?.getProvider("cloudvoice:index:Provider");
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
