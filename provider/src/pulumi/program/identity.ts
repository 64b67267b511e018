import type * as pulumi from "@pulumi/pulumi";
import { dynamicUrn, resourceLabel } from "../../rules/resource-types";
import type { ResourceIdentity, ToldIdentity } from "../shared/identity";
import { isProtected, oncePerProgram, organization, packageOf, urnOf } from "./sdk";

/**
 * The most names that a resource passes in `declared`. If the program has more, none are passed, because each of a
 * thousand adopting resources would pass them all. An account has up to 1,000 voices.
 */
const mostNames = 2000;
const namesInProgram = oncePerProgram((): string[] => []);

export function declareVoices(names: string[]): void {
  namesInProgram().push(...names);
}

/**
 * Workaround: the engine does not pass these facts to a provider (shared/identity.ts). With `adopt` or `import`, waits
 * one turn of the event loop, so that the program can add the names of its other voices.
 */
export async function toldIdentity(
  name: string,
  args: Record<string, unknown>,
  opts: pulumi.CustomResourceOptions,
): Promise<ToldIdentity> {
  const { deleteBeforeReplace, retainOnDelete, protect = isProtected(opts.parent), import: imported } = opts;
  const names = namesInProgram();
  if ("audio" in args) names.push(name);
  const gates = await gatesBefore(opts);
  const identity = {
    organization: organization(),
    ...(deleteBeforeReplace && !retainOnDelete && { deleteBeforeReplace }),
    ...(protect && { protect }),
    ...(gates.length > 0 && { gates }),
  };
  if (args.adopt === undefined && imported === undefined) return identity;
  await new Promise(setImmediate);
  return names.length > mostNames ? identity : { ...identity, declared: JSON.stringify(names) };
}

/** A decision with `expect`. Its label is unique in the program, while two decisions can have the same name. */
export interface Gate {
  label: Promise<string>;
  provider: unknown;
}

export function gateOf(type: string, name: string, opts: pulumi.CustomResourceOptions = {}): Gate {
  const label = urnOf(type, name, opts.parent).then((urn) => resourceLabel(dynamicUrn(urn)));
  return { label, provider: providerOf(opts) };
}

/** The gates that a resource with these options waits for, directly or because its dependencies wait for them. */
export function gatesOf(opts: pulumi.CustomResourceOptions = {}): Gate[] {
  const dependencies = [opts.dependsOn ?? [], opts.parent].flat() as ({ __gates?: Gate[] } | undefined)[];
  // Several dependencies may wait for the same gate, so remove duplicates.
  return [...new Set(dependencies.flatMap((each) => each?.__gates ?? []))];
}

/** The labels of the gates that a resource waits for, except gates of other providers, whose processes judge them. */
export async function gatesBefore(opts: WithProviders = {}): Promise<string[]> {
  const gatesOfProvider = gatesOf(opts).filter(({ provider }) => provider === providerOf(opts));
  return [...new Set(await Promise.all(gatesOfProvider.map(({ label }) => label)))];
}

/** The options of a resource, or of a component, which may have several providers. */
type WithProviders = pulumi.CustomResourceOptions & Pick<pulumi.ComponentResourceOptions, "providers">;

export function providerOf({ provider, providers = {}, parent }: WithProviders = {}): unknown {
  const providerInOptions = Array.isArray(providers)
    ? providers.find((each) => packageOf(each) === "cloudvoice")
    : providers.cloudvoice;
  return provider ?? providerInOptions ?? parent?.getProvider("cloudvoice:index:Provider");
}

/** The identity of a dynamic resource. The generated name and the keys of the journal's notes depend on it. */
export async function identityOf(
  type: string,
  name: string,
  args: Record<string, unknown>,
  opts: pulumi.CustomResourceOptions = {},
): Promise<ResourceIdentity> {
  return {
    ...(await toldIdentity(name, args, opts)),
    urn: await urnOf(type, name, opts.parent),
    marksPaths: true,
  };
}
